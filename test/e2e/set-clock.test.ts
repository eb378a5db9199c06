import { readdirSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { freshFolder } from './executable.ts'
import { openProject, underWay } from './project.ts'
import { openShop, sold } from './shop.ts'

const minute = 60_000
const preload = pathToFileURL(`${import.meta.dirname}/clock-preload.mjs`).href

test.each([
  ['back by ten minutes', -10 * minute],
  ['forward by two hours', 120 * minute],
])('a clock that is set %s while a run is under way changes nothing', async (_, aheadMs) => {
  const sells = await openShop()
  const clock = `${freshFolder()}/ahead`
  const env = { ...sells.env, NODE_OPTIONS: `--import ${preload}`, GENRUN_TEST_CLOCK: clock }
  const shop = { ...sells, env }
  const project = openProject(shop, { a: 'Rain', b: 'Wind' })
  const running = project.start('m.yaml')
  await underWay(project, running, 2)
  writeFileSync(clock, String(aheadMs))
  // It goes on asking: what ends only now is seen within seconds, by a process that was there before.
  const asked = shop.requests()
  await expect.poll(() => shop.requests(), { timeout: 20_000 }).toBeGreaterThan(asked + 1)
  await shop.finish()
  const { code, stderr } = await running.ended
  expect(code, stderr).toBe(0)
  expect(project.says('a')).toBe('Rain, order 1')
  expect(sold(shop)).toEqual(['Rain', 'Wind'])
  // The clock was set indeed: the records of one order are dated so far apart.
  const [journal = ''] = readdirSync(project.path('.genrun/m/journal'))
  const dates = [...project.text(`.genrun/m/journal/${journal}`).matchAll(/"at":(\d{13})/g)].map(([, at]) =>
    Number(at),
  )
  expect(Math.max(...dates) - Math.min(...dates)).toBeGreaterThan(Math.abs(aheadMs) - minute)
  await project.isAtRest()
})
