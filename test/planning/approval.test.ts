import { expect, test } from 'vitest'
import { statusOf } from '../../src/verbs/status.ts'
import { whyJob } from '../../src/verbs/why.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import { type Bench, manifestName, toldSteps } from '../verbs/bench.ts'
import { madeOnce } from '../verbs/made.ts'

// `require: approved`: what is made from a result waits for a person, and nothing else does.

const made = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A red teapot
    require: approved
  cup:
    model: fama-imagine-image
    prompt: A cup
`
const more = `  edit:
    model: famb-character
    prompt: The same teapot in blue
    imageUrls: \${{ jobs.hero.output }}
`
const shop = madeOnce(made, 2)
function bench(): Bench {
  const it = shop.copy()
  it.write(manifestName, `${made}${more}`)
  return it
}

const waits = (but = '') => [`hold edit: it waits until hero is approved${but}`]
const verdict = (it: Bench, is: string, seen = digestIn(it)) => ({
  address: 'hero',
  is,
  who: 'Lead',
  when: '2026-03-01T09:30:00Z',
  seen: [seen],
})
/** As many, and a picture still. */
const otherBytes = (it: Bench) => {
  const bytes = it.bytes('out/m/hero.png')
  return Buffer.concat([bytes.subarray(0, -20), bytes.subarray(-20).map(each => each ^ 1)])
}
const digestOf = (it: Bench, address: string) =>
  new RegExp(`"${address}".*?"digest":"(sha256:\\w+)"`).exec(it.read('m.lock.json'))?.[1] ?? ''
const digestIn = (it: Bench) => digestOf(it, 'hero')
const idOf = (it: Bench, address: string) =>
  new RegExp(`"address":"${address}","state":"\\w+","id":"([^"]+)"`).exec(it.read('m.lock.json'))?.[1] ?? ''
const decide = (it: Bench, ...verdicts: object[]) =>
  it.write(
    'm.review.json',
    `{"genrunReview":1,"manifest":"m.yaml","verdicts":[\n${verdicts.map(each => `${JSON.stringify(each)},\n`).join('')}null]}\n`,
  )

test('what was altered since it was approved takes no verdict: the hint is to put it back', async () => {
  const it = bench()
  decide(it, verdict(it, 'approved'))
  it.write('out/m/hero.png', otherBytes(it))
  const hint = expect.stringMatching(/^put back the file that was made, or move this one away/)
  expect(await it.run()).toMatchObject({
    report: { jobs: [{ address: 'hero' }, { address: 'cup' }, { address: 'edit', ending: 'held', hint }] },
  })
  const { status } = statusOf({ manifest: manifestName, cwd: it.folder }) as { status: object }
  expect(status).toMatchObject({ open: [{ address: 'edit', remedy: hint }] })
})

