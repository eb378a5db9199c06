import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jobAddress, restStart } from '../../src/base/names.ts'
import type { DonePurchase } from '../../src/base/purchase.ts'
import { bucketCache } from '../../src/bucket/bucket-cache.ts'
import { recipeKey } from '../../src/store/cache/cache-text.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { type Door, type Fault, faults, freshFolder, made, openDoor } from './store.ts'

/** One of several machines with the same bucket. */
function machine(door: Door, { prefix = 'team', readOnly = false, token = '' } = {}) {
  const folder = freshFolder()
  const open = () => {
    const access = { ...door.access, ...(token !== '' && { sessionToken: token }) }
    const source = bucketCache({ bucket: 'results', prefix }, { access, readOnly, way: {}, waitMs: 1 })
    return {
      source,
      cache: source.open({
        rehearsal: false,
        state: join(folder, 'state'),
        disk: systemDisk,
        originOf: undefined,
      }),
    }
  }
  return {
    folder,
    /** By a process of its own; the trouble. */
    async put(...entries: DonePurchase[]) {
      const { source, cache } = open()
      const troubles: (string | undefined)[] = []
      for (const entry of entries)
        troubles.push((await cache.put(entry, file => join(folder, file.path)))?.message)
      await source.rest()
      return troubles.find(each => each !== undefined)
    },
    /** The contents, by a process of its own; or what it was told. */
    async take({ address, recipe }: DonePurchase): Promise<unknown> {
      const { source, cache } = open()
      const from = restStart(address)
      try {
        cache.find(recipe, from)
        const told = await source.ask()
        if (typeof told !== 'string') return told.message
        const found = cache.find(recipe, from)
        if (found === undefined || found === 'damaged') return found
        const brought = await cache.elsewhere?.bring(recipe, found.files, from)
        if (brought !== 'brought') return brought === 'more' ? cache.find(recipe, from) : brought?.message
        const to = join(folder, `taken-${Math.random()}`)
        const [file] = found.files
        return file && (await cache.take(file, to)) ? readFileSync(to, 'utf8') : 'not taken'
      } finally {
        cache.elsewhere?.sweep()
        await source.rest()
      }
    },
    open,
  }
}

test('what one machine has put in another finds, whole, and nothing is sent twice', async () => {
  const door = await openDoor()
  const [one, other] = [machine(door), machine(door)]
  const tea = made(one.folder, 'tea')
  expect(await other.take(tea)).toBeUndefined()
  expect(await one.put(tea)).toBeUndefined()
  expect(await other.take(tea)).toBe('tea')
  expect([...(await door.look()).keys()].map(name => name.replace(/[0-9a-f]{64}/, '…'))).toEqual([
    'team/files/…',
    'team/results/….json',
  ])
  const before = door.seen.length
  expect(await one.put(tea)).toBeUndefined()
  expect(door.seen.length).toBe(before)
  expect(await machine(door).put({ ...made(other.folder, 'tea'), files: [] })).toBeUndefined()
})

test('as many files of a job again are others than those that it has, asked for in the same words', async () => {
  const door = await openDoor()
  const [one, other] = [machine(door), machine(door)]
  const tea = made(one.folder, 'tea')
  const rest = { ...made(one.folder, 'fox'), address: jobAddress('tea+2'), recipe: tea.recipe }
  await one.put(tea)
  expect(await other.take(rest)).toBeUndefined()
  await one.put(rest)
  expect(await machine(door).take(rest)).toBe('fox')
  expect(await machine(door).take(tea)).toBe('tea')
})

test('what is not sent yet is owed, to each bucket by itself, and nothing by a machine that only reads', async () => {
  const door = await openDoor()
  const one = machine(door)
  const tea = made(one.folder, 'tea')
  const owes = () => one.open().cache.owes(tea)
  expect(owes()).toBe(true)
  await one.put(tea)
  expect(owes()).toBe(false)
  expect(machine(door, { readOnly: true }).open().cache.owes(tea)).toBe(false)
  expect(await machine(door, { readOnly: true }).put(made(one.folder, 'fox'))).toBeUndefined()
  expect((await door.look()).size).toBe(2)
  // A line that a crash cut short is none.
  const [list = ''] = [join(one.folder, 'state', 'pushed')].flatMap(folder =>
    systemDisk.list(folder).map(name => join(folder, name)),
  )
  writeFileSync(list, readFileSync(list, 'utf8').slice(0, -2))
  expect(owes()).toBe(true)
})

