import type { Command, Usage } from '../flags/command.ts'
import { serviceNotes } from './about-runs.ts'
import { beginCommands } from './begin.ts'
import { lookCommands } from './look.ts'
import { makeCommands } from './make.ts'
import { otherCommands } from './others.ts'
import { setUpCommands } from './set-up.ts'
import { thinkAgainCommands } from './think-again.ts'

/** How the help of genrun itself lists its commands: by what somebody is about to do. */
export const groups: readonly (readonly [title: string, commands: readonly Command[]])[] = [
  ['Begin', beginCommands],
  ['Make', makeCommands],
  ['Look', lookCommands],
  ['Think again', thinkAgainCommands],
  ['Work with others', otherCommands],
  ['Set up', setUpCommands],
]

/** Every command; what makes something is named first, wherever some are named in a sentence. */
export const commands: readonly Command[] = [
  ...makeCommands,
  ...thinkAgainCommands,
  ...lookCommands,
  ...beginCommands,
  ...otherCommands,
  ...setUpCommands,
]

export const genrun: Usage = {
  name: '',
  arguments: '<manifest>',
  says: 'makes the media that a manifest describes, and pays for nothing twice',
  examples: [
    ['genrun init', 'write a manifest to begin with'],
    ['genrun campaign.yaml --local', 'rehearse it: nothing is paid'],
    ['genrun plan campaign.yaml', 'what would be bought, why, and at what cost'],
    ['genrun campaign.yaml', 'make it; the files go to out/campaign'],
    ['genrun report campaign.yaml', 'a page with all results'],
  ],
  flags: [],
  notes: [
    ...serviceNotes,
    '',
    'Exit codes: 0 all well, 1 a job failed, 2 refused, not ordered: the manifest,',
    'the settings, the key or a safety rule forbids it, 3 a paid request is in doubt,',
    '4 not finished: run again, 5 another genrun is at work here, 6 the budget is',
    'spent, or the service failed too often, 7 the disk or the state is damaged,',
    '8 `verify` found a difference, 130 and 143 stopped, 70 a bug in genrun.',
  ],
}
