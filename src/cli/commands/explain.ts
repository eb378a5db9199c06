import { exit } from '../../base/exit.ts'
import { type Explanation, explainWord, explanations, type Meanings } from '../../verbs/explain.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import { refuseFor } from '../words/problems.ts'

interface ExplainArgs extends Given<'json'> {
  readonly code: string | undefined
}

/** `genrun explain`: what a code, a state or an exit code means; without one, all codes. */
export function explainCode(args: ExplainArgs, out: Out): number {
  if (args.code === undefined) {
    const all = explanations()
    if (args.json) out.json(all)
    else out.result(all.map(({ code }) => code).join('\n'))
    return exit.ok
  }
  const explained = explainWord(args.code.replaceAll(/^\[|\]$/g, ''))
  if (explained.got === 'nothing') {
    const hint = explained.near ? `did you mean ${explained.near}` : '`genrun explain` lists the codes'
    const message = `there is no code, state or exit code ${args.code}`
    return refuseFor({ code: 'usage', message, hint }, out, args)
  }
  if (args.json) out.json(recordOf(explained))
  else out.result(meaningsText(explained))
  return exit.ok
}

/** A code's own record, and the outcomes beside it where there are any. */
function recordOf({ explanation, outcomes }: Meanings): object {
  return { ...explanation, ...(outcomes.length > 0 && { outcomes }) }
}

function meaningsText({ explanation, outcomes }: Meanings): string {
  const parts = outcomes.map(({ word, is, about, todo }) =>
    [
      is === 'exit code' ? `exit code ${word}` : `${word} (${is})`,
      '',
      `  ${about}`,
      '',
      '  what to do',
      '',
      `    ${todo}`,
    ].join('\n'),
  )
  return [...parts, ...(explanation ? [explanationText(explanation)] : [])].join('\n\n')
}

function explanationText({ code, about, example }: Explanation): string {
  const lines = example.split('\n').map(line => `    ${line}`)
  return [code, '', `  ${about}`, '', '  for instance', '', ...lines].join('\n')
}
