import { cpSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Bench, manifestName, paidAt, pixel } from '../verbs/bench.ts'
import { type Edit, expectAgreement, madeOnce, nothing } from '../verbs/made.ts'

const manifest = `name: shop
vars:
  style: on wet slate
defaults:
  aspectRatio: '1:1'
limits: { execute: 4 }
jobs:
  hero:
    model: fama-imagine-image
    prompt: A teapot \${{ vars.style }}
    tags: [shop]
  still:
    model: famb-v3
    prompt: The teapot of the photo
    imageUrls: photo.png
    style: REALISTIC
  edit:
    model: famb-character
    prompt: The same teapot in blue
    imageUrls: \${{ jobs.hero.output }}
  rain:
    model: famc-t2a
    prompt: Rain on a roof
    duration: 3
`

const shop = madeOnce(manifest, 4, {
  'photo.png': pixel,
  'other.png': Buffer.concat([pixel, Buffer.from('x')]),
})

const inManifest = (from: string, to: string) => (bench: Bench) => bench.edit(manifestName, from, to)

/** As if another machine, and a service that gives no ids, had made it. */
function forgetRuns(bench: Bench): void {
  bench.remove('.genrun')
  bench.write('m.lock.json', bench.read('m.lock.json').replaceAll(/,"run":\{[^}]*\}/g, ''))
}

const editAnew = 'buy edit: imageUrls: hero is made anew'

