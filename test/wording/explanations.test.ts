import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { type Code, codes } from '../../src/base/codes.ts'
import type { Diagnostic } from '../../src/base/diagnostic.ts'
import { modelIds } from '../../src/catalog/index.ts'
import { main } from '../../src/cli/main.ts'
import { readSettings } from '../../src/cli/settings/read.ts'
import { readPrices } from '../../src/forms/prices.ts'
import { readBackend } from '../../src/gateway/runs/backend-file.ts'
import { checkManifest } from '../../src/manifest/check.ts'
import { readProfile } from '../../src/wire/profile/profile-file.ts'
import { rows } from '../../src/wording/explanations.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'
import { mediaFile, projectOf } from '../manifest/project.ts'

const below = (text: string, spaces: number) =>
  text
    .split('\n')
    .map(line => ' '.repeat(spaces) + line)
    .join('\n')

const tea = 'model: fama-imagine-image, prompt: Tea'
const job = (more: string) => (text: string) => `jobs:\n  hero:\n${below(more, 4)}\n${below(text, 4)}\n`

/** Where a fragment of a manifest may stand. */
const places: readonly ((text: string) => string)[] = [
  text => text,
  text => `${text}\njobs:\n  hero: { ${tea} }\n`,
  text => `jobs:\n${below(text, 2)}\n`,
  text => `jobs:\n  hero:\n${below(text, 4)}\n`,
  job('model: fama-imagine-image'),
  job('prompt: Tea'),
  ...modelIds.map(model => job(`model: ${model}\nprompt: Tea`)),
  text => `jobs:\n${below(text.replaceAll(': {', `: { ${tea},`), 2)}\n`,
  text =>
    `jobs:\n${below(text.replaceAll(/: {(?! model| prompt)/g, ': { prompt: Tea,').replaceAll(': {', ': { model: fama-imagine-image,'), 2)}\n`,
  text => `jobs:\n${below(text.replaceAll(': {', ': { model: famb-v3, prompt: Tea,'), 2)}\n`,
  text =>
    `jobs:\n  still: { ${tea}, matrix: { colour: [red, blue] } }\n  clip: { model: famb-v3, prompt: Tea, ${text.split(' #')[0]} }\n`,
  job('model: famc-v3\nprompt: Tea ${{ colour }}\nmatrix: { colour: [red, blue] }'),
  text =>
    `jobs:\n  hero: { ${tea} }\n  clip: { model: famc-v3, prompt: Tea, startFrame: '${text.split(' #')[0]}' }\n`,
  text =>
    `jobs:\n  voice: { model: fama-tts, text: Hello, voice: ara }\n  clip:\n    model: famc-v3\n    prompt: Tea\n${below(text, 4)}\n`,
]

/** What is said of an example wherever it may be meant to stand. */
function codesOf(example: string): Set<Code> {
  const file = { name: 'example.yaml', text: example }
  const manifests = places.map(place =>
    checkManifest({ name: 'm.yaml', text: place(example) }, projectOf(files)),
  )
  const all: readonly (readonly Diagnostic[])[] = [
    ...manifests.map(({ problems }) => problems),
    ...(['project', 'user'] as const).map(
      of => readSettings({ file, folder: '/p', root: '/p', of }).problems,
    ),
    readPrices(file).problems,
    readBackend(file).problems,
    readProfile(file, []).problems,
  ]
  return new Set(all.flat().map(({ code }) => code))
}

/** Files that examples speak of. */
const files = {
  'photos/huge.png': mediaFile('png', 62_000_000),
  'photos/tea.png': mediaFile('png'),
  'secret.txt': 'x',
  'style.md': 'in the ${{ vars.brand }} style',
  photos: { is: 'folder' },
  '.private/a.png': { is: 'hidden' },
  '../../secret.png': { is: 'outside' },
  'lines.csv': 'name\nfox,red\n',
  'products.csv': 'sku,name\n1,Fox\n1,Hare\n',
} as const

const isCommand = (example: string) => /^(genrun|gen-ai|[A-Z_]+=|mv|rm) ?/.test(example)

/** What takes a disk, a service, a size or a second file to bring about, and is described. */
const described: ReadonlySet<Code> = new Set<Code>([
  'alias-bomb',
  'aspect-mismatch',
  'bad-input',
  'bad-row',
  'bad-selector',
  'bad-service',
  'byte-order-mark',
  'circular-include',
  'contradiction',
  'damaged',
  'file-in-the-way',
  'fits-no-cell',
  'input-too-large',
  'key-in-lock',
  'key-in-manifest',
  'key-in-profile',
  'many-again',
  'missing-key',
  'needs',
  'no-cell',
  'no-effect',
  'not-one-file',
  'not-prices',
  'not-served',
  'not-text',
  'output-folder',
  'overdue',
  'reference-too-long',
  'rejected-content',
  'short-delivery',
  'too-deep',
  'too-large',
  'too-long',
  'too-many-errors',
  'too-many-jobs',
  'too-many-needs',
  'unknown-axis',
  'unknown-service',
  'unknown-value',
  'unreadable-file',
  'upload-origin',
])

describe('an example of `genrun explain` gives its code', () => {
  test.each(codes.filter(code => !isCommand(rows[code][1]) && !described.has(code)))('%s', code => {
    expect(codesOf(rows[code][1])).toContain(code)
  })
})

test('what is only described cannot be tried', () => {
  expect([...described].filter(code => codesOf(rows[code][1]).has(code))).toEqual([])
})

/** Commands that come to it only with a service, an earlier run, a second process, or a disk that is full; and names of files. */
const describedCommands: ReadonlySet<Code> = new Set<Code>([
  'altered',
  'bad-media',
  'bad-outputs',
  'bad-reply',
  'bad-run-id',
  'budget',
  'busy',
  'closed',
  'failed',
  'gone',
  'has-a-run',
  'on-hold',
  'in-doubt',
  'left-verdicts',
  'internal',
  'left-behind',
  'left-out',
  'lock-of-another',
  'lost-records',
  'many-jobs',
  'missing',
  'no-credit',
  'no-such-lock',
  'no-workflow',
  'odd-base-url',
  'other-service',
  'owed-elsewhere',
  'port-denied',
  'port-taken',
  'refused',
  'remote',
  'renamed-manifest',
  'run-taken',
  'settings-not-read',
  'stopped',
  'unauthorized',
  'unconfirmed',
  'undelivered',
  'unindexed',
  'unknown-cost',
  'unknown-run',
  'unlike-asked',
  'unmerged-shards',
  'unreachable',
  'unreadable',
  'unreadable-input',
  'unreadable-settings',
  'unsaved',
  'unsaved-report',
  'unshared',
  'untracked',
  'untrusted-gates',
  'untrusted-prices',
  'untrusted-profile',
])

/** What beside `campaign.yaml` lies in the folder where commands are tried. */
const beside = {
  'job.js': "genrun.generate('fama-imagine-image', { prompt: makePrompt() })\n",
  'key.pem': 'no certificate',
  'notes.txt': 'Buy tea.\n',
  'photos/tea.png': '',
  'prices.yaml': 'currency: USD\nmodels: { fama-imagine-image: { perImage: 1 } }\n',
  'campaign.yaml': `jobs:
  hero: { ${tea}, takes: 2 }
  poster: { ${tea}, count: 2 }
`,
}

/** Codes that come only where a service is named. It is asked nothing: nobody listens there. */
const atService: ReadonlySet<Code> = new Set<Code>([
  'bad-base-url',
  'bad-ca',
  'bad-key-file',
  'bad-origin',
  'bad-proxy',
  'bad-run',
  'two-keys',
  'unchecked-certificates',
])

/** What is said when the first line of its example is typed, up to what is meant. */
async function saidTo(code: Code): Promise<string> {
  const cwd = freshFolder(beside)
  const [line = ''] = rows[code][1].replaceAll('…', 'k3y').split(/\n| #/)
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
  const set = words.filter(word => /^[A-Z_]+=/.test(word))
  const own: { [name: string]: string } = Object.fromEntries(set.map(word => word.split('=')))
  const service = {
    GENRUN_BASE_URL: 'https://127.0.0.1:9/gw-v2',
    ...(!own.GENRUN_API_KEY_FILE && { GENRUN_API_KEY: 'k3y' }),
  }
  const env = { ...(atService.has(code) && service), ...own }
  const around = fakeSurroundings({ cwd, env, clock: systemClock })
  await main(
    [...words.slice(set.length + 1), ...(words.length > set.length ? [] : ['campaign.yaml'])],
    around,
  )
  return around.stdout.text() + around.stderr.text()
}

describe('a command of `genrun explain` gives its code', () => {
  test.each(codes.filter(code => isCommand(rows[code][1]) && !describedCommands.has(code)))(
    '%s',
    async code => {
      expect(await saidTo(code)).toContain(`[${code}]`)
    },
  )
})
