import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atSite, genrun } from './site.ts'

// The built executable: shards that are killed and started anew, by another number as well, and a merge that is killed. The gateway's
// ledger counts.

const manifest = `jobs:
  still:
    matrix: { item: [a, b, c, d, e, f] }
    model: fama-imagine-image
    prompt: Teapot \${{ matrix.item }}
`

test('shards of real processes that are killed buy nothing twice, and a killed merge loses nothing', {
  timeout: 240_000,
}, async () => {
  await atSite(async site => {
    const { folder, gateway } = site
    writeFileSync(join(folder, 'm.yaml'), manifest)
    let killed = 0
    const told = async (words: readonly string[], at?: number) => {
      const fate = at === undefined ? {} : { GENRUN_CRASH_AT: String(at) }
      const ended = await genrun(site, [...words, '--quiet'], fate)
      if (ended.signal) killed++
      return ended
    }
    const shard = (which: string, at?: number) => told(['run', 'm.yaml', '--shard', which], at)
    await Promise.all([shard('1/2', 70), shard('2/2', 110)])
    await Promise.all([shard('1/2', 55), shard('2/2', 90)])
    for (const which of ['1/3', '2/3', '3/3']) await shard(which)
    const merge = async (at?: number) => {
      const fate = at === undefined ? {} : { GENRUN_CRASH_AT: String(at) }
      const ended = await genrun(site, ['merge', 'm.yaml'], fate)
      if (ended.signal) killed++
      return ended
    }
    for (const at of [12, 40, 70]) await merge(at)
    const last = await merge()
    expect(last).toMatchObject({
      signal: null,
      stdout: expect.stringMatching(/^(merged|there are no shards)/),
    })

    const { byKey, requests } = gateway.ledger()
    const billed = Object.entries(byKey).filter(([, tally]) => tally.billed > 0)
    expect(billed.every(([, tally]) => tally.billed === 1 && tally.requests === 1)).toBe(true)
    expect(billed.length).toBeLessThanOrEqual(6)
    const lock = readFileSync(join(folder, 'm.lock.json'), 'utf8')
    for (const [key] of billed) expect(lock).toContain(`"id":"${key}"`)
    // Every job has its result, or an order that is in doubt and named.
    expect(lock.match(/"state":"(done|doubt|running)"/g)).toHaveLength(6)
    await told(['run', 'm.yaml'])
    expect(gateway.ledger().requests).toEqual(requests)
    expect(killed).toBeGreaterThan(2)
  })
})
