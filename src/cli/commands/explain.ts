import { exit } from '../../base/exit.ts'
import { type Explanation, explain, explanations } from '../../verbs/explain.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import { troubleText } from '../words/problems.ts'

interface ExplainArgs extends Given<'json'> {
  readonly code: string | undefined
}

/** `genrun explain`: what the code behind a message means; without a code, all of them. */
export function explainCode(args: ExplainArgs, out: Out): number {
  if (args.code === undefined) {
    const all = explanations()
    if (args.json) out.json(all)
    else out.result(all.map(({ code }) => code).join('\n'))
    return exit.ok
  }
  const explained = explain(args.code.replaceAll(/^\[|\]$/g, ''))
  if (explained.got === 'nothing') {
    const hint = explained.near ? `did you mean ${explained.near}` : '`genrun explain` lists them'
    out.talk(troubleText({ code: 'usage', message: `there is no code ${args.code}`, hint }, out.paint))
    return exit.refused
  }
  if (args.json) out.json(explained.explanation)
  else out.result(explanationText(explained.explanation))
  return exit.ok
}

function explanationText({ code, about, example }: Explanation): string {
  const lines = example.split('\n').map(line => `    ${line}`)
  return [code, '', `  ${about}`, '', '  for instance', '', ...lines].join('\n')
}