test('a bucket of the same name at another store has not heard of anything', async () => {
  const [door, another] = [await openDoor(), await openDoor()]
  const one = machine(door)
  const tea = made(one.folder, 'tea')
  await one.put(tea)
  const access = another.access
  const source = bucketCache(
    { bucket: 'results', prefix: 'team' },
    { access, readOnly: false, way: {}, waitMs: 1 },
  )
  const state = join(one.folder, 'state')
  const cache = source.open({ rehearsal: false, state, disk: systemDisk, originOf: undefined })
  expect(cache.owes(tea)).toBe(true)
})

test('a rehearsal has a place of its own', async () => {
  const door = await openDoor()
  const one = machine(door)
  const { source } = one.open()
  const state = join(one.folder, 'state.preview')
  const cache = source.open({ rehearsal: true, state, disk: systemDisk, originOf: undefined })
  const tea = made(one.folder, 'tea')
  await cache.put(tea, file => join(one.folder, file.path))
  expect([...(await door.look()).keys()].every(name => name.startsWith('team.preview/'))).toBe(true)
  expect(await machine(door).take(tea)).toBeUndefined()
  expect(source.open({ rehearsal: true, state, disk: systemDisk, originOf: undefined })).toBe(cache)
  await source.rest()
})

test('with a session token everything is signed with it, and long files go in one piece', async () => {
  const door = await openDoor()
  const one = machine(door, { token: 'of-some-hours' })
  const tea = made(one.folder, 'tea')
  expect(await one.put(tea)).toBeUndefined()
  expect(await machine(door, { token: 'of-other-hours' }).take(tea)).toBe('tea')
})

test.each([
  ['another file of its size', (bytes: Buffer) => Buffer.alloc(bytes.length, 'x'), 'damaged'],
  ['a longer one', () => Buffer.alloc(5000, 'x'), 'damaged'],
  ['a shorter one', () => Buffer.alloc(1, 'x'), 'damaged'],
])(
  '%s in the place of a file is never taken, and the next who has the right one puts it there',
  async (_, spoilt, expected) => {
    const door = await openDoor()
    const [one, other] = [machine(door), machine(door)]
    const tea = made(one.folder, 'tea')
    await one.put(tea)
    const name = `team/files/${tea.files[0]?.digest.slice(7)}`
    await door.client.putObject(name, spoilt(Buffer.from('tea')))
    const { source, cache } = other.open()
    cache.find(tea.recipe)
    await source.ask()
    const found = cache.find(tea.recipe)
    if (typeof found === 'object') expect(await cache.elsewhere?.bring(tea.recipe, found.files)).toBe('more')
    expect(cache.find(tea.recipe)).toBe(expected)
    // Bought anew, it is the same file by chance: by then it is known that the one there is another.
    await cache.put(made(other.folder, 'tea'), file => join(other.folder, file.path))
    await source.rest()
    await door.look()
    expect(await machine(door).take(tea)).toBe('tea')
  },
)

test('of two who found a file damaged, the first to make another replaces the result, and the second leaves that', async () => {
  const door = await openDoor()
  const [one, first, second] = [machine(door), machine(door), machine(door)]
  const tea = made(one.folder, 'tea')
  await one.put(tea)
  await door.client.putObject(`team/files/${tea.files[0]?.digest.slice(7)}`, Buffer.from('TEA'))
  expect([await first.take(tea), await second.take(tea)]).toEqual(['damaged', 'damaged'])
  // Each in a process of its own: the one that found the damage may have been killed.
  expect(await first.put(made(first.folder, 'tea', 'first'))).toBeUndefined()
  expect(await second.put(made(second.folder, 'tea', 'second'))).toBeUndefined()
  for (const each of [machine(door), first, second]) expect(await each.take(tea)).toBe('first')
})

test('a result is left where its damaged file was mended by somebody else', async () => {
  const door = await openDoor()
  const [one, other] = [machine(door), machine(door)]
  const tea = made(one.folder, 'tea')
  await one.put(tea)
  const name = `team/files/${tea.files[0]?.digest.slice(7)}`
  await door.client.putObject(name, Buffer.from('TEA'))
  expect(await other.take(tea)).toBe('damaged')
  await door.client.putObject(name, Buffer.from('tea'))
  expect(await other.put(made(other.folder, 'tea', 'another take'))).toBeUndefined()
  expect(await machine(door).take(tea)).toBe('tea')
})

