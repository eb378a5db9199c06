import { exit } from '../../base/exit.ts'
import { graphForms, graphManifest } from '../../verbs/graph.ts'
import type { GraphAsked } from '../flags/desk-asked.ts'
import { workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'
import { networkErrorText } from '../words/problems.ts'

/** `genrun graph`: the text of a diagram. */
export function graph(asked: GraphAsked, around: Surroundings, out: Out): number {
  const form = graphForms.find(each => each === asked.form)
  if (!form) {
    const message = `there is no form ${asked.form}`
    out.talk(networkErrorText({ code: 'bad-form', message, hint: 'there are mermaid and dot' }, out.paint))
    return exit.refused
  }
  const result = graphManifest({ ...workspaceFrom(asked, around), form })
  if (result.got !== 'graph') return tellAgainst(result, asked, out)
  out.result(result.text)
  return exit.ok
}
