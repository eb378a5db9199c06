import { expect, test } from 'vitest'
import type { Purchase } from '../../src/base/purchase.ts'
import { planRequest } from '../../src/plan/planned.ts'
import { takenNames } from '../../src/planning/taken-names.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import { facts, failed, job } from '../plan/world.ts'
import { memoryDisk } from '../store/memory-disk.ts'

const hero = job('hero')

/** The names in the way of a job that is ordered again, where `lying` has its name. */
function inTheWay(purchases: readonly Purchase[], lying: string) {
  const disk = memoryDisk()
  disk.makeFolder('/out')
  const file = disk.open('/out/hero.mp4', 'create')
  disk.write(file, Buffer.from(lying))
  disk.close(file)
  const planned = planRequest({ jobs: [hero], picked: [], choices: { failed: true } }, facts({ purchases }))
  if (planned.got !== 'planned') throw new Error('nothing is planned')
  return takenNames(planned, { output: '/out', purchases, disk }).map(({ message }) => message)
}

// Its other name is `unusual/…`: a power cut may bring back the one that it was moved from.
const odd = failed(hero, {
  files: [{ path: 'unusual/hero@1.mp4', digest: digestBytes('odd'), bytes: 3, type: 'video/mp4' }],
})

test('a paid file that is no result is in nobody’s way under the name that it had; another is', () => {
  expect(inTheWay([odd], 'odd')).toEqual([])
  expect(inTheWay([odd], 'own')).toEqual(['hero.mp4 is there already, and genrun did not make it'])
})