test('who has put in what is damaged or gone by now puts in what it makes anew', async () => {
  const door = await openDoor()
  const one = machine(door)
  const tea = made(one.folder, 'tea')
  const name = `team/files/${tea.files[0]?.digest.slice(7)}`
  await one.put(tea)
  for (const [contents, spoil] of [
    ['a second', () => door.client.putObject(name, Buffer.from('TEA'))],
    ['a third', () => door.client.deleteObject(`team/results/${recipeKey(tea.recipe).slice(7)}.json`)],
  ] as const) {
    await spoil()
    const { source, cache } = one.open()
    cache.find(tea.recipe)
    await source.ask()
    const found = cache.find(tea.recipe)
    if (typeof found === 'object') expect(await cache.elsewhere?.bring(tea.recipe, found.files)).toBe('more')
    const anew = made(one.folder, 'tea', contents)
    expect(await cache.put(anew, file => join(one.folder, file.path))).toBeUndefined()
    await source.rest()
    expect(await machine(door).take(tea)).toBe(contents)
  }
})

test.each<[string, string | RegExp, string]>([
  ['cut short where it lies', /"files".*/s, ''],
  ['a file larger than any', '"bytes":3', '"bytes":9999999999'],
  ['another recipe', '"prompt":"tea"', '"prompt":"fox"'],
])('a result that is %s is none, and is replaced by whoever has one', async (_, was, is) => {
  const door = await openDoor()
  const one = machine(door)
  const tea = made(one.folder, 'tea')
  await one.put(tea)
  const [name = ''] = [...(await door.look()).keys()].filter(key => key.endsWith('.json'))
  const text = (await door.client.getObject(name)) ?? ''
  await door.client.putObject(name, text.replace(was, is))
  expect(await machine(door).take(tea)).toBe('damaged')
  const other = machine(door)
  expect(await other.put(made(other.folder, 'tea'))).toBeUndefined()
  expect(await machine(door).take(tea)).toBe('tea')
})

test.each([
  ['no JSON', 'x'],
  ['JSON of somebody else', '{"error":"sign in"}'],
  ['more than a result can be', `${' '.repeat(1024 * 1024)}{}`],
])(
  'a result that is %s may be a page in the way: nothing is taken for damaged or replaced',
  async (_, is) => {
    const door = await openDoor()
    const one = machine(door)
    const tea = made(one.folder, 'tea')
    await one.put(tea)
    const [name = ''] = [...(await door.look()).keys()].filter(key => key.endsWith('.json'))
    await door.client.putObject(name, is)
    const told = /could not read s3:.*: what came is no result$/
    expect(await machine(door).take(tea)).toMatch(told)
    const other = machine(door)
    expect(await other.put(made(other.folder, 'tea'))).toMatch(told)
    expect(await door.client.getObject(name)).toBe(is)
    await door.client.deleteObject(name)
    expect(await other.put(made(other.folder, 'tea'))).toBeUndefined()
    expect(await machine(door).take(tea)).toBe('tea')
  },
)

test.each<[Fault, number, string]>([
  ['half', 0, 'what came is no result'],
  ['half', 2, '5 bytes came, and it has 10'],
  ['a page', 0, 'what came is no result'],
  ['a page', 2, '25 bytes came, and it has 10'],
  ['200 with an error', 0, 'it was no store that answered: there is no tag'],
  ['200 with an error', 1, 'it was no store that answered: there is no tag'],
  ['200 with an error', 2, 'it was no store that answered: there is no tag'],
  ['404 with a page', 0, 'the store answers 404'],
  ['404 with a page', 1, 'the store answers 404'],
  ['404 with a page', 2, 'the store answers 404'],
  ['404 about its size', 1, 'it is given, and its size is not'],
])(
  '%s in the place of what is read, from request %i on, is trouble on the way',
  async (fault, nth, detail) => {
    const door = await openDoor()
    const [one, other] = [machine(door), machine(door)]
    const tea = made(one.folder, 'tea', 'tea in cup')
    await one.put(tea)
    door.fault(fault, nth, 100)
    expect(await other.take(tea)).toMatch(new RegExp(`^could not (read|look at) s3:.*: ${detail}$`))
    // What is whole there stays, whoever cannot see that.
    door.fault(fault, 0, 100)
    await other.put(made(other.folder, 'tea', 'another'))
    door.fault(undefined)
    expect(await machine(door).take(tea)).toBe('tea in cup')
    expect(await other.take(tea)).toBe('tea in cup')
  },
)

