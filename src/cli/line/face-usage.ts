import { caOption, catalogOption, plain, talkOptions, verifyOption } from './options.ts'
import type { OptionUsage, Usage } from './usage-form.ts'

/** What `generate` takes beside the model's own flags. None of them is a flag of any model. */
export const generateOptions: readonly OptionUsage[] = [
  { flags: '-m, --model <id>', says: 'the model' },
  { flags: '-o, --output <path>', says: 'the file, or a folder with / at its end' },
  { flags: '--open', says: 'show the files when they are there' },
  { flags: '--check', says: 'only say what is wrong: no key, no network' },
  { flags: '--strict', says: 'warnings count as errors' },
  { flags: '--catalog <file>', says: 'models of your own, as YAML' },
  { flags: '--local', says: 'rehearse, whatever service is configured' },
  { flags: '--mode <mode>', says: 'execute or submit', values: ['execute', 'submit'] },
  { flags: '--profile <file>', says: 'how this service speaks, as YAML' },
  caOption,
  verifyOption,
  { flags: '--prices <file>', says: 'what the models cost, as YAML' },
  { flags: '--max-cost <amount>', says: 'at most so much, by the prices', takes: 'amount' },
  { flags: '--json', says: 'what became of it as JSON on stdout' },
  ...talkOptions,
  plain,
]

/** The commands around one job and around other tools. */
export const faceCommands: readonly Usage[] = [
  {
    name: 'generate',
    args: '-m <id> [flags...]',
    says: 'one job without a manifest, paid every time',
    examples: [
      ['genrun generate -m famb-v3 -p Fox -n 2', 'two images, here'],
      ['genrun generate -m famc-v3 -p Tea -o tea.mp4', 'a video by its name'],
      ['genrun generate -m fama-tts -p @a.txt -o voice/', 'a prompt in a file'],
      ['genrun generate -m famb-v4 -p -', 'a prompt from a pipe'],
    ],
    options: generateOptions,
    anyFlags: true,
    notes: [
      'Every model has its own flags: `genrun models info <id>` lists them. All work in',
      'their short form and as --kebab-case; switches also as --no-…',
      'What costs is better kept in a manifest: there nothing is paid for twice.',
    ],
  },
  {
    name: 'result',
    args: '[run]',
    says: 'fetch what `generate` paid for and did not save',
    examples: [
      ['genrun result', 'all that was killed or stopped, in this folder'],
      ['genrun result -o stills/', 'in another output folder'],
      ['genrun result r_81 -m famc-v3 -o tea.mp4', 'a run by its id, from a log'],
      ['genrun result --forget', 'give up what is in doubt here'],
    ],
    options: [
      { flags: '-m, --model <id>', says: 'the model of a run that is not known here' },
      { flags: '--workflow <name>', says: 'its workflow, if not the usual one' },
      { flags: '-o, --output <path>', says: 'the folder; with -m also the file' },
      { flags: '--forget', says: 'give up orders in doubt; they may have been paid', not: 'model' },
      catalogOption,
      { flags: '--profile <file>', says: 'how this service speaks, as YAML' },
      caOption,
      { flags: '--json', says: 'what became of it as JSON on stdout' },
      ...talkOptions,
      plain,
    ],
    notes: ['It costs nothing, however often it is done.'],
  },
  {
    name: 'gen-ai',
    args: '<word>',
    says: "lines of the service's own client",
    examples: [
      ["genrun gen-ai generate -m famb-v3 -p 'A fox' -n 2", 'its lines work'],
      ['genrun gen-ai models info famc-v3 --json', 'what one model takes'],
      ['genrun gen-ai pricing famc-v3 -d 10', 'what it costs'],
    ],
    options: [plain],
    anyFlags: true,
  },
  {
    name: 'convert',
    args: '<manifest> <address>',
    says: 'a job as a command, tool call, curl or code',
    examples: [
      ['genrun convert campaign.yaml hero', 'as `genrun generate …`'],
      ["genrun convert campaign.yaml 'still[fox]' --to curl", 'as the HTTP request'],
      ['genrun convert campaign.yaml hero --to sdk', 'as TypeScript'],
    ],
    options: [
      {
        flags: '--to <form>',
        says: 'cli (the usual one), tool, curl or sdk',
        values: ['cli', 'tool', 'curl', 'sdk'],
      },
      catalogOption,
      { flags: '--profile <file>', says: 'how this service speaks, as YAML' },
      plain,
    ],
  },
  {
    name: 'import',
    args: '<file>',
    says: 'a manifest of the jobs of other tools',
    examples: [
      ['genrun import lines.sh > campaign.yaml', 'lines of the client, or curl'],
      ['genrun import make.ts -o campaign.yaml', 'calls of the SDK'],
      ['genrun import batch.json -o campaign.yaml', '{ "defaults": …, "jobs": […] }'],
      ['genrun import shots.csv -o campaign.yaml', 'one job a row'],
    ],
    options: [
      {
        flags: '--from <form>',
        says: 'cli, tool, curl, sdk, batch or table; usually seen',
        values: ['cli', 'tool', 'curl', 'sdk', 'batch', 'table'],
      },
      { flags: '-o, --output <file>', says: 'the manifest; stdout without it' },
      catalogOption,
      plain,
    ],
  },
  {
    name: 'profile',
    says: 'how a service speaks: `genrun profile check`',
    examples: [['genrun profile check acme.profile.yaml', 'is it right?']],
    options: [plain],
  },
  {
    name: 'profile check',
    args: '<file>',
    says: 'check a profile and show what it makes',
    examples: [
      ['genrun profile check acme.profile.yaml', 'no key, no network'],
      ['genrun profile check acme.profile.yaml --model famc-v3', 'one body'],
      ['genrun profile check p.yaml --catalog models.yaml', 'of your own models'],
    ],
    options: [
      { flags: '-m, --model <id>', says: 'only this model, with the whole body' },
      { flags: '--catalog <file>', says: 'models of your own, as in a manifest' },
      { flags: '--json', says: 'the verdict and the requests as JSON on stdout' },
      plain,
    ],
  },
  {
    name: 'mcp',
    says: 'the tool server for agents, on stdio or HTTP',
    examples: [
      ['genrun mcp --max-paid 20', 'at most 20 paid requests'],
      ['genrun mcp --http', 'for clients that speak HTTP, on this machine'],
      ['genrun mcp --read-only', 'models, prices and checks; nothing is made'],
    ],
    options: [
      { flags: '--http', says: 'streamable HTTP in place of stdio' },
      { flags: '--port <port>', says: 'its port (4041); 0 takes a free one', takes: 'port' },
      { flags: '--read-only', says: 'nothing is made' },
      { flags: '--local', says: 'rehearse, whatever service is configured' },
      { flags: '-o, --output <folder>', says: 'the folder for the files' },
      { flags: '--max-paid <count>', says: 'at most so many paid requests', takes: 'paid' },
      { flags: '--max-cost <amount>', says: 'at most so much, by the prices', takes: 'amount' },
      { flags: '--prices <file>', says: 'what the models cost, as YAML' },
      catalogOption,
      { flags: '--profile <file>', says: 'how this service speaks, as YAML' },
      caOption,
      plain,
    ],
    notes: [
      'Manifests and input files are read from the current folder and below only.',
      'Caps hold for all clients of one server together, as long as it runs.',
      'Over HTTP clients must send the token of GENRUN_MCP_TOKEN; without it a random',
      'one is made and printed.',
    ],
  },
]