const edits: readonly (readonly [string, Edit])[] = [
  ['nothing is done', { edit: () => undefined, ...nothing }],
  [
    'the jobs are reordered',
    {
      edit: bench => {
        const [head = '', ...jobs] = manifest.split(/^(?= {2}(?:hero|still|edit|rain):)/m)
        bench.write(manifestName, head + jobs.toReversed().join(''))
      },
      ...nothing,
    },
  ],
  [
    'the keys of a job are reordered',
    {
      edit: inManifest(
        '    prompt: Rain on a roof\n    duration: 3',
        '    duration: 3\n    prompt: Rain on a roof',
      ),
      ...nothing,
    },
  ],
  [
    'a text is quoted',
    { edit: inManifest('prompt: Rain on a roof', 'prompt: "Rain on a roof"'), ...nothing },
  ],
  [
    'a text is quoted in another way',
    { edit: inManifest('prompt: Rain on a roof', "prompt: 'Rain on a roof'"), ...nothing },
  ],
  [
    'a text becomes a block',
    { edit: inManifest('prompt: Rain on a roof', 'prompt: >\n      Rain\n      on a roof'), ...nothing },
  ],
  ['a comment is added', { edit: inManifest('duration: 3', 'duration: 3 # seconds'), ...nothing }],
  ['empty lines are added', { edit: inManifest('  rain:', '\n\n  rain:'), ...nothing }],
  [
    'a value moves into an anchor',
    { edit: inManifest('duration: 3', 'duration: &short 3\nx-short: *short'), ...nothing },
  ],
  [
    'a mapping is written in flow style',
    {
      edit: inManifest(
        '  rain:\n    model: famc-t2a\n    prompt: Rain on a roof\n    duration: 3\n',
        '  rain: { model: famc-t2a, prompt: Rain on a roof, duration: 3 }\n',
      ),
      ...nothing,
    },
  ],
  ['a whole number gets a point', { edit: inManifest('duration: 3', 'duration: 3.0'), ...nothing }],
  [
    'the ends of lines change',
    { edit: bench => bench.write(manifestName, manifest.replaceAll('\n', '\r\n')), ...nothing },
  ],
  [
    'a default of the catalog is spelled out',
    {
      edit: inManifest('style: REALISTIC', 'style: REALISTIC\n    count: 1\n    imageWeight: 50'),
      ...nothing,
    },
  ],
  [
    'a value moves from the job to the defaults',
    {
      edit: bench => {
        bench.edit(manifestName, '    duration: 3\n', '')
        bench.edit(manifestName, "  aspectRatio: '1:1'", "  aspectRatio: '1:1'\n  duration: 3")
      },
      ...nothing,
    },
  ],
  [
    'a value moves from the defaults to the job',
    {
      edit: bench => {
        bench.edit(manifestName, "defaults:\n  aspectRatio: '1:1'\n", '')
        bench.edit(manifestName, 'tags: [shop]', "tags: [shop]\n    aspectRatio: '1:1'")
        bench.edit(manifestName, 'style: REALISTIC', "style: REALISTIC\n    aspectRatio: '1:1'")
      },
      ...nothing,
    },
  ],
  [
    'a variable is written out',
    {
      edit: bench => {
        bench.edit(manifestName, '${{ vars.style }}', 'on wet slate')
        bench.edit(manifestName, 'vars:\n  style: on wet slate\n', '')
      },
      ...nothing,
    },
  ],
  ['tags change', { edit: inManifest('tags: [shop]', 'tags: [web, hero]'), ...nothing }],
  [
    'a description is added',
    { edit: inManifest('duration: 3', 'duration: 3\n    description: for the shop'), ...nothing },
  ],
  ['limits change', { edit: inManifest('execute: 4', 'execute: 2, submit: 3'), ...nothing }],
  [
    'retries and timeout change',
    { edit: inManifest('duration: 3', 'duration: 3\n    retries: 2\n    timeout: 10m'), ...nothing },
  ],
  [
    'a lint is switched off',
    { edit: inManifest('duration: 3', 'duration: 3\n    lint: [no-effect]'), ...nothing },
  ],
  [
    'the mode of a job changes',
    { edit: inManifest('duration: 3', 'duration: 3\n    mode: execute'), ...nothing },
  ],
  ['an input is touched', { edit: bench => utimesSync(join(bench.folder, 'photo.png'), 1, 1), ...nothing }],
  [
    'an input is renamed',
    {
      edit: bench => {
        cpSync(join(bench.folder, 'photo.png'), join(bench.folder, 'tea.png'))
        bench.remove('photo.png')
        bench.edit(manifestName, 'photo.png', 'tea.png')
      },
      ...nothing,
    },
  ],
  [
    'an output is touched',
    { edit: bench => utimesSync(join(bench.folder, 'out/shop/hero.png'), 1, 1), ...nothing },
  ],
  [
    'the lock gets other ends of lines',
    {
      edit: bench => bench.write('m.lock.json', bench.read('m.lock.json').replaceAll('\n', '\r\n')),
      ...nothing,
    },
  ],
  ['the state is gone, the lock is there', { edit: bench => bench.remove('.genrun'), ...nothing }],
  ['the lock is gone, the journal is there', { edit: bench => bench.remove('m.lock.json'), ...nothing }],
  [
    'the lock is an older one',
    {
      edit: bench => {
        const lines = bench.read('m.lock.json').split('\n')
        bench.write('m.lock.json', lines.filter(line => !line.includes('"address":"rain"')).join('\n'))
      },
      ...nothing,
    },
  ],
  [
    'a job is renamed',
    {
      edit: inManifest('  rain:', '  drizzle:'),
      steps: ['adopt drizzle: the same as rain, which is no longer wanted'],
      paid: 0,
    },
  ],
  [
    'an output path changes',
    {
      edit: inManifest('duration: 3', 'duration: 3\n    output: sounds/rain'),
      steps: ['adopt rain: its files get other names'],
      paid: 0,
    },
  ],
  [
    'two outputs swap their names',
    {
      edit: bench => {
        bench.edit(manifestName, 'tags: [shop]', 'output: still')
        bench.edit(manifestName, 'style: REALISTIC', 'style: REALISTIC\n    output: hero')
      },
      steps: ['adopt hero: its files get other names', 'adopt still: its files get other names'],
      paid: 0,
    },
  ],
  [
    'a job is removed',
    {
      edit: inManifest('  rain:\n    model: famc-t2a\n    prompt: Rain on a roof\n    duration: 3\n', ''),
      steps: ['drop rain: no longer in the manifest; its files stay until `genrun prune m.yaml`'],
      paid: 0,
      stays: true,
    },
  ],
  [
    'a job is added',
    {
      edit: inManifest('  rain:\n', '  wind: { model: famc-t2a, prompt: Wind }\n  rain:\n'),
      steps: ['buy wind: not made yet'],
      paid: 1,
    },
  ],
  [
    'a job is copied under another name',
    {
      edit: inManifest(
        '  rain:\n',
        '  twin: { model: famc-t2a, prompt: Rain on a roof, duration: 3 }\n  rain:\n',
      ),
      steps: ['buy twin: not made yet'],
      paid: 1,
    },
  ],
  [
    'a job gets a second take',
    {
      edit: inManifest('duration: 3', 'duration: 3\n    takes: 2'),
      steps: ['buy rain#2: not made yet'],
      paid: 1,
    },
  ],
  [
    'a prompt changes',
    {
      edit: inManifest('Rain on a roof', 'Rain on a lake'),
      steps: ['buy rain: prompt Rain on a roof → Rain on a lake (m.yaml:23)'],
      paid: 1,
    },
  ],
  [
    'one letter of a prompt changes its case',
    {
      edit: inManifest('Rain on', 'rain on'),
      steps: ['buy rain: prompt Rain on a roof → rain on a roof (m.yaml:23)'],
      paid: 1,
    },
  ],
  [
    'a number changes',
    {
      edit: inManifest('duration: 3', 'duration: 3.5'),
      steps: ['buy rain: duration 3 → 3.5 (m.yaml:24)'],
      paid: 1,
    },
  ],
  [
    'a parameter is removed',
    { edit: inManifest('    duration: 3\n', ''), steps: ['buy rain: duration 3 → 5 (m.yaml:21)'], paid: 1 },
  ],
  [
    'a parameter is added',
    {
      edit: inManifest('style: REALISTIC', 'style: REALISTIC\n    negativePrompt: mud'),
      steps: ['buy still: negativePrompt mud added (m.yaml:17)'],
      paid: 1,
    },
  ],
  [
    'a value of the defaults changes',
    {
      edit: inManifest("aspectRatio: '1:1'", "aspectRatio: '16:9'"),
      steps: [
        'buy hero: aspectRatio 1:1 → 16:9 (m.yaml:5)',
        'buy still: aspectRatio 1:1 → 16:9 (m.yaml:5)',
        editAnew,
      ],
      paid: 3,
    },
  ],
  [
    'a model changes',
    {
      edit: inManifest('model: fama-imagine-image', 'model: fama-imagine-image-quality'),
      steps: ['buy hero: model fama-imagine-image → fama-imagine-image-quality (m.yaml:9)', editAnew],
      paid: 2,
    },
  ],
  [
    'a variable changes, and with it what depends on it',
    {
      edit: inManifest('style: on wet slate', 'style: on oak'),
      steps: ['buy hero: prompt A teapot on wet slate → A teapot on oak (m.yaml:10)', editAnew],
      paid: 2,
    },
  ],
  [
    'one byte of an input changes',
    {
      edit: bench =>
        bench.write('photo.png', bench.read('other.png') && Buffer.concat([pixel, Buffer.from('y')])),
      steps: ['buy still: imageUrls: the file changed (m.yaml:15)'],
      paid: 1,
    },
  ],
  [
    'another input is named',
    {
      edit: inManifest('photo.png', 'other.png'),
      steps: ['buy still: imageUrls: the file changed (m.yaml:15)'],
      paid: 1,
    },
  ],
  [
    'a reference becomes a file',
    {
      edit: inManifest('${{ jobs.hero.output }}', 'photo.png'),
      steps: ['buy edit: imageUrls: the file changed (m.yaml:20)'],
      paid: 1,
    },
  ],
  [
    'an output is deleted, and its run is known',
    {
      edit: bench => bench.remove('out/shop/rain.wav'),
      steps: ['fetch rain: gone from disk: rain.wav'],
      paid: 0,
    },
  ],
  [
    'an output is deleted, and there is no run',
    {
      edit: bench => {
        forgetRuns(bench)
        bench.remove('out/shop/still.png')
      },
      steps: ['hold still: its files are gone (still.png) and cannot be fetched; --rebuy pays again'],
      paid: 0,
      exit: 4,
      stays: true,
    },
  ],
  [
    'an output is deleted, and the user wants to pay again',
    {
      edit: bench => {
        forgetRuns(bench)
        bench.remove('out/shop/still.png')
      },
      choices: { rebuy: true },
      steps: ['buy still: asked for by --rebuy'],
      paid: 1,
    },
  ],
  [
    'all outputs are deleted',
    {
      edit: bench => {
        forgetRuns(bench)
        rmSync(join(bench.folder, 'out'), { recursive: true })
      },
      steps: [
        'hold hero: its files are gone (hero.png) and cannot be fetched; --rebuy pays again',
        'hold still: its files are gone (still.png) and cannot be fetched; --rebuy pays again',
        'hold edit: its files are gone (edit.png) and cannot be fetched; --rebuy pays again',
        'hold rain: its files are gone (rain.wav) and cannot be fetched; --rebuy pays again',
      ],
      paid: 0,
      exit: 4,
      stays: true,
    },
  ],
  [
    'an output is altered',
    {
      edit: bench => bench.write('out/shop/still.png', 'altered'),
      steps: ['keep still: altered since it was made, and left as it is: still.png'],
      paid: 0,
      stays: true,
    },
  ],
  [
    'the output folder gets another name',
    {
      edit: bench => {
        cpSync(join(bench.folder, 'out/shop'), join(bench.folder, 'media'), { recursive: true })
        bench.edit(manifestName, 'name: shop', 'name: shop\noutput: media')
      },
      ...nothing,
    },
  ],
]

