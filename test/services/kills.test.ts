import { expect, test } from 'vitest'
import { startGenrun } from '../e2e/executable.ts'
import { begin } from './double.ts'
import { atOnce, everywhere, project, runAt, writeSettings } from './run.ts'
import { type ShapeName, shapes } from './shapes.ts'

/** What the process is killed at: the order just taken and not answered, the first question, or the file. */
const moments = {
  order: (method: string) => method === 'POST',
  question: (method: string, path: string) => method === 'GET' && !path.startsWith('/cdn/'),
  file: (_: string, path: string) => path.startsWith('/cdn/') || path.endsWith('/content'),
}

interface Kill {
  readonly name: ShapeName
  readonly moment: keyof typeof moments
}

/** Every way of speaking, each at one moment; every moment at every write is the business of `test/faults`. */
const one: { readonly [Name in ShapeName]: keyof typeof moments } = {
  queue: 'order',
  'binary-speech': 'order',
  'base64-images': 'order',
  multipart: 'order',
  predictions: 'question',
  'operation-location': 'question',
  'other-host-polling': 'question',
  operations: 'file',
  'content-request': 'file',
  codes: 'file',
}
const few: readonly Kill[] = (Object.keys(one) as ShapeName[]).map(name => ({ name, moment: one[name] }))

/** Where an order is answered by the result, there is neither a question nor a file. */
const every: readonly Kill[] = (Object.keys(shapes) as ShapeName[]).flatMap(name =>
  (atOnce.includes(name) ? (['order'] as const) : (['order', 'question', 'file'] as const)).map(moment => ({
    name,
    moment,
  })),
)

/** `KILLS=all` tries every moment at every way of speaking. */
const kills = process.env.KILLS === 'all' ? every : few

test.each(kills)(
  '$name killed at the $moment buys nothing twice and loses nothing',
  { timeout: 60_000 },
  async ({ name, moment }) => {
    const cwd = await project()
    const double = await begin(shapes[name])
    // One after the other, so that it is certain which of them is on its way at that moment.
    writeSettings(cwd, everywhere(double), { limits: { total: 1 } })
    const { child, ended } = startGenrun(['run', 'everywhere.yaml', '--tag', name], {
      cwd,
      env: { HOME: cwd },
    })
    let isKilled = false
    // While the first file comes the second order leaves: with the second file it is certain that both were taken.
    let left = moment === 'file' ? 2 : 1
    double.heard = (method, path) => {
      if (isKilled || !moments[moment](method, path) || --left > 0) return
      isKilled = child.kill('SIGKILL')
    }
    const { stderr } = await ended
    expect({ isKilled, stderr: isKilled ? '' : stderr }).toEqual({ isKilled: true, stderr: '' })
    // Two more runs: the first takes up what is owed and buys what was never sent, the second has nothing to do.
    const next = await runAt(cwd, name, double)
    const last = await runAt(cwd, name, double)
    // What was let go and not answered is in doubt, whether it came or not; all else is made, for nothing where it was paid for.
    // What was saved before the end is kept.
    const endings = next.jobs.map(({ ending }) => (ending === 'kept' ? 'made' : ending)).toSorted()
    expect(endings).toEqual(moment === 'order' ? ['doubt', 'made'] : ['made', 'made'])
    expect(last.paid).toBe(0)
    const bodies = double.orders.map(({ body }) => JSON.stringify(body))
    expect(new Set(bodies).size).toBe(bodies.length)
    expect(double.unknown).toEqual([])
  },
)
