import { exit } from '../base/exit.ts'
import { wordTable } from '../base/word-table.ts'
import type { Step } from '../plan/shapes/step.ts'
import type { Ending } from './report.ts'

/** What a word about an outcome means, and what to do about it. */
export interface Meaning {
  readonly word: string
  readonly is: 'state' | 'step' | 'exit code'
  readonly about: string
  readonly todo: string
}

type Row = readonly [about: string, todo: string]

const nothing = 'Nothing.'
const again = 'Run again: it goes on without paying.'
const goesOn = 'The same command goes on: nothing is paid twice, and what was not ordered yet is ordered.'

/** What a run says of each job at its end. */
const endings: { readonly [ending in Ending]: Row } = {
  made: ['It was ordered, fetched and checked; its file has its name.', nothing],
  kept: ['It was there and is what the manifest asks for. No request was made.', nothing],
  fetched: ['It was paid for before and its file was missing: it was read again, for nothing.', nothing],
  moved: ['The same result under another name. No request was made.', nothing],
  failed: [
    'It did not work out; the message says why, and whether it may have been billed.',
    'Mend what the message names and run again. What may have been billed is ordered again with --failed only.',
  ],
  held: [
    'Nothing is done about it until something else is: a pick, a need, your word. Nothing was sent.',
    'Do what its hint names: `genrun status campaign.yaml` lists it with the command.',
  ],
  doubt: [
    'A paid request left, and no answer proves what became of it. It is never sent again by itself.',
    'Look it up at the service, then `resolve` it with --adopt, --resubmit or --abandon.',
  ],
  detached: ['The service has it, and it was not finished when the run ended. Its id is kept.', again],
  skipped: [
    'It was not sent: what it needs did not finish, the run was stopped, or buying had ended.',
    'Mend the cause and run again; it cost nothing.',
  ],
}

/** What a plan says of each job. */
const steps: { readonly [step in Step['do']]: Row } = {
  buy: [
    'A paid request will leave. The reason says what is new, or what changed.',
    '`genrun why campaign.yaml hero` tells more.',
  ],
  keep: ['It is there and is what the manifest asks for.', nothing],
  resume: ['It was ordered before and not finished: it is waited for, for nothing.', nothing],
  fetch: ['It is paid for and its file is missing: it is read again, for nothing.', nothing],
  restore: ['The shared cache has it: it is taken from there, for nothing.', nothing],
  aside: [
    'It is paid for and no job asks for it now: it is kept whole until one does.',
    '`genrun prune campaign.yaml --aside` throws away what is aside.',
  ],
  adopt: ['The same result has another name now: its file is moved, for nothing.', nothing],
  hold: ['Nothing is done about it until something else is: a pick, a need, your word.', 'Do what is named.'],
  doubt: endings.doubt,
  drop: [
    'It is in the lock and no longer in the manifest. Its files stay.',
    '`genrun prune campaign.yaml` removes what is no longer asked for.',
  ],
}

/** What `status` says of an order that is open, where neither the run nor the plan has a word for it. */
const open = wordTable<Row>({
  short: [
    'Fewer files were delivered than were ordered; those that came are kept. By default the job counts as failed in every run.',
    '`genrun campaign.yaml --failed` orders the rest, `accept` takes it as it is; `shortDelivery` in the job decides it for good.',
  ],
  'under-way': ['It is paid for and not fetched: the service has it. Its id is kept.', again],
})

/** Every exit code of `base/exit.ts`. */
export const exits: { readonly [name in keyof typeof exit]: Row } = {
  ok: ['all well', nothing],
  failed: ['a job failed; the report says why and what to do', endings.failed[1]],
  refused: [
    'refused, not ordered: the manifest, the settings, the key or a safety rule forbids it',
    'Mend what is pointed at.',
  ],
  doubt: ['a paid request is in doubt: a person decides', endings.doubt[1]],
  unfinished: ['not finished or held: run again, or pick', goesOn],
  claimed: [
    'another genrun is at work on this manifest',
    'Wait for it. Where it is gone for good, --take-claim goes on.',
  ],
  budget: [
    'the budget is spent, or the service failed too often',
    'Raise the cap, or see what the service says. What is done is kept.',
  ],
  damaged: [
    'the disk or the state is damaged',
    'Make room, mend permissions, or put back what is named; nothing is bought until then.',
  ],
  drift: [
    'verify found that manifest, lock and files do not agree; or review --take left verdicts out',
    'Run again where money may be spent, or look at what was changed, or at what was left out.',
  ],
  interrupted: ['stopped by Ctrl-C', goesOn],
  terminated: ['stopped by a signal', goesOn],
}

/** What a word, or an exit code, says of an outcome: a state, a step of a plan, or both. */
export function outcomesOf(word: string): Meaning[] {
  const asState = own(endings, word)
  const asStep = own(steps, word)
  const asOpen = own(open, word)
  const named = Object.entries(exit).find(([, code]) => String(code) === word)
  const asExit = named && exits[named[0] as keyof typeof exit] // the keys of that very record
  return [
    ...(asState ? [outcome(word, 'state', asState)] : []),
    // A step that says the same as the state is not told twice.
    ...(asOpen ? [outcome(word, 'state', asOpen)] : []),
    ...(asStep && asStep !== asState ? [outcome(word, 'step', asStep)] : []),
    ...(asExit ? [outcome(word, 'exit code', asExit)] : []),
  ]
}

/** Every word that `outcomesOf` knows. */
export const outcomeWords: readonly string[] = [
  ...new Set([
    ...Object.keys(endings),
    ...Object.keys(steps),
    ...Object.keys(open),
    ...Object.values(exit).map(String),
  ]),
]

function outcome(word: string, is: Meaning['is'], [about, todo]: Row): Meaning {
  return { word, is, about, todo }
}

function own(rows: { readonly [word: string]: Row }, word: string): Row | undefined {
  return Object.hasOwn(rows, word) ? rows[word] : undefined
}
