import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { digestBytes } from '../../src/store/files/digest.ts'
import { mergeLocks } from '../../src/store/lock/lock-merge.ts'
import { type Bench, paidAt, toldSteps } from '../verbs/bench.ts'
import { madeOnce } from '../verbs/made.ts'

const shop = madeOnce(
  `jobs:
  a: { model: fama-imagine-image, prompt: A teapot, mode: submit }
  ed: { model: famb-character, prompt: In blue, imageUrls: '\${{ jobs.a.output }}' }
`,
  2,
)

/** What a commit holds: the lock, and the files under their names. */
type Commit = ReadonlyMap<string, string>

function commitOf(bench: Bench): Commit {
  const names = readdirSync(join(bench.folder, 'out'), { recursive: true, encoding: 'utf8' })
  const files = names.map(name => `out/${name}`).filter(name => statSync(join(bench.folder, name)).isFile())
  const shown = files.filter(name => !name.includes('/.'))
  return new Map(['m.lock.json', ...shown].map(name => [name, bench.bytes(name).toString('base64')]))
}

/** Two clones of one repository, whose locks `genrun lock merge` merges; of a file that both changed each keeps its own. */
function twoClones() {
  const benches = [shop.copy(), shop.copy()] as const
  // A clone has no journal; the first is where all was made.
  benches[1].remove('.genrun')
  let main = commitOf(benches[0])
  const bases = new Map<Bench, Commit>(benches.map(bench => [bench, main]))
  return {
    benches,
    pull(bench: Bench): void {
      const [base, ours] = [bases.get(bench) ?? main, commitOf(bench)]
      for (const name of new Set([...ours.keys(), ...main.keys()])) {
        const [was, mine, theirs] = [base, ours, main].map(each => each.get(name))
        if (mine === theirs || theirs === was) continue
        if (name === 'm.lock.json') bench.write(name, mergedLock(base, ours, main))
        else if (theirs === undefined) bench.remove(name)
        else if (mine === was) bench.write(name, Buffer.from(theirs, 'base64'))
      }
      bases.set(bench, main)
    },
    push(bench: Bench): void {
      main = commitOf(bench)
      bases.set(bench, main)
    },
  }
}

function mergedLock(...commits: readonly [Commit, Commit, Commit]): string {
  const [base = '', ours = '', theirs = ''] = commits.map(each =>
    Buffer.from(each.get('m.lock.json') ?? '', 'base64').toString(),
  )
  if (ours === base) return theirs
  const merged = mergeLocks({ base, ours, theirs })
  if (merged.got !== 'merged') throw new Error(merged.why)
  return merged.text
}

const redo = { redo: true, select: { words: ['a'] } }

/** Left while its take is on its way. */
async function redoLeft(bench: Bench): Promise<void> {
  const stop = new AbortController()
  await bench.run({ ...redo, stop: stop.signal, emit: told => told.event === 'accepted' && stop.abort() })
}

describe('two clones that both `redo` a job', () => {
  test.each<[string, (one: Bench, two: Bench) => Promise<unknown>]>([
    [
      'the first is on its way when locks are merged',
      async (one, two) => [await redoLeft(one), await two.run(redo)],
    ],
    ['the second is', async (one, two) => [await one.run(redo), await redoLeft(two)]],
    ['both are', async (one, two) => [await redoLeft(one), await redoLeft(two)]],
  ])('come to the same take: %s', async (_, begin) => {
    const { benches, pull, push } = twoClones()
    const [one, two] = benches
    const before = paidAt(shop.gateway)
    await begin(one, two)
    push(one)
    for (const bench of [two, one, two]) {
      pull(bench)
      // The lock that the merge left is not the one that the next run sees.
      await bench.run({ stop: AbortSignal.abort() })
      expect(await bench.run()).toMatchObject({ report: { exit: 0 } })
      push(bench)
    }
    const [paid, lock] = [paidAt(shop.gateway), one.read('m.lock.json')]
    for (const bench of [one, two, one]) {
      pull(bench)
      expect(toldSteps(bench.plan())).toEqual([])
      expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
      push(bench)
    }
    expect([one.read('m.lock.json'), two.read('m.lock.json')]).toEqual([lock, lock])
    expect(one.bytes('out/m/a.png')).toEqual(two.bytes('out/m/a.png'))
    for (const bench of benches)
      for (const name of ['a.take1', 'a.take2', 'a.take3'].filter(each => each !== takeWithName(lock)))
        expect(bench.has(`out/m/takes/${name}.png`), name).toBe(true)
    // Two takes, and what is made from the one that counts, once: not before from the one that it is picked over.
    expect(paid - before).toBe(3)
  })
})

describe('one clone gives a job another name and runs, and the other orders another take of it', () => {
  test.each([
    [
      'another name',
      [
        ['a:', 'x:'],
        ['jobs.a', 'jobs.x'],
      ],
      'x',
    ],
    [
      'the name of a job that gets its name',
      [
        ['a:', 'c:'],
        ['jobs.a', 'jobs.c'],
        ['b:', 'a:'],
      ],
      'c',
    ],
  ] as const)('%s: the take goes along, and is picked in both', async (_, words, name) => {
    const manifest = `${shop.copy().read('m.yaml')}  b: { model: fama-imagine-image, prompt: A pot }\n`
    const named = words.reduce((text, [was, is]) => text.replace(was, is), manifest)
    for (const first of [0, 1] as const) {
      const { benches, pull, push } = twoClones()
      const [namer, chooser] = [benches[first], benches[1 - first]] as [Bench, Bench] // two of two
      for (const bench of benches) bench.write('m.yaml', manifest)
      await chooser.run()
      push(chooser)
      pull(namer)
      await chooser.run(redo)
      await chooser.run()
      namer.write('m.yaml', named)
      await namer.run()
      const there = filesOf(chooser, 'a')
      const before = paidAt(shop.gateway)
      push(first === 0 ? namer : chooser)
      for (const bench of [benches[1], benches[0], benches[1]]) {
        pull(bench)
        bench.write('m.yaml', named)
        expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
        push(bench)
        expect(filesOf(bench, name)).toEqual(there)
      }
      expect(takeWithName(namer.read('m.lock.json'))).toBe('a.take2')
      expect(paidAt(shop.gateway)).toBe(before)
    }
  })
})

/** By their digests: bytes would be told one by one where they differ. */
function filesOf(bench: Bench, name: string): string[] {
  return [name, 'ed'].map(each => digestBytes(bench.bytes(`out/m/${each}.png`)))
}

/** The take that is picked, which has the bare name. */
function takeWithName(lock: string): string {
  const picked = lock.split('\n').filter(line => line.includes('"picked":true'))
  expect(picked).toHaveLength(1)
  return `a.take${/#(\d)/.exec(picked[0] ?? '')?.[1]}`
}
