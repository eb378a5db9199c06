import { continueOption, json, local, manifestOptions, output, plain, profileOption } from './options.ts'
import type { OptionUsage, Usage } from './usage-form.ts'

/** What decides where everything lies and what the jobs are, as for a run. */
const workspaceOptions: readonly OptionUsage[] = [output, ...manifestOptions, profileOption]

/** The commands around what an earlier run left open. */
export const recoveryCommands: readonly Usage[] = [
  {
    name: 'status',
    args: '<manifest>',
    says: 'what is open or in doubt, and what to do',
    examples: [
      ['genrun status campaign.yaml', 'needs no key and no network'],
      ['genrun status campaign.yaml --json', 'for a script'],
    ],
    options: [local, ...workspaceOptions, continueOption, json('the status as JSON on stdout'), plain],
  },
  {
    name: 'journal',
    args: '<manifest>',
    says: 'what was written down when it was ordered',
    examples: [
      ['genrun journal campaign.yaml', 'every record, a line each'],
      ['genrun journal campaign.yaml --json', 'as they stand, for a bug report'],
    ],
    options: [local, json('the records as JSON on stdout'), plain],
    notes: ['It reads, and touches nothing; the manifest need not be right.'],
  },
  {
    name: 'recover',
    args: '<manifest>',
    says: 'lock and journal anew, from the files',
    examples: [
      ['genrun recover campaign.yaml', 'says what it found, and asks'],
      ['genrun recover campaign.yaml --yes', 'takes it up, unasked'],
    ],
    options: [
      { flags: '--yes', says: 'take up what is found' },
      ...workspaceOptions,
      json('what was found as JSON on stdout'),
      plain,
    ],
    notes: [
      'Every output folder knows what its files were made from. It is for the day when',
      'the lock is lost or damaged: nothing is bought, and no request is made.',
    ],
  },
  {
    name: 'resolve',
    args: '<manifest> [jobs...]',
    says: 'settle orders that are in doubt',
    examples: [
      ['genrun resolve tea.yaml clip --adopt r_81', 'the service has it'],
      ["genrun resolve tea.yaml 'still[view=front]' --resubmit", 'order them'],
      ['genrun resolve tea.yaml --all-doubts --abandon', 'let them be'],
      ['genrun resolve tea.yaml --after 2026-01-31 --abandon', 'by time'],
    ],
    options: [
      { flags: '--adopt <id>', says: 'the run at the service is this one' },
      { flags: '--resubmit', says: 'order again; it may be paid a second time', not: 'adopt' },
      { flags: '--abandon', says: 'give up; not ordered again by itself', not: 'adopt' },
      { flags: '--workflow <name>', says: 'the workflow of the run, if not the usual one' },
      { flags: '--all-doubts', says: 'every job in doubt' },
      { flags: '--before <date>', says: 'only what was sent before', takes: 'date' },
      { flags: '--after <date>', says: 'only what was sent after', takes: 'date' },
      ...workspaceOptions,
      json('what was settled as JSON on stdout'),
      plain,
    ],
    notes: [
      'Ids, addresses, globs and axes (still[view=front]) mean jobs in doubt. One that',
      'is under way or has failed is meant by its address in full only.',
    ],
  },
  {
    name: 'adopt',
    args: '<manifest> <address> <run>',
    says: 'give a job the run id of a log',
    examples: [['genrun adopt tea.yaml clip r_81', 'the next run fetches it, unpaid']],
    options: [
      { flags: '--workflow <name>', says: 'the workflow of the run, if not the usual one' },
      ...workspaceOptions,
      json('what was adopted as JSON on stdout'),
      plain,
    ],
  },
]
