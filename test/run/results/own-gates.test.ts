import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { systemRandom } from '../../../src/base/random.ts'
import { startGateway } from '../../../src/gateway/server.ts'
import type { OwnGate } from '../../../src/looks/own-gate.ts'
import { gateAsker } from '../../../src/run/results/own-gates.ts'
import { digestBytes } from '../../../src/store/files/digest.ts'
import { systemDisk } from '../../../src/store/files/disk.ts'
import { galleryOf } from '../../../src/verbs/gallery.ts'
import { reviewOf } from '../../../src/verbs/review.ts'
import { statusOf } from '../../../src/verbs/status.ts'
import { verifyManifest } from '../../../src/verbs/verify.ts'
import type { RunEvent } from '../../../src/wording/report.ts'
import { closeBench, manifestName, openBench, openBenchAt, paidAt, toldSteps } from '../../verbs/bench.ts'

const folder = mkdtempSync(join(tmpdir(), 'genrun-gate-'))
afterAll(() => rmSync(folder, { recursive: true }))

function gate(name: string, script: string) {
  const program = join(folder, name)
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return { name: 'brand', program, secret }
}

const secret = join(folder, 'own', 'gate-secret')
const question = {
  file: '/p/a.part',
  type: 'image/png',
  digest: 'sha256:1',
  job: 'hero',
  model: 'm',
  params: {},
}
const state = join(folder, 'state')
const tools = { clock: systemClock, random: systemRandom, disk: systemDisk, way: {} }
const ask = gateAsker({ ...tools, state })
const going = new AbortController().signal
const unseen = (why: string) => ({ look: 'brand', verdict: 'not looked at', why })

test.each([
  ['is good', `echo '{ "verdict": "ok", "score": 1 }'`, undefined],
  [
    'is broken',
    `echo '{ "verdict": "fail", "score": 0.25, "why": "no\\u001b[2J logo" }'`,
    { look: 'brand', verdict: 'fail', why: 'no [2J logo (0.25)' },
  ],
  [
    'is doubtful, without a reason',
    `echo '{ "verdict": "warn" }'`,
    { look: 'brand', verdict: 'warn', why: 'brand says warn' },
  ],
  [
    'has another verdict',
    `echo '{ "verdict": "bad" }'`,
    unseen(expect.stringContaining('it says no') as never),
  ],
  ['is no JSON', 'echo fail', unseen(expect.stringContaining('it says no') as never)],
  ['ended the gate', 'echo broken >&2; exit 3', unseen('it ended with 3: broken')],
  ['made it talk without end', 'yes', unseen('it writes too much')],
  [
    'is told as a path and as a line',
    `read line; echo "{ \\"verdict\\": \\"warn\\", \\"why\\": \\"$1 $(echo "$line" | wc -l)\\" }"`,
    { look: 'brand', verdict: 'warn', why: '/p/a.part 1' },
  ],
])('a gate of a person’s own, to which a file %s', async (name, script, expected) => {
  expect(await ask(gate(name.replaceAll(/\W/g, '-'), script), question, going)).toEqual(expected)
})

test('a gate that is not there has not looked', async () => {
  const program = join(folder, 'none')
  expect(await ask({ name: 'brand', program }, question, going)).toMatchObject({
    verdict: 'not looked at',
    why: expect.stringContaining('ENOENT'),
  })
})

/** What came of asking at an address, and every request that came there. */
async function askedAt(answers: RequestListener, about: Partial<typeof question> = {}) {
  const requests: { readonly url: string; readonly headers: object; readonly body: string }[] = []
  const bench = await openBenchAt((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', piece => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('latin1')
      requests.push({ url: request.url ?? '', headers: request.headers, body })
      answers(request, response)
    })
  })
  bench.write('a.part', 'the bytes')
  const file = join(bench.folder, 'a.part')
  const url = `${bench.origin}/check?v=2`
  // Of its own: the system may give this server the port of one before it, whose answers are known.
  const again = gateAsker({ ...tools, state: join(bench.folder, 'state') })
  return {
    found: await again({ name: 'brand', url, secret }, { ...question, file, ...about }, going),
    requests,
    again,
    url,
  }
}