test('a bucket that is not there is asked for a result four times, and no more', async () => {
  const door = await openDoor()
  const tea = made(freshFolder(), 'tea')
  door.fault('refuse', 0, 100)
  expect(await machine(door).take(tea)).toMatch(/^could not read s3:/)
  expect(door.seen.length).toBe(4)
})

test('a file of another size is damaged only where the store gives what it says', async () => {
  const door = await openDoor()
  const [one, other] = [machine(door), machine(door)]
  const tea = made(one.folder, 'tea', 'tea in cup')
  await one.put(tea)
  await door.client.putObject(`team/files/${tea.files[0]?.digest.slice(7)}`, Buffer.from('tea in'))
  door.fault('half', 2, 100)
  expect(await other.take(tea)).toMatch(/: 3 bytes came, and it has 6$/)
  door.fault(undefined)
  expect(await other.take(tea)).toBe('damaged')
})

test('a result whose file was thrown away counts as not there, and is put in once more', async () => {
  const door = await openDoor()
  const one = machine(door)
  const tea = made(one.folder, 'tea')
  await one.put(tea)
  await door.client.deleteObject(`team/files/${tea.files[0]?.digest.slice(7)}`)
  expect(await machine(door).take(tea)).toBeUndefined()
  const other = machine(door)
  const anew = made(other.folder, 'tea', 'another take')
  expect(await other.put(anew)).toBeUndefined()
  expect(await machine(door).take(tea)).toBe('another take')
})

test('a file that was altered on the disk is not sent', async () => {
  const door = await openDoor()
  const one = machine(door)
  const tea = made(one.folder, 'tea')
  writeFileSync(join(one.folder, 'out/tea.png'), 'TEA')
  expect(await one.put(tea)).toMatch(/could not read .*tea\.png: it was altered since it was made/)
  expect((await door.look()).size).toBe(0)
})

const cases = [0, 1, 2].flatMap(nth => faults.map((fault): [Fault, number] => [fault, nth]))

test('a fault at any request of putting in leaves no half object, and doing it again ends whole', async () => {
  const door = await openDoor()
  for (const [fault, nth] of cases) {
    const prefix = `${fault} ${nth}`.replaceAll(' ', '-')
    const one = machine(door, { prefix })
    const tea = made(one.folder, 'tea', 'tea'.repeat(10_000))
    door.fault(fault, nth)
    await one.put(tea)
    const between = [...(await door.look(prefix)).keys()]
    if (between.some(name => name.endsWith('.json'))) expect(between.length, `${fault} ${nth}`).toBe(2)
    door.fault(undefined)
    expect(await one.put(tea), `${fault} ${nth}`).toBeUndefined()
    expect(await one.take(tea), `${fault} ${nth}`).toBe('tea'.repeat(10_000))
  }
})

test('a fault at any request of taking out gives the file or none, and doing it again the file', async () => {
  const door = await openDoor()
  const one = machine(door)
  const tea = made(one.folder, 'tea', 'tea'.repeat(10_000))
  await one.put(tea)
  for (const [fault, nth] of cases) {
    const other = machine(door)
    door.fault(fault, nth)
    const taken = await other.take(tea)
    expect(taken, `${fault} ${nth}`).toBe('tea'.repeat(10_000))
    door.fault(undefined)
    expect(await other.take(tea), `${fault} ${nth}`).toBe('tea'.repeat(10_000))
    expect(existsSync(join(other.folder, 'state', 'fetched'))).toBe(false)
  }
})

test('a service has its results by its address, whatever it is called on a machine', async () => {
  const door = await openDoor()
  const [one, other] = [machine(door), machine(door)]
  const tea = made(one.folder, 'tea')
  const at = (folder: string, name: string, origin: string) => {
    const { source } = machine(door).open()
    const originOf = (service: string) => (service === name ? origin : undefined)
    const cache = source.open({ rehearsal: false, state: join(folder, 'state'), disk: systemDisk, originOf })
    return { source, cache, recipe: { ...tea.recipe, service: name } }
  }
  const first = at(one.folder, 'studio', 'https://a.example')
  await first.cache.put({ ...tea, recipe: first.recipe }, file => join(one.folder, file.path))
  for (const [name, origin, there] of [
    ['cheap', 'https://a.example', 'object'],
    ['studio', 'https://b.example', 'undefined'],
  ] as const) {
    const { source, cache, recipe } = at(freshFolder(), name, origin)
    cache.find(recipe)
    await source.ask()
    expect(typeof cache.find(recipe)).toBe(there)
    await source.rest()
  }
  await first.source.rest()
  expect(await other.take(tea)).toBeUndefined()
})
