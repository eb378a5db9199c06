import { exit } from '../../base/exit.ts'
import type { ModelInfo, ParamInfo } from '../../forms/info.ts'
import type { Tool } from '../../mcp/tool.ts'
import type { KeyAbout, Language } from '../../verbs/language.ts'
import { exits } from '../../wording/outcomes.ts'
import type { Usage } from './command.ts'

/** What a guide is made of: nothing in it is written twice. */
interface GuideParts {
  readonly version: string
  readonly commands: readonly Usage[]
  readonly language: Language
  readonly models: readonly ModelInfo[]
  readonly tools: readonly Pick<Tool, 'name' | 'description'>[]
  readonly starter: string
}

/** A page in Markdown for somebody who is to work with genrun and has never seen it: an agent, above all. */
export function guideText({ version, commands, language, models, tools, starter }: GuideParts): string {
  return [
    `# genrun ${version}`,
    'genrun makes images, video, audio and speech from a manifest (YAML): jobs in, files and a lock out. Every job costs money, and what was made is not paid for again. This page is for exactly this version.',
    '## Rules',
    rules,
    '## Steps',
    steps,
    '## A manifest',
    yaml(starter),
    'What else a manifest can do:',
    yaml(larger),
    "Expressions know `vars`, `matrix`, `item`, `job` (its `id` and `key`), files of other jobs as above (`jobs.still['fox,1:1'].output` is one cell, `.outputs` all files, `.outputs[1]` the second), and these functions:",
    language.functions.map(each => `- ${code(each)}`).join('\n'),
    'Keys of the manifest:',
    keyList(language.top),
    "A job's own keys; everything else in a job is a parameter of its model:",
    keyList(language.job),
    '## Models',
    'Parameters by model; `!` is required, `=` is the default. `genrun models info <id>` shows one with all its values, `--json` for a program.',
    models.map(modelLine).join('\n'),
    '## Commands',
    commandList(commands),
    '## Exit codes',
    exitList(),
    '## Tools',
    '`genrun mcp` serves these to an agent on stdio, `genrun mcp --http` on this machine over HTTP; `--read-only` leaves out what makes something, `--max-paid` and `--max-cost` bound what it may spend.',
    tools.map(({ name, description }) => `- ${code(name)}: ${description}`).join('\n'),
  ].join('\n\n')
}

const rules = [
  '- Say what it will cost before it is bought: `genrun plan <manifest>` lists each order, and sends nothing. Give `--max-paid` or `--max-cost`.',
  '- Rehearse first: `--local` makes placeholders of the right size and length, offline, and nothing is paid.',
  '- Never give `--rebuy`, `redo`, `--resubmit`, `--abandon` or `--forget` unless the person who pays asked for it: each may pay twice or give up what is paid.',
  '- Exit 3 is a paid request of which nobody knows what became: stop, show it, and ask. Exit 4 is not finished: the same command goes on, pays nothing twice, and orders what was not ordered yet, under a cap of its own.',
  '- Do not delete `<name>.lock.json` or `.genrun/`: they are the proof of what was paid. Commit the lock.',
  '- The key is read from `GENRUN_API_KEY` or `GENRUN_API_KEY_FILE`; never write it into a file or a command line.',
].join('\n')

const steps = [
  '1. `genrun models <words>` and `genrun models info <id>`: choose.',
  '2. Write the manifest; `genrun validate <manifest> --json` until nothing is wrong. `genrun explain <code>` says what a code means.',
  '3. `genrun <manifest> --local`: look at the placeholders in `out/<name>.preview`.',
  '4. `genrun plan <manifest>`: show it to the person who pays.',
  '5. `genrun <manifest> --max-paid <n> --json`: make it; the files are in `out/<name>`.',
  '6. Run it again after any trouble: what is done is kept, what is under way is fetched.',
].join('\n')

/** What the starter does not show. A test validates every manifest of the guide. */
const larger = `vars:
  look: soft light, \${{ vars.season }}        # \`genrun run … --var season=winter\` sets it
  season: autumn
jobs:
  still:
    matrix:                                  # one job per combination: still[fox,1:1], …
      animal: [fox, hare]
      ratio: ['1:1', '16:9']
      exclude: [{ animal: hare, ratio: '16:9' }]
    model: fama-imagine-image
    prompt: A \${{ matrix.animal }}, \${{ vars.look }}
    aspectRatio: \${{ matrix.ratio }}
    output: stills/\${{ matrix.animal }}_\${{ slug(matrix.ratio) }}
  clip:
    matrix: \${{ jobs.still.matrix }}          # the same cells
    model: famc-v3-turbo
    prompt: Slow push-in
    startFrame: \${{ jobs.still.output }}      # of the same cell; it waits for it
  poster:
    model: fama-imagine-image-2.0
    prompt: A poster
    takes: 3                                 # three results; \`genrun pick\` chooses one
  motion:
    model: famc-v3-turbo
    prompt: It comes alive
    startFrame: \${{ jobs.poster.pick }}       # waits until a person has picked
  voice:
    forEach: [Good morning, Good night]      # or a csv, tsv, json, jsonl or yaml file, or a glob
    model: fama-tts
    prompt: \${{ item }}
`

function keyList(keys: readonly KeyAbout[]): string {
  return keys.map(({ name, says }) => `- ${code(name)}: ${says}`).join('\n')
}

function modelLine({ id, name, modes, mode, params }: ModelInfo): string {
  return `- ${code(id)} (${name}; ${modes.join(', ')}; ${mode}): ${params.map(paramText).join(', ')}`
}

function paramText({ name, required, default: standard }: ParamInfo): string {
  if (required) return `${name}!`
  return standard === undefined ? name : `${name}=${String(standard)}`
}

function commandList(commands: readonly Usage[]): string {
  return commands
    .map(
      ({ name, arguments: words, says }) =>
        `- ${code(['genrun', name, words].filter(Boolean).join(' '))}: ${says}`,
    )
    .join('\n')
}

function exitList(): string {
  return Object.entries(exits)
    .map(([name, [about]]) => `- ${exit[name as keyof typeof exit]}: ${about}`)
    .join('\n')
}

function yaml(text: string): string {
  return `\`\`\`yaml\n${text.trim()}\n\`\`\``
}

function code(text: string): string {
  return `\`${text}\``
}
