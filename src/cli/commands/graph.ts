import { exit } from '../../base/exit.ts'
import { graphForms, graphManifest } from '../../desk/graph.ts'
import { tellAgainst } from '../against.ts'
import type { GraphAsked } from '../line/desk-asked.ts'
import { groundFrom } from '../line/wanted.ts'
import { troubleText } from '../words/problems.ts'
import type { Out } from '../world/out.ts'
import type { Surroundings } from '../world/surroundings.ts'

/** `genrun graph`: the text of a diagram. */
export function graph(asked: GraphAsked, around: Surroundings, out: Out): number {
  const form = graphForms.find(each => each === asked.form)
  if (!form) {
    const message = `there is no form ${asked.form}`
    out.talk(troubleText({ code: 'bad-form', message, hint: 'there are mermaid and dot' }, out.paint))
    return exit.refused
  }
  const result = graphManifest({ ...groundFrom(asked, around), form })
  if (result.got !== 'graph') return tellAgainst(result, asked, out)
  out.result(result.text)
  return exit.ok
}
