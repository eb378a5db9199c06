import { exit } from '../../base/exit.ts'
import { graphForms, graphManifest } from '../../verbs/graph.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'
import { troubleText } from '../words/problems.ts'

/** `genrun graph`: the text of a diagram. */
export function graph(args: ManifestArgs & Given<'form'>, around: Surroundings, out: Out): number {
  const form = graphForms.find(each => each === (args.form ?? 'mermaid'))
  if (!form) {
    const message = `there is no form ${args.form}`
    out.talk(troubleText({ code: 'bad-form', message, hint: 'there are mermaid and dot' }, out.paint))
    return exit.refused
  }
  const result = graphManifest({ ...workspaceFrom(args, around), form })
  if (result.got !== 'graph') return tellAgainst(result, { json: false }, out)
  out.result(result.text)
  return exit.ok
}
