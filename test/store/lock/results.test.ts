import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jobAddress, type PurchaseId, runId } from '../../../src/base/names.ts'
import type { Purchase } from '../../../src/base/purchase.ts'
import { systemDisk } from '../../../src/store/files/disk.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { lineOf } from '../../../src/store/lock/lock-text.ts'
import { readAllResults } from '../../../src/store/lock/read-results.ts'
import { openResults } from '../../../src/store/lock/results.ts'
import { overLine, ownerLine, readResults } from '../../../src/store/lock/results-text.ts'

const owner = { manifest: 'm.yaml', folder: '../..', lineage: 'a'.repeat(32) }
const head = ownerLine(owner)

type Running = Purchase & { is: 'under-way' }

function running(id: string, run = `r_${id}`): Running {
  const safe = runId(run)
  return {
    id: id as PurchaseId,
    address: jobAddress(`job-${id}`),
    recipe: { version: 1, model: 'fama-imagine-image', params: {}, defaults: {}, inputs: {}, take: 1 },
    is: 'under-way',
    ...(safe && { run: { workflow: 'w', id: safe } }),
    saved: [],
    parts: [],
  }
}

const [one, two] = [running('1'), running('2')]
const line = lineOf(one)

function idsIn(text: string): string[] {
  return [...(readResults(text, owner.lineage).purchases.keys() ?? [])]
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['two purchases', [head, line, lineOf(two)], ['1', '2']],
  ['a torn last line', [head, line, lineOf(two).slice(0, -5)], ['1']],
  ['a torn line that the next run ended', [head, lineOf(two).slice(0, 40), head, line], ['1']],
  ['lines of strangers', [head, 'hello', '[1]', 'null', '{}', '{"over":1}', '{"state":"done"}', line], ['1']],
  ['one that is over', [head, line, lineOf(two), overLine(one.id)], ['2']],
  ['one that came back', [head, line, overLine(one.id), line], ['1']],
  ['lines with carriage returns', [`${head}\r`, `${line}\r`], ['1']],
  ['no owner', [line], ['1']],
  ['an owner of a later format', [head.replace('"genrun":2', '"genrun":3'), line], ['1']],
  ['an owner that is a path', [ownerLine({ ...owner, manifest: '../m.yaml' }), line], ['1']],
])('%s', (_, lines, ids) => {
  expect(idsIn(lines.join('\n'))).toEqual(ids)
})

test.each([
  ['is owed while it may be under way', lineOf(two), 1],
  ['is not owed where it says that it failed', lineOf(two).replace('"running"', '"failed"'), 0],
])('what a line that was cut off tells %s', (_, whole, owed) => {
  const cut = whole.slice(0, whole.indexOf('"recipe"') + 20)
  const { broken } = readResults([head, line, cut].join('\n'), owner.lineage)
  expect(broken.flatMap(({ entry }) => entry ?? [])).toHaveLength(owed)
})

test('the last line of a purchase and the last owner count', () => {
  const later = running('1', 'r_9')
  const text = [head, line, lineOf(two), ownerLine({ ...owner, manifest: 'n.yaml' }), lineOf(later)].join(
    '\n',
  )
  const reading = readResults(text, owner.lineage)
  expect(reading.owner.manifest).toBe('n.yaml')
  expect(reading.purchases.get(one.id)).toMatchObject({ run: { id: 'r_9' } })
  expect(reading.lines).toBe(3)
})

test('10,000 lines are read within a second of the processor', () => {
  const all = Array.from({ length: 10_000 }, (_, nth) => running(`${nth}`))
  const text = [head, ...all.map(lineOf)].join('\n')
  const began = process.cpuUsage()
  expect(readResults(text, owner.lineage).purchases.size).toBe(10_000)
  const { user, system } = process.cpuUsage(began)
  expect((user + system) / 1000).toBeLessThan(1000)
})

function place() {
  const output = mkdtempSync(join(tmpdir(), 'genrun-results-'))
  onTestFinished(() => rmSync(output, { recursive: true, force: true }))
  mkdirSync(join(output, '.genrun'))
  const file = join(output, '.genrun', `results-${owner.lineage}.jsonl`)
  const open = (disk = systemDisk) => openResults({ output, owner, disk, mayReplace: () => true })
  return { output, file, open, text: () => readFileSync(file, 'utf8') }
}

