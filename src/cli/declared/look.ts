import { command } from '../flags/command.ts'
import {
  cacheFlags,
  looking,
  manifestFlags,
  moneyFlags,
  reportFlags,
  selectFlags,
  trustFlags,
  workspaceFlags,
} from '../flags/selections.ts'

const [, ...reportFiles] = reportFlags

/** What only looks: at what was made, and at what was written down. */
export const lookCommands = [
  command({
    name: 'report',
    arguments: '<manifest> [jobs...]',
    says: 'a page with all prompts, costs and files',
    examples: [
      ['genrun report campaign.yaml', 'writes out/campaign/report.html'],
      ['genrun report campaign.yaml --local', 'of the rehearsal'],
      ['genrun report campaign.yaml --junit r.xml', 'and how the jobs stand'],
      ['genrun report campaign.yaml --sheet s.png', 'and one picture of all'],
      ['genrun report campaign.yaml --single-file c.html', 'one file, to send'],
    ],
    flags: [
      'local',
      'output',
      ...manifestFlags,
      'prices',
      ...reportFiles,
      'sheetFile',
      'singleFile',
      'approved',
      'json',
    ],
    saying: looking,
    notes: [
      'It lies beside the files and shows them from there; no key and no network. With',
      'ids, addresses and globs, or --approved, it has those only. What somebody',
      'decides on it is saved as a file, which genrun review --take applies.',
    ],
    run: async (args, around, out) => (await import('../commands/report.ts')).report(args, around, out),
  }),
  command({
    name: 'review',
    arguments: '<manifest>',
    says: 'a page to judge results on: compare, pick, reject, re-roll',
    examples: [
      ['genrun review campaign.yaml', 'open the address that it prints'],
      ['genrun review campaign.yaml --as Lead', 'whose verdicts they are'],
      ['genrun review campaign.yaml --read-only', 'only to look at'],
      ['genrun review campaign.yaml --take v.json', 'what a customer decided'],
    ],
    flags: [
      'port',
      'reviewer',
      'takeFile',
      'readOnly',
      'local',
      'output',
      ...manifestFlags,
      'profile',
      ...moneyFlags,
      ...cacheFlags,
      ...trustFlags,
      'ca',
      'verify',
      'gate',
    ],
    saying: {
      ...looking,
      port: 'its port (4042, or a free one); 0 takes a free one',
      readOnly: 'nothing is decided and nothing is bought',
      maxPaid: 'at most so many paid requests an order',
      maxCost: 'at most so much an order, by the prices',
    },
    notes: [
      'The page is on this machine alone, behind a random token, and true while a run',
      'goes on. Verdicts go to <name>.review.json beside the lock: commit it. Nothing',
      'is bought before its amount was shown and confirmed.',
      '--take serves no page: it applies verdicts of a file, as far as they still fit.',
    ],
    orders: 'many',
    run: async (args, around, out) => (await import('../commands/review.ts')).review(args, around, out),
  }),
  command({
    name: 'audit',
    arguments: '<manifest>',
    says: 'where every file came from, and who judged it',
    examples: [
      ['genrun audit campaign.yaml', 'a line a file'],
      ['genrun audit campaign.yaml --csv > a.csv', 'all that is known of each'],
      ['genrun audit campaign.yaml --copies public', 'marked, with records beside'],
    ],
    flags: ['csv', 'copiesFolder', 'local', 'output', ...manifestFlags, 'prices', 'json'],
    saying: looking,
    notes: [
      'Copies of PNG, JPEG, WebP, MP4, WAV and MP3 say in XMP that a trained algorithm',
      'made them (IPTC). A signed file (C2PA) is copied as it is. No key, no network.',
    ],
    run: async (args, around, out) => (await import('../commands/audit.ts')).audit(args, around, out),
  }),
  command({
    name: 'why',
    arguments: '<manifest> <address>',
    says: 'one job: what is done, why, and its recipe',
    examples: [
      ['genrun why campaign.yaml hero', 'every value, and its origin'],
      ['genrun why campaign.yaml still[fox,front]', 'one cell'],
    ],
    flags: ['local', 'output', ...manifestFlags, 'prices', 'json'],
    saying: looking,
    run: async (args, around, out) => (await import('../commands/why.ts')).why(args, around, out),
  }),
  command({
    name: 'graph',
    arguments: '<manifest> [jobs...]',
    says: 'jobs and what flows between them',
    examples: [
      ['genrun graph campaign.yaml', 'Mermaid, for a page'],
      ['genrun graph campaign.yaml --form dot', 'for Graphviz'],
    ],
    flags: ['form', 'local', ...selectFlags],
    saying: looking,
    run: async (args, around, out) => (await import('../commands/graph.ts')).graph(args, around, out),
  }),
  command({
    name: 'verify',
    arguments: '<manifest>',
    says: 'do manifest, inputs, lock and files agree?',
    examples: [
      ['genrun verify campaign.yaml', 'exit 8 if not; no key, no network'],
      ['genrun verify campaign.yaml --allow missing', 'files may be elsewhere'],
    ],
    flags: ['allow', 'local', 'output', ...manifestFlags, 'continues', ...reportFiles, 'json'],
    saying: looking,
    run: async (args, around, out) => (await import('../commands/verify.ts')).verify(args, around, out),
  }),
  command({
    name: 'status',
    arguments: '<manifest>',
    says: 'what is open or in doubt, and what to do',
    examples: [
      ['genrun status campaign.yaml', 'needs no key and no network'],
      ['genrun status campaign.yaml --json', 'for a script'],
    ],
    flags: ['local', 'fleet', ...workspaceFlags, 'continues', 'json'],
    saying: { ...looking, fleet: 'what the workers of GENRUN_STORE are at' },
    run: async (args, around, out) =>
      args.fleet
        ? (await import('../commands/work.ts')).fleetStatus(args, around, out)
        : (await import('../commands/status.ts')).status(args, around, out),
  }),
  command({
    name: 'journal',
    arguments: '<manifest>',
    says: 'what was written down when it was ordered',
    examples: [
      ['genrun journal campaign.yaml', 'every record, a line each'],
      ['genrun journal campaign.yaml --json', 'as they stand, for a bug report'],
    ],
    flags: ['local', 'json'],
    saying: looking,
    notes: ['It reads, and touches nothing; the manifest need not be right.'],
    run: async (args, around, out) => (await import('../commands/journal.ts')).journal(args, around, out),
  }),
]