describe('an edit buys what it changes, and nothing else', () => {
  test.each(edits)('%s', (_, edit) => expectAgreement(shop, edit))
})

describe('a damaged lock never buys', () => {
  const damages: readonly (readonly [string, (text: string) => string | Uint8Array])[] = [
    ['is empty', () => ''],
    ['is cut', text => text.slice(0, text.length / 2)],
    ['holds a conflict', text => text.replace('\n', '\n<<<<<<< ours\n=======\n>>>>>>> theirs\n')],
    ['is that of another manifest', text => text.replace('"manifest":"m.yaml"', '"manifest":"n.yaml"')],
    ['is UTF-16', text => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['is no lock', () => '{"jobs":[]}'],
    [
      'has a digest that cannot be one',
      text => text.replace(/"digest":"sha256:[0-9a-f]{64}/, '"digest":"sha256:0'),
    ],
  ]
  test.each(damages)('when it %s', async (_, damage) => {
    const bench = shop.copy()
    bench.write('m.lock.json', damage(bench.read('m.lock.json')))
    bench.write('n.yaml', bench.read(manifestName))
    const counted = paidAt(shop.gateway)
    expect(() => bench.plan()).toThrow('damaged')
    expect((await bench.run()).got).toBe('damaged')
    expect(paidAt(shop.gateway)).toBe(counted)
  })
})

test('a lost lock is written anew though nothing is to do, and one that says the same is left alone', async () => {
  const bench = shop.copy()
  const lock = bench.read('m.lock.json')
  bench.remove('m.lock.json')
  await bench.run()
  expect(bench.read('m.lock.json')).toBe(lock)
  const isLock = (line: string) => line.startsWith('m.lock.json ')
  const before = bench.snapshot().filter(isLock)
  await bench.run()
  expect(bench.snapshot().filter(isLock)).toEqual(before)
})

test.each([
  [
    'the marks of a conflict',
    '<<<<<<< ours\n',
    /^`genrun recover m\.yaml` puts both sides together and buys nothing; one side alone buys again /,
  ],
  ['a line that is none', 'x\n', /^put it back from version control, /],
])('a lock with %s says what puts it right', async (_, line, hint) => {
  const bench = shop.copy()
  bench.write('m.lock.json', bench.read('m.lock.json').replace('\n', `\n${line}`))
  expect(await bench.run()).toMatchObject({ got: 'damaged', hint: expect.stringMatching(hint) })
})

describe('a lost journal is told anew by the lock, so that lock and files may be lost after it', () => {
  const lose = async (edit: (bench: Bench) => void) => {
    const bench = shop.copy()
    bench.remove('.genrun')
    edit(bench)
    const counted = paidAt(shop.gateway)
    await bench.run()
    const paid = paidAt(shop.gateway) - counted
    bench.remove('m.lock.json')
    bench.remove('out')
    expect(bench.plan().paid).toBe(0)
    expect(await bench.run()).toMatchObject({ report: { paid: 0, exit: 0 } })
    expect(paidAt(shop.gateway) - counted).toBe(paid)
    return paid
  }

  test('where nothing was to be done', async () => {
    expect(await lose(() => undefined)).toBe(0)
  })

  test('where one job was new', async () => {
    const more = '  more:\n    model: fama-imagine-image\n    prompt: A spoon\n'
    expect(await lose(bench => bench.write(manifestName, bench.read(manifestName) + more))).toBe(1)
  })

  test('and once: the next run touches nothing', async () => {
    const bench = shop.copy()
    bench.remove('.genrun')
    await bench.run()
    const isJournal = (line: string) => line.includes('.jnl')
    const before = bench.snapshot().filter(isJournal)
    expect(before).not.toEqual([])
    await bench.run()
    expect(bench.snapshot().filter(isJournal)).toEqual(before)
  })
})
