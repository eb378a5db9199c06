import { command, leading } from '../flags/command.ts'
import { trustFlags, workspaceFlags } from '../flags/selections.ts'
import { serveCommand } from './serve.ts'

/** Other tools, other services, and agents. */
export const otherCommands = [
  command({
    name: 'convert',
    arguments: '<manifest> <address>',
    says: 'a job as a command, tool call, curl or code',
    examples: [
      ['genrun convert campaign.yaml hero', 'as `genrun generate …`'],
      ["genrun convert campaign.yaml 'still[fox]' --to curl", 'as the HTTP request'],
      ['genrun convert campaign.yaml hero --to sdk', 'as TypeScript'],
    ],
    flags: ['to', 'catalog', 'profile'],
    run: async (args, around, out) => (await import('../commands/convert.ts')).convert(args, around, out),
  }),
  command({
    name: 'ci-matrix',
    arguments: '<manifest>',
    says: 'the shards of a manifest as a CI matrix',
    examples: [['genrun ci-matrix campaign.yaml --shards 16', 'JSON, for GitHub Actions']],
    flags: ['shards', 'local', ...workspaceFlags],
    run: async (args, around, out) => (await import('../commands/shards.ts')).ciMatrix(args, around, out),
  }),
  command({
    name: 'shards',
    arguments: '<manifest>',
    says: 'a job of a cluster that runs every shard',
    examples: [
      ['genrun shards campaign.yaml --shards 16 --to kubernetes', 'an indexed job'],
      ['genrun shards campaign.yaml --shards 16 --to argo', 'a workflow, with the merge'],
      ['genrun shards campaign.yaml --shards 16 --to slurm', 'an array'],
    ],
    flags: ['shards', 'to'],
    saying: { to: 'kubernetes, argo or slurm' },
    offering: { to: ['kubernetes', 'argo', 'slurm'] },
    ignoresSettings: true,
    run: async (args, around, out) => (await import('../commands/shards.ts')).shards(args, around, out),
  }),
  command({
    name: 'import',
    arguments: '<file>',
    says: 'a manifest of the jobs of other tools',
    examples: [
      ['genrun import lines.sh > campaign.yaml', 'lines of the client, or curl'],
      ['genrun import make.ts -o campaign.yaml', 'calls of the SDK'],
      ['genrun import batch.json -o campaign.yaml', '{ "defaults": …, "jobs": […] }'],
      ['genrun import shots.csv -o campaign.yaml', 'one job a row'],
    ],
    flags: ['from', 'outputFile', 'catalog'],
    saying: { outputFile: 'the manifest; stdout without it' },
    run: async (args, around, out) => (await import('../commands/import.ts')).importFile(args, around, out),
  }),
  command({
    name: 'gen-ai',
    arguments: '<word>',
    says: "lines of the service's own client",
    examples: [
      ["genrun gen-ai generate -m famb-v3 -p 'A fox' -n 2", 'its lines work'],
      ['genrun gen-ai models info famc-v3 --json', 'what one model takes'],
      ['genrun gen-ai pricing famc-v3 -d 10', 'what it costs'],
    ],
    flags: [],
    anyFlags: true,
    // Its lines are read as those of genrun.
    run: () => 0,
  }),
  command({
    name: 'mcp',
    says: 'the tool server for agents, on stdio or HTTP',
    examples: [
      ['genrun mcp --max-paid 20', 'at most 20 paid requests'],
      ['genrun mcp --http', 'for clients that speak HTTP, on this machine'],
      ['genrun mcp --read-only', 'models, prices and checks; nothing is made'],
    ],
    flags: [
      'http',
      'port',
      'readOnly',
      'local',
      'output',
      'maxPaid',
      'maxCost',
      'maxTotalPaid',
      'maxTotalCost',
      'prices',
      'catalog',
      'service',
      'profile',
      ...trustFlags,
      'ca',
      'debug',
    ],
    saying: {
      port: 'its port (4041); 0 takes a free one',
      maxPaid: 'at most so many paid requests a session',
      maxCost: 'at most so much a session, by the prices',
      debug: 'each request and its answer, on stderr',
    },
    notes: [
      'Manifests and input files are read from the current folder and below only.',
      'All sessions together may spend what one may, unless --max-total-… says more.',
      'Over HTTP clients must send the token of GENRUN_MCP_TOKEN; without it a random',
      'one is made and printed.',
    ],
    orders: 'many',
    run: async (args, around, out) => (await import('../commands/mcp.ts')).mcp(args, around, out),
  }),
  serveCommand,
  leading(
    {
      name: 'profile',
      says: 'how a service speaks: `genrun profile check`',
      examples: [['genrun profile check acme.profile.yaml', 'is it right?']],
    },
    '`genrun profile check acme.profile.yaml` checks one',
  ),
  command({
    name: 'profile check',
    arguments: '<file>',
    says: 'check a profile and show what it makes',
    examples: [
      ['genrun profile check acme.profile.yaml', 'no key, no network'],
      ['genrun profile check acme.profile.yaml --model famc-v3', 'one body'],
      ['genrun profile check p.yaml --catalog models.yaml', 'of your own models'],
    ],
    flags: ['model', 'catalog', 'json'],
    saying: { model: 'only this model, with the whole body' },
    ignoresSettings: true,
    run: async (args, around, out) =>
      (await import('../commands/profile.ts')).profileCheck(args, around, out),
  }),
  leading(
    {
      name: 'catalog',
      says: 'models of your own: `genrun catalog import`',
      examples: [['genrun catalog import openapi.json', 'a draft of its models']],
    },
    '`genrun catalog import openapi.json` drafts one',
  ),
  command({
    name: 'catalog import',
    arguments: '<file> [names...]',
    says: 'models of an OpenAPI document, as a draft',
    examples: [
      ['genrun catalog import openapi.json', 'every operation that takes a body'],
      ['genrun catalog import api.yaml PaintInput -o acme.catalog.yaml', 'one'],
    ],
    flags: ['outputFile'],
    saying: { outputFile: 'the catalog; stdout without it' },
    notes: [
      'A name is that of a component or of an operation. What cannot be read stands in',
      'comments, beside what a profile has to say. Nothing is fetched.',
    ],
    ignoresSettings: true,
    run: async (args, around, out) =>
      (await import('../commands/catalog.ts')).catalogImport(args, around, out),
  }),
  leading(
    {
      name: 'lock',
      says: 'tools for the lock: `genrun lock merge`',
      examples: [['genrun lock merge --install', 'git merges locks job by job']],
    },
    '`genrun lock merge --install` teaches git to merge locks',
  ),
  command({
    name: 'lock merge',
    arguments: '[files...]',
    says: 'merge two locks job by job, for git',
    examples: [
      ['genrun lock merge --install', 'sets it up in this repository'],
      ['genrun lock merge %O %A %B', 'how git calls it'],
    ],
    flags: ['install'],
    ignoresSettings: true,
    run: async (args, around, out) =>
      (await import('../commands/lock-merge.ts')).lockMerge(args, around, out),
  }),
]
