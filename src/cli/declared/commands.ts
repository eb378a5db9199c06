import type { Command, Usage } from '../flags/command.ts'
import { serviceNotes } from './about-runs.ts'
import { begin } from './begin.ts'
import { look } from './look.ts'
import { make } from './make.ts'
import { others } from './others.ts'
import { setUp } from './set-up.ts'
import { thinkAgain } from './think-again.ts'

/** How the help of genrun itself lists its commands: by what somebody is about to do. */
export const groups: readonly (readonly [title: string, commands: readonly Command[]])[] = [
  ['Begin', begin],
  ['Make', make],
  ['Look', look],
  ['Think again', thinkAgain],
  ['Work with others', others],
  ['Set up', setUp],
]

/** Every command; what makes something is named first, wherever some are named in a sentence. */
export const commands: readonly Command[] = [...make, ...thinkAgain, ...look, ...begin, ...others, ...setUp]

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
    'Exit codes: 0 all well, 1 a job failed, 2 the manifest or the settings are',
    'against it, 3 a paid request is in doubt, 4 not finished: run again, 5 another',
    'genrun is at work here, 6 the budget is spent, or the service failed too often,',
    '7 the disk or the state is damaged, 8 `verify` found a difference, 130 and 143',
    'stopped, 70 a bug in genrun.',
  ],
}