test.each<[string, number, string, unknown]>([
  ['is good', 200, '{ "verdict": "ok" }', undefined],
  [
    'is broken',
    200,
    '{ "verdict": "fail", "score": 0.25, "why": "no logo" }',
    { look: 'brand', verdict: 'fail', why: 'no logo (0.25)' },
  ],
  ['gives no answer', 204, '', unseen(expect.stringContaining('it says no') as never)],
  ['is refused with a verdict', 500, '{ "verdict": "fail" }', unseen('it answers 500')],
  ['is answered without end', 200, ' '.repeat(70_000), unseen('the answer is longer than 65536 bytes')],
])('an address of a person’s own, at which a file %s', async (_, status, text, expected) => {
  const { found, requests } = await askedAt((__, response) => response.writeHead(status).end(text))
  expect(found).toEqual(expected)
  expect(requests).toHaveLength(1)
})

test('an address gets the file and what is known of it, as a form, and nothing else', async () => {
  const answers: RequestListener = (_, response) => response.end('{ "verdict": "ok" }')
  const { requests } = await askedAt(answers, { params: { prompt: 'Tee für “zwei”' } } as never)
  const [request] = requests
  expect(request?.url).toBe('/check?v=2')
  expect(Object.keys(request?.headers ?? {}).toSorted()).toEqual([
    'connection',
    'content-length',
    'content-type',
    'host',
  ])
  const parts = (request?.body ?? '').split(/--genrun-[^\r]*\r\n/).map(each => each.trim())
  expect(parts).toEqual([
    '',
    'Content-Disposition: form-data; name="type"\r\n\r\nimage/png',
    'Content-Disposition: form-data; name="digest"\r\n\r\nsha256:1',
    'Content-Disposition: form-data; name="job"\r\n\r\nhero',
    'Content-Disposition: form-data; name="model"\r\n\r\nm',
    `Content-Disposition: form-data; name="params"\r\n\r\n${Buffer.from('{"prompt":"Tee für “zwei”"}').toString('latin1')}`,
    'Content-Disposition: form-data; name="file"; filename="file.png"\r\nContent-Type: image/png\r\n\r\nthe bytes',
    '',
  ])
})

test('an address that leads elsewhere is not followed, and one where nobody is has not looked', async () => {
  const { found, requests } = await askedAt((_, response) =>
    response.writeHead(307, { location: '/elsewhere' }).end(),
  )
  expect(found).toEqual(unseen('it answers 307'))
  expect(requests).toHaveLength(1)
  const { found: broken } = await askedAt(request => request.socket.destroy())
  expect(broken).toMatchObject({ verdict: 'not looked at', why: expect.stringContaining('127.0.0.1:') })
})

test('is asked once for the same, whatever it says, and anew when anything of that changes', async () => {
  const count = join(folder, 'count')
  const told = (script: string) => gate('counts', `echo >> ${count}\n${script}`)
  const warns = told(`echo '{ "verdict": "warn", "why": "small" }'`)
  const small = { look: 'brand', verdict: 'warn', why: 'small' }
  const after = async (by: OwnGate, about: Partial<typeof question>) => {
    // Another run: what is known stands on the disk.
    const found = await gateAsker({ ...tools, state })(by, { ...question, ...about }, going)
    return [found, readFileSync(count, 'utf8').length]
  }
  expect(await after(warns, {})).toEqual([small, 1])
  expect(await after(warns, { file: '/p/b.part' })).toEqual([small, 1])
  expect(await after({ ...warns, name: 'other' }, {})).toEqual([{ ...small, look: 'other' }, 1])
  const changes = [{ digest: 'sha256:2' }, { params: { prompt: 'Tea' } }, { model: 'n' }, { job: 'fox' }]
  for (const [nth, about] of changes.entries()) expect(await after(warns, about)).toEqual([small, nth + 2])
  // A program that was written anew is another one; one that fails has said nothing.
  expect(await after(told(`echo '{ "verdict": "ok" }'`), {})).toEqual([undefined, 6])
  expect(await after(told(`echo '{ "verdict": "ok" }'; exit 1`), {})).toEqual([unseen('it ended with 1'), 7])
  expect(await after(told(`echo '{ "verdict": "ok" }'; exit 1`), {})).toEqual([unseen('it ended with 1'), 8])
  const { found, requests, again, url } = await askedAt((_, response) =>
    response.end('{ "verdict": "warn", "why": "small" }'),
  )
  expect([found, requests.length]).toEqual([small, 1])
  expect(await again({ name: 'brand', url, secret }, question, going)).toEqual(small)
  expect(requests).toHaveLength(1)
})