test('a run makes everything else, and waits with exit code 4 until somebody approved', async () => {
  const it = bench()
  const of = { manifest: manifestName, cwd: it.folder }
  it.edit('m.yaml', 'A cup', 'A mug')
  expect(await it.run()).toMatchObject({
    report: {
      exit: 4,
      paid: 1,
      jobs: [
        { address: 'hero', ending: 'kept' },
        { address: 'cup', ending: 'made' },
        {
          address: 'edit',
          ending: 'held',
          message: 'it waits until hero is approved',
          hint: 'look at it, and approve it: `genrun review m.yaml`',
        },
      ],
    },
  })
  expect(statusOf(of)).toMatchObject({
    status: { open: [{ address: 'edit', remedy: 'genrun review m.yaml' }] },
  })
  const why = whyJob({ ...of, address: 'edit' })
  expect(JSON.stringify(why)).toContain('it waits until hero is approved')

  decide(it, verdict(it, 'approved'))
  expect(await it.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  // What was made stays, whatever somebody thinks of it later.
  decide(it, verdict(it, 'rejected'))
  expect(await it.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
})

test('a verdict goes along with a job that gets another name, and nothing is bought again', async () => {
  const it = bench()
  decide(it, verdict(it, 'approved'))
  it.write(manifestName, `${made}${more}`.replaceAll('hero', 'poster'))
  expect(toldSteps(it.plan())).toEqual([expect.stringMatching(/^adopt poster: /), 'buy edit: not made yet'])
  // Somebody else decided meanwhile, under the name that it had.
  decide(it, { ...verdict(it, 'rejected'), when: '2026-03-01T09:31:00Z' })
  expect(toldSteps(it.plan())).toContain('hold edit: it waits until poster is approved: it is rejected')
  expect(await it.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
  expect(toldSteps(it.plan())).toEqual(['hold edit: it waits until poster is approved: it is rejected'])
  decide(it, verdict(it, 'approved', digestOf(it, 'poster')))
  expect(await it.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
})

test('a verdict under a name that is gone does not approve another job with the same bytes unless only that can be meant', () => {
  const it = bench()
  const { seen } = verdict(it, 'approved')
  decide(it, { ...verdict(it, 'approved'), address: 'gone', seen: [digestOf(it, 'cup')] })
  expect(toldSteps(it.plan())).toEqual(waits())
  decide(it, { ...verdict(it, 'approved'), address: 'gone', seen })
  expect(toldSteps(it.plan())).toEqual(['buy edit: not made yet'])
  // Its own verdict wins, be it older.
  decide(
    it,
    { ...verdict(it, 'approved'), address: 'gone', when: '2026-03-09T09:31:00Z' },
    verdict(it, 'rejected'),
  )
  expect(toldSteps(it.plan())).toEqual(waits(': it is rejected'))
})

test('a rejection under another name counts once the first name is back, and nothing is bought on the older approval', async () => {
  const it = bench()
  const of = idOf(it, 'hero')
  const rejected = { ...verdict(it, 'rejected'), address: 'poster', when: '2026-03-01T09:31:00Z', of }
  decide(it, verdict(it, 'approved'), rejected)
  expect(toldSteps(it.plan())).toEqual(waits(': it is rejected'))
  decide(it, { ...verdict(it, 'approved'), of }, rejected)
  expect(toldSteps(it.plan())).toEqual(waits(': it is rejected'))
  expect(await it.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
  const { is: _, ...back } = { ...rejected, when: '2026-03-01T09:32:00Z' }
  decide(it, { ...verdict(it, 'approved'), of }, back)
  expect(toldSteps(it.plan())).toEqual(waits())
})

test('an approval of a purchase approves no other with the same bytes, whatever became of it', () => {
  const it = bench()
  const gone = { ...verdict(it, 'approved'), address: 'gone' }
  decide(it, { ...gone, of: 'pruned' })
  expect(toldSteps(it.plan())).toEqual(waits())
  decide(it, { ...gone, of: idOf(it, 'hero') })
  expect(toldSteps(it.plan())).toEqual(['buy edit: not made yet'])
  // A lock that was lost has other purchases: under its name it is about these files.
  decide(it, { ...verdict(it, 'approved'), of: 'lost' })
  expect(toldSteps(it.plan())).toEqual(['buy edit: not made yet'])
})

test('what was taken back approves nothing', () => {
  const it = bench()
  const { is: _, ...back } = verdict(it, 'x')
  decide(it, { ...verdict(it, 'approved'), address: 'gone' }, back)
  expect(toldSteps(it.plan())).toEqual(waits())
})

test.each<[string, (it: Bench) => void, string[]]>([
  ['nobody said anything', () => undefined, waits()],
  [
    'it has stars, and no verdict',
    it => decide(it, { ...verdict(it, 'x'), is: undefined, stars: 5 }),
    waits(),
  ],
  ['it is approved', it => decide(it, verdict(it, 'approved')), ['buy edit: not made yet']],
  ['it is rejected', it => decide(it, verdict(it, 'rejected')), waits(': it is rejected')],
  [
    'another picture was approved',
    it => decide(it, verdict(it, 'approved', `sha256:${'0'.repeat(64)}`)),
    waits(': its files are others than those that were looked at'),
  ],
  [
    'it was altered since',
    it => {
      decide(it, verdict(it, 'approved'))
      it.write('out/m/hero.png', 'something else')
    },
    [
      'keep hero: altered since it was made, and left as it is: hero.png',
      ...waits(': it was altered since it was made'),
    ],
  ],
  [
    'it has as many bytes as before, and others',
    it => {
      decide(it, verdict(it, 'approved'))
      it.write('out/m/hero.png', otherBytes(it))
    },
    waits(': it was altered since it was made'),
  ],
  [
    'it was altered and is as it was again',
    it => {
      decide(it, verdict(it, 'approved'))
      const was = it.bytes('out/m/hero.png')
      it.write('out/m/hero.png', otherBytes(it))
      it.write('out/m/hero.png', was)
    },
    ['buy edit: not made yet'],
  ],
  [
    'it was approved under the name that it had before',
    it => {
      decide(it, verdict(it, 'approved'))
      it.edit('m.yaml', 'require', 'output: pictures/hero\n    require')
    },
    ['adopt hero: its files get other names', 'buy edit: not made yet'],
  ],
  [
    'what is to be moved was altered',
    it => {
      decide(it, verdict(it, 'approved'))
      it.write('out/m/hero.png', otherBytes(it))
      it.edit('m.yaml', 'require', 'output: pictures/hero\n    require')
    },
    ['adopt hero: its files get other names', ...waits(': it was altered since it was made')],
  ],
  [
    'it is made anew',
    it => {
      decide(it, verdict(it, 'approved'))
      it.edit('m.yaml', 'A red', 'A green')
    },
    [
      'buy hero: prompt A red teapot → A green teapot (m.yaml:4)',
      ...waits(': its files are others than those that were looked at'),
    ],
  ],
])('where %s', (_name, change, steps) => {
  const it = bench()
  change(it)
  expect(toldSteps(it.plan())).toEqual(steps)
})

test('what was altered once the plan was made is not sent, as nobody has approved it', async () => {
  const it = bench()
  decide(it, verdict(it, 'approved'))
  const was = it.bytes('out/m/hero.png')
  const alter = ({ event }: RunEvent) => event === 'planned' && it.write('out/m/hero.png', otherBytes(it))
  expect(await it.run({ emit: alter })).toMatchObject({
    report: {
      paid: 0,
      jobs: [
        { address: 'hero' },
        { address: 'cup' },
        { address: 'edit', message: expect.stringContaining('it is not the file that was approved') },
      ],
    },
  })
  it.write('out/m/hero.png', was)
  expect(await it.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
})

test('verdicts that cannot be read approve nothing, and keep nobody from the rest', async () => {
  const it = bench()
  it.write('m.review.json', '<<<<<<< ours\n')
  it.edit('m.yaml', 'A cup', 'A mug')
  expect(toldSteps(it.plan())).toEqual([
    expect.stringContaining('buy cup'),
    expect.stringMatching(/^hold edit: it waits until hero is approved: .*m\.review\.json.*merge conflict/),
  ])
  const result = await it.run()
  expect(result).toMatchObject({ report: { exit: 4, paid: 1 } })
  const hints = result.got === 'report' ? result.report.jobs.flatMap(({ hint }) => hint ?? []) : []
  expect(hints).toEqual([expect.stringMatching(/^put it back from version control; moved away, /)])
})

test('of takes the one that is used has to be approved; a job that only comes later waits for any', () => {
  const it = bench()
  it.edit('m.yaml', '    require', '    takes: 2\n    require')
  it.edit('m.yaml', 'A cup\n', 'A cup\n    needs: hero\n    resolution: 2k\n')
  decide(it, { ...verdict(it, 'approved') })
  expect(toldSteps(it.plan())).toEqual([
    'buy hero#2: not made yet',
    expect.stringContaining('buy cup'),
    'buy edit: not made yet',
  ])
  decide(it, { ...verdict(it, 'approved'), address: 'hero#2' })
  expect(toldSteps(it.plan())).toEqual([
    'buy hero#2: not made yet',
    'hold cup: it waits until hero is approved: its files are others than those that were looked at',
    'hold edit: it waits until hero is approved',
  ])
})
