// How fast placeholders come and how soon the gateway answers meanwhile: `node test/bench/gateway.mjs [dist/bin.cjs]`.
// Figures are good as ratios inside one run only (shared/TARGETS.md): medians of five, interleaved.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { executableAt } from './executable.mjs'

const executable = executableAt(process.argv[2])
const rounds = 5

const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const server = spawn(process.execPath, [executable, 'serve', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
try {
  const { baseUrl, key } = await settings(server)
  const client = clientOf(baseUrl, key)
  await client.order('execute', { model: 'famc-v3', prompt: 'Warm up', duration: 3 })
  const rows = [
    ...(await clipRows(client)),
    ...(await imageRows(client)),
    ...(await waitRows(client)),
    ...(await queueRows(client)),
  ]
  for (const [what, ratio, figures] of rows)
    console.log(`${what.padEnd(52)} ${ratio.padStart(8)}   ${figures}`)
} finally {
  server.kill()
  rmSync(folder, { recursive: true })
}

/** Ten seconds of 1080p30 against ffmpeg with x264 ultrafast drawing a test picture of the same size. */
async function clipRows(client) {
  const params = { model: 'famc-v3-turbo', prompt: 'Steam rises', resolution: '1080p', duration: 10 }
  const drawn = ['-f', 'lavfi', '-i', 'testsrc2=size=1920x1080:rate=30:duration=10']
  const coded = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-y',
    join(folder, 'clip.mp4'),
  ]
  const cpu = { ours: [], theirs: [] }
  const [ours, theirs] = await interleaved(
    async nth => {
      const before = cpuMs()
      await client.order('execute', { ...params, prompt: `Steam rises ${nth}` })
      cpu.ours.push(cpuMs() - before)
    },
    async () => {
      // `times` of a shell: what its children have used.
      const command = ['ffmpeg', '-v', 'error', ...drawn, ...coded].join(' ')
      const { stdout } = await promisify(execFile)('sh', ['-c', `${command}; times`])
      cpu.theirs.push(shellMs(stdout.trim().split('\n')[1]))
    },
  )
  return [
    [
      'clip, 10 s of 1080p30 / ffmpeg x264 ultrafast (0.3)',
      ratioOf(ours, theirs),
      `${ms(ours)} / ${ms(theirs)}`,
    ],
    [
      'the same, by processor time of all threads',
      ratioOf(median(cpu.ours), median(cpu.theirs)),
      `${ms(median(cpu.ours))} / ${ms(median(cpu.theirs))}`,
    ],
  ]
}

/** What the server has used, all threads together. */
function cpuMs() {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  // User and system time in clock ticks, a hundred a second on Linux.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** `0m1.820s 0m0.040s` in milliseconds. */
function shellMs(line) {
  const parts = line.split(' ').map(part => /^(\d+)m([\d.]+)s$/.exec(part))
  return parts.reduce((sum, [, minutes, seconds]) => sum + minutes * 60_000 + seconds * 1000, 0)
}

async function imageRows(client) {
  const order = model => nth => client.order('execute', { model, prompt: `A teapot ${nth}` })
  const [small, empty] = await interleaved(order('fama-imagine-image'), () => client.ping())
  return [['image of 1024², whole request (200 ms)', '', `${ms(small)}; an empty request ${ms(empty)}`]]
}

/** Eight clips at a time: how long they take beside one, and how long other requests wait meanwhile. */
async function waitRows(client) {
  const clip = nth => ({ model: 'famc-v3', prompt: `Steam ${nth}`, renderingSpeed: 'pro', duration: 15 })
  const [one, eight] = [[], []]
  const waits = []
  for (let round = 0; round < rounds; round++) {
    one.push(await timed(() => client.order('execute', clip(`${round}`))))
    let isWorking = true
    const pings = (async () => {
      while (isWorking) {
        waits.push(await timed(() => client.ping()))
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    })()
    const orders = Array.from({ length: 8 }, (_, k) => client.order('execute', clip(`${round} ${k}`)))
    eight.push(await timed(() => Promise.all(orders)))
    isWorking = false
    await pings
  }
  const sorted = waits.toSorted((a, b) => a - b)
  const at = share => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
  return [
    [
      'eight clips of 15 s at once / eight times one',
      ratioOf(median(eight), 8 * median(one)),
      `${ms(median(eight))} / 8 × ${ms(median(one))}`,
    ],
    [
      'other requests meanwhile: median, 99 of 100, longest',
      '',
      `${at(0.5)}, ${at(0.99)}, ${at(1)} of ${sorted.length}`,
    ],
  ]
}

/** Many clips submitted at once: how much memory they take, and how long polls and the page wait meanwhile. */
async function queueRows(client) {
  const clips = 200
  const order = nth => client.submit({ model: 'famc-v3', prompt: `Queued ${nth}`, duration: 5 })
  const start = performance.now()
  const left = new Set(await Promise.all(Array.from({ length: clips }, (_, nth) => order(nth))))
  const [polls, pages] = [[], []]
  while (left.size > 0) {
    for (const id of [...left].slice(0, 20)) {
      const asked = performance.now()
      if ((await client.result('famc-v3', id)).status === 'completed') left.delete(id)
      polls.push(performance.now() - asked)
    }
    pages.push(await timed(() => client.page()))
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const each = (performance.now() - start) / clips
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1] / 1024
  const waits = [polls, pages].map(
    list => `${ms(median(list))}, ${ms(list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.99)])}`,
  )
  return [
    [`${clips} clips of 5 s queued: each, peak memory`, '', `${ms(each)}, ${Math.round(peak)} MiB`],
    ['polls meanwhile, the page: median, 99 of 100', '', waits.join('; ')],
  ]
}

function clientOf(baseUrl, key) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = async (mode, params) => {
    const response = await fetch(`${baseUrl}/workflows/${params.model}/${mode}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ params }),
    })
    return response.json()
  }
  return {
    async order(mode, params) {
      const answer = await post(mode, params)
      if (answer.status !== 'completed') throw new Error(JSON.stringify(answer))
      return answer
    },
    submit: async params => (await post('submit', params)).id,
    result: async (model, id) =>
      (await fetch(`${baseUrl}/workflows/${model}/${id}/result`, { headers })).json(),
    page: async () =>
      (await fetch(new URL('/', baseUrl), { headers: { authorization: `Basic ${btoa(`:${key}`)}` } })).text(),
    ping: async () => (await fetch(`${baseUrl}/nothing`, { headers })).text(),
  }
}

/** Medians in milliseconds, the tasks taking turns. */
async function interleaved(...tasks) {
  const times = tasks.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const [k, task] of tasks.entries()) times[k].push(await timed(() => task(round)))
  return times.map(median)
}

async function timed(task) {
  const start = performance.now()
  await task()
  return performance.now() - start
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function ms(value) {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`
}

function ratioOf(one, other) {
  return (one / other).toFixed(2)
}

async function settings(child) {
  let printed = ''
  for await (const part of child.stdout.setEncoding('utf8')) {
    printed += part
    const [, baseUrl, key] = /GENRUN_BASE_URL=(\S+)\n(?:.*\n)*?GENRUN_API_KEY=(\S+)\n/.exec(printed) ?? []
    if (key) return { baseUrl, key }
  }
  throw new Error('the gateway did not start')
}