test('answers that somebody else left, or changed, are not believed', async () => {
  const lies = join(folder, 'lies')
  const fails = gate('fails', `echo '{ "verdict": "fail", "why": "small" }'`)
  const small = { look: 'brand', verdict: 'fail', why: 'small' }
  const after = async (by: OwnGate) => gateAsker({ ...tools, state: lies })(by, question, going)
  expect(await after(fails)).toEqual(small)
  const [name = ''] = readdirSync(join(lies, 'gates'))
  const kept = readFileSync(join(lies, 'gates', name), 'utf8')
  expect(kept).toContain('"verdict": "fail"')
  // As whoever wrote the checkout would: the very name, and another word.
  for (const brought of [
    kept.replace('"fail"', '"ok"'),
    '{ "verdict": "ok" }',
    `${'0'.repeat(64)}\n{ "verdict": "ok" }`,
  ]) {
    writeFileSync(join(lies, 'gates', name), brought)
    expect(await after(fails)).toEqual(small)
  }
  // Another person's, who has another secret.
  const other = join(folder, 'other', 'gate-secret')
  writeFileSync(join(lies, 'gates', name), kept)
  await after({ ...fails, secret: other })
  expect(readFileSync(join(lies, 'gates', name), 'utf8')).not.toBe(kept)
  // Without a secret nothing is kept.
  const { secret: _, ...bare } = fails
  rmSync(join(lies, 'gates'), { recursive: true })
  expect([await after(bare), existsSync(join(lies, 'gates'))]).toEqual([small, false])
})

test('a gate of a checkout is started as it was read, and never where nobody has', async () => {
  const count = join(folder, 'started')
  const { name, program } = gate('theirs', `echo >> ${count}; echo '{ "verdict": "ok" }'`)
  const digest = digestBytes(readFileSync(program))
  const fresh = gateAsker({ ...tools, state: join(folder, 'theirs-state') })
  expect(await fresh({ name, program, digest }, question, going)).toBeUndefined()
  expect(await fresh({ name, barred: 'nobody has read it' }, question, going)).toEqual(
    unseen('nobody has read it'),
  )
  writeFileSync(program, `#!/bin/sh\necho >> ${count}; echo '{ "verdict": "ok" }' # by another\n`)
  expect(await fresh({ name, program, digest }, question, going)).toEqual(
    unseen('its program is not the one that was read'),
  )
  expect(readFileSync(count, 'utf8')).toBe('\n')
})

test('nothing is written behind a link where answers are kept', async () => {
  const [other, outside] = [join(folder, 'linked'), join(folder, 'outside')]
  for (const made of [other, outside]) mkdirSync(made)
  symlinkSync(outside, join(other, 'gates'))
  const warns = gate('linked-check', `echo '{ "verdict": "warn", "why": "small" }'`)
  const found = await gateAsker({ ...tools, state: other })(warns, question, going)
  expect([found, readdirSync(outside)]).toEqual([{ look: 'brand', verdict: 'warn', why: 'small' }, []])
})

