// What a connection of its own costs an order, beside one that is kept: `node test/bench/connection.mjs [orders] [delay]`; needs esbuild,
// which bundles the wire from its sources. A TLS server of one process answers at once, behind a wire that holds each byte for half of
// the delay (ms) on either way. From the call to the whole answer, median, and the processor time of the side that orders.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundled, root } from './driver.mjs'

const [orders = '100', delay = '50'] = process.argv.slice(2)

const driver = `
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer } from 'node:net'
import { systemClock } from '${root}/src/base/clock.ts'
import { createAsker, pay } from '${root}/src/wire/http/http.ts'
import { certificate, certificateKey } from '${root}/test/wire/certificate.ts'

const [what, count, delay] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const limits = { firstHeaderMs: 30_000, totalMs: 30_000 }
const headers = { 'content-type': 'application/json' }
const sent = Buffer.from(JSON.stringify({ prompt: 'x'.repeat(500) }))

if (what === 'serve') serve()
else await measure(process.argv[5])

function serve() {
  const tls = createTlsServer({ cert: certificate, key: certificateKey }, (request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"id":"r1"}'))
  })
  const late = (from, to) => {
    from.on('data', bytes => setTimeout(() => to.write(bytes), delay / 2))
    from.on('end', () => setTimeout(() => to.end(), delay / 2))
    from.on('error', () => to.destroy())
  }
  tls.listen(0, '127.0.0.1', () => {
    const door = createServer(socket => {
      // A connection takes one way there and back before a byte is sent.
      socket.pause()
      setTimeout(() => {
        const inner = connect(tls.address().port, '127.0.0.1')
        late(socket, inner)
        late(inner, socket)
        socket.resume()
      }, delay)
    })
    door.listen(0, '127.0.0.1', () => console.log(door.address().port))
  })
}

async function measure(port) {
  const url = new URL('https://localhost:' + port + '/execute')
  const way = { ca: certificate }
  const asker = createAsker(url.origin, systemClock, 30_000, way)
  const signal = new AbortController().signal
  const read = async (head, body) => {
    for await (const piece of body) void piece
    return head.status
  }
  const own = () =>
    pay(
      { url, headers, body: sent, clock: systemClock, way, connectMs: 30_000, ...limits, beforeFirstByte: async () => () => undefined },
      read,
    )
  // A question: only these share connections.
  const kept = () => asker.get({ url, headers, signal, firstHeaderMs: 30_000, totalMs: () => 30_000 }, read)
  const told = {}
  for (const [name, order] of [['own', own], ['kept', kept], ['own', own], ['kept', kept]]) {
    const times = []
    const before = process.cpuUsage()
    for (let nth = 0; nth < count; nth++) {
      const began = performance.now()
      const { value } = await order()
      if (value !== 200) throw new Error(name + ' was not answered')
      times.push(performance.now() - began)
    }
    const { user, system } = process.cpuUsage(before)
    times.sort((a, b) => a - b)
    // The second round counts: the first has everything compiled.
    told[name] = { ms: times[count >> 1], cpu: (user + system) / 1000 / count }
  }
  await asker.close()
  console.log(JSON.stringify(told))
}
`

const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
let server
try {
  const outfile = await bundled(folder, driver)
  server = spawn(process.execPath, [outfile, 'serve', '0', delay], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise(found => server.stdout.once('data', text => found(String(text).trim())))
  const words = [outfile, 'order', orders, delay, port]
  const { own, kept } = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }))
  row(
    `an order over TLS, ${delay} ms there and back: its own connection / a kept one`,
    own.ms / kept.ms,
    `${own.ms.toFixed(0)} / ${kept.ms.toFixed(0)} ms`,
  )
  row(
    'processor time of the side that orders',
    own.cpu / kept.cpu,
    `${own.cpu.toFixed(2)} / ${kept.cpu.toFixed(2)} ms`,
  )
} finally {
  server?.kill()
  rmSync(folder, { recursive: true, force: true })
}

function row(name, figure, more) {
  console.log(`${name.padEnd(80)} ${figure.toFixed(2).padStart(6)}   ${more}`)
}