test('what is known already is not written again, and nothing at all by whoever knows nothing new', async () => {
  const { file, open, text, output } = place()
  const first = open()
  first.note([one])
  first.note([one])
  first.note([{ ...one }])
  await first.close()
  expect(text()).toBe(`${head}\n${line}\n`)
  const again = open()
  again.note([one])
  await again.close()
  expect(text()).toBe(`${head}\n${line}\n`)
  expect(readAllResults(output, systemDisk)).toHaveLength(1)
  expect(file).toContain(owner.lineage)
})

test('a torn line takes no other along', async () => {
  const { file, open, text } = place()
  writeFileSync(file, `${head}\n${lineOf(two).slice(0, 30)}`)
  const index = open()
  index.note([one])
  await index.close()
  expect(idsIn(text())).toEqual(['1'])
})

test('written anew when most lines are old, with what another checkout wrote', async () => {
  const { file, open, text, output } = place()
  const index = open()
  for (const run of ['r_1', 'r_2', 'r_3']) index.note([running('1', run)])
  index.note([running('3')])
  index.forget('3' as PurchaseId)
  appendFileSync(file, `${lineOf(two)}\n`)
  await index.close()
  expect(text().split('\n')).toHaveLength(4)
  expect(idsIn(text()).toSorted()).toEqual(['1', '2'])
  expect(readdirSync(join(output, '.genrun'))).toHaveLength(1)
})

test.each([
  ['not read for that where nobody else has written there', false, ['0', '2', '1']],
  ['read for that where somebody has', true, ['0', '4', '2', '1']],
])(
  'an index that is written anew keeps what is left of damaged lines, and is %s',
  async (_, isShared, ids) => {
    const { file, open, text } = place()
    const owed = lineOf(running('0')).replace('"params"', '"param')
    writeFileSync(file, `${head}\n${owed}\n${lineOf(two)}\n`)
    let reads = 0
    const reading = <A extends unknown[], T>(read: (...args: A) => T) => {
      return (...args: A): T => {
        reads++
        return read(...args)
      }
    }
    const { readAll, readPieces, readPiecesNow } = systemDisk
    const index = open({
      ...systemDisk,
      readAll: reading(readAll),
      readPieces: reading(readPieces),
      readPiecesNow: reading(readPiecesNow),
    })
    for (const run of ['r_1', 'r_2', 'r_3', 'r_4', 'r_5', 'r_6']) index.note([running('1', run)])
    if (isShared) appendFileSync(file, `${lineOf(running('4'))}\n`)
    reads = 0
    await index.close()
    expect([idsIn(text()), reads > 0]).toEqual([ids, isShared])
    expect(text().split('\n')).toHaveLength(ids.length + 2)
    expect(readResults(text(), owner.lineage).purchases.get(one.id)).toMatchObject({ run: { id: 'r_6' } })
  },
)

test('orders that were not bought are nothing to find again', async () => {
  const { file, open } = place()
  const index = open()
  const { id, address, recipe } = one
  index.note([{ id, address, recipe, is: 'open' }])
  index.forget(id)
  await index.close()
  expect(readdirSync(join(file, '..'))).toEqual([])
})

test('a file that has another name is not written to, and is replaced at the end', async () => {
  const { file, open, text } = place()
  const elsewhere = `${file}.elsewhere`
  writeFileSync(elsewhere, `${head}\n${lineOf(two)}\n`)
  linkSync(elsewhere, file)
  const index = open()
  index.note([one])
  await index.close()
  expect(index.trouble).toBeUndefined()
  expect(idsIn(readFileSync(elsewhere, 'utf8'))).toEqual(['2'])
  expect(idsIn(text()).toSorted()).toEqual(['1', '2'])
})

test('trouble is told, fails nothing, and is made up for at the end', async () => {
  const { open, text } = place()
  let isFull = true
  const index = open({
    ...systemDisk,
    write(file, bytes) {
      if (isFull) throw new StorageError(file.path, 'write', 'no space left on the disk', 'ENOSPC')
      return systemDisk.write(file, bytes)
    },
  })
  index.note([one])
  index.note([two])
  expect(index.trouble?.code).toBe('ENOSPC')
  isFull = false
  await index.close()
  expect(index.trouble).toBeUndefined()
  expect(idsIn(text())).toEqual(['1', '2'])
})