test('counts as the job says, stands in the lock, and must be declared', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  const gates = [gate('no-logo', `echo '{ "verdict": "fail", "why": "no logo" }'`)]
  const broken = { name: 'broken', program: join(folder, 'none') }
  const hero = (prompt: string, how: string) =>
    bench.write(
      manifestName,
      `jobs: { hero: { model: fama-imagine-image, prompt: ${prompt}, gate: ${how} } }\n`,
    )
  hero('Tea', '{ brand: fail }')
  expect(await bench.run()).toMatchObject({
    got: 'refused',
    problems: [{ message: 'there is no look brand' }],
  })
  expect(paidAt(gateway)).toBe(0)
  expect(await bench.run({ gates })).toMatchObject({
    report: {
      exit: 1,
      jobs: [{ ending: 'made', message: expect.stringContaining('hero.png: brand: no logo') }],
    },
  })
  expect(bench.read('m.lock.json')).toContain(
    '"looked":{"found":[{"look":"brand","verdict":"fail","why":"no logo"}],"verdict":"fail"}',
  )
  hero('Hat', '{ brand: warn }')
  expect(await bench.run({ gates })).toMatchObject({
    report: { exit: 0, jobs: [{ message: expect.stringContaining('hero.png: brand: no logo') }] },
  })
  // A gate that fails is never a flaw of the file.
  hero('Cup', '{ broken: fail }')
  expect(await bench.run({ gates: [broken] })).toMatchObject({ report: { exit: 0 } })
  expect(bench.read('m.lock.json')).toMatch(
    /"looked":\{"found":\[\{"look":"broken".*?"verdict":"not looked at"\}/,
  )
  const told = bench.read('m.lock.json').match(/"looked"/g)
  hero('Pot', '{ all: off }')
  await bench.run({ gates })
  expect(bench.read('m.lock.json').match(/"looked"/g)).toEqual(told)
  closeBench(bench)
  await gateway.close()
})

test('a gate that has not looked is asked again by the next run, until it has', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  const job = (more: string) => `{ model: fama-imagine-image, prompt: Tea, gate: { brand: fail${more} } }`
  bench.write(manifestName, `jobs: { hero: ${job('')}, cup: { model: fama-imagine-image, prompt: Cup } }\n`)
  const calls = join(folder, 'calls')
  const says = (word: string) => gate('again', `echo . >> '${calls}'; ${word}`)
  const run = async (word: string) => {
    const told: string[] = []
    const emit = (event: RunEvent) => void (event.event === 'planned' && told.push(...event.remarks))
    const result = await bench.run({ gates: [says(word)], emit })
    return result.got === 'report' ? { ...result.report, told } : result
  }
  expect(await run('exit 3')).toMatchObject({ exit: 0, told: [] })
  const still = 'still not looked at: hero.png (brand: it ended with 3)'
  expect(await run('exit 3')).toMatchObject({ exit: 0, told: [still] })
  const message = 'what came is not what was asked: hero.png: brand: no logo'
  const failing = await run(`echo '{ "verdict": "fail", "why": "no logo" }'`)
  expect(failing).toMatchObject({
    exit: 1,
    told: [],
    jobs: [{ ending: 'kept', message }, { ending: 'kept' }],
  })
  const verdict = '"looked":{"found":[{"look":"brand","verdict":"fail","why":"no logo"}],"verdict":"fail"}'
  expect(bench.read('m.lock.json')).toContain(verdict)
  // As of what was found when it came: told, and not asked about any more.
  expect(await run('exit 3')).toMatchObject({ exit: 0, told: [], jobs: [{ message }, {}] })
  expect(readFileSync(calls, 'utf8')).toBe('.\n.\n.\n')
  // The journal has it as well.
  bench.remove('m.lock.json')
  await run('exit 3')
  expect(bench.read('m.lock.json')).toContain(verdict)
  expect(paidAt(gateway)).toBe(2)
  closeBench(bench)
  await gateway.close()
})

test('what fails when a gate is asked again is ordered anew where its job says so', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  const job = '{ model: fama-imagine-image, prompt: Tea, gate: { brand: fail, retakes: 1 } }'
  bench.write(manifestName, `jobs: { hero: ${job} }\n`)
  const once = join(folder, 'once')
  const fails = `if test -e '${once}'; then echo '{ "verdict": "ok" }'; else touch '${once}'; echo '{ "verdict": "fail" }'; fi`
  expect(await bench.run({ gates: [gate('later', 'exit 3')] })).toMatchObject({
    report: { exit: 0, paid: 1 },
  })
  const run = () => bench.run({ gates: [gate('later', fails)] })
  // As of a file that comes with this run: the plan shows what the next one orders.
  expect(toldSteps(bench.plan({ gates: [gate('later', fails)] }))).toEqual([])
  expect(await run()).toMatchObject({ report: { exit: 1, paid: 0 } })
  expect(bench.plan({ gates: [gate('later', fails)] }).paid).toBe(1)
  for (const paid of [1, 0]) expect(await run()).toMatchObject({ report: { exit: 0, paid } })
  closeBench(bench)
  await gateway.close()
})

test('who has no such gate sees what was made, and what it found; a run, and a slip in a name, are refused', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  const text = (look: string) =>
    `jobs: { hero: { model: fama-imagine-image, prompt: Tea, gate: { ${look}: fail } } }\n`
  bench.write(manifestName, text('brand'))
  await bench.run({ gates: [gate('theirs', `echo '{ "verdict": "fail", "why": "no logo" }'`)] })
  const request = bench.request()
  const shown = {
    got: 'gallery',
    exhibits: [{ address: 'hero', message: expect.stringContaining('no logo') }],
  }
  expect(galleryOf(request)).toMatchObject(shown)
  expect(reviewOf(request)).toMatchObject({ got: 'review' })
  expect(statusOf(request)).toMatchObject({ got: 'status' })
  expect(await verifyManifest({ ...request, allow: [] })).toMatchObject({ got: 'verdict' })
  expect(await bench.run()).toMatchObject({
    got: 'refused',
    problems: [{ message: 'there is no look brand' }],
  })
  bench.write(manifestName, text('blnk'))
  expect(galleryOf(request)).toMatchObject({ got: 'refused', problems: [{ hint: 'did you mean blank' }] })
  closeBench(bench)
  await gateway.close()
})
