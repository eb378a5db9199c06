import { resolve } from 'node:path'
import { exit } from '../../base/exit.ts'
import { isLoopback } from '../../gateway/auth.ts'
import type { ServeAsked } from '../asked.ts'
import { readKeyFile } from '../key-file.ts'
import type { Out } from '../out.ts'
import { troubleText, warningText } from '../problems.ts'
import { chosenKey, type Trouble } from '../service.ts'
import { watchSignals } from '../signals.ts'
import type { Surroundings } from '../surroundings.ts'

const usualPort = 4040
const usualHost = '127.0.0.1'

/** Answers that are under way when a stop comes may take so long. */
const graceMs = 2000

/** `genrun serve`: the embedded gateway until a signal ends it. stdout carries what a client must set. */
export async function serve(asked: ServeAsked, around: Surroundings, out: Out): Promise<number> {
  const { host = usualHost, port = usualPort, outputs } = asked
  const given = chosenKey(around.env, path => readKeyFile(path, around.cwd))
  if (given && 'code' in given) return refuse(given, out)
  if (!given && !isLoopback(host)) return refuse(openToAll(host), out)
  if (given) out.hide(given.key)
  for (const warning of given?.warnings ?? []) out.talk(warningText(warning, out.paint))
  const stop = watchSignals(around, () => out.talk('closing'))
  const { startGateway } = await import('../../gateway/server.ts')
  const place = outputs === undefined ? 'memory' : { folder: resolve(around.cwd, outputs) }
  const started = await startGateway({ host, port, key: given?.key, outputs: place }).catch(startTrouble)
  if ('code' in started) return refuse(started, out)
  out.result(`GENRUN_BASE_URL=${started.baseUrl}`)
  // A key that came from outside is known there and shown nowhere.
  if (!given) out.result(`GENRUN_API_KEY=${started.key}`)
  out.talk(
    `serving placeholders until Ctrl-C; set ${given ? 'this' : 'these'} for genrun or any other client`,
  )
  await aborted(stop.signal)
  await started.close(graceMs)
  stop.close()
  return exit.ok
}

function refuse(trouble: Trouble, out: Out): number {
  out.talk(troubleText(trouble, out.paint))
  return exit.refused
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}

function openToAll(host: string): Trouble {
  return {
    code: 'no-key',
    message: `other machines can reach ${host}, so it needs a key of your choice`,
    hint: 'set GENRUN_API_KEY, or leave --host away to serve this machine only',
  }
}

/** Why the gateway did not start, in the user's words; what the system did not say is a bug. */
function startTrouble(cause: unknown): Trouble {
  if (!(cause instanceof Error && 'code' in cause)) throw cause
  const { code, address, port, path } = cause as NodeJS.ErrnoException & { address?: string; port?: number }
  const place = [address, port].filter(part => part !== undefined).join(':')
  if (path !== undefined)
    return { code: 'bad-outputs', message: `${path} cannot be used for outputs: ${code}` }
  switch (code) {
    case 'EADDRINUSE':
      return {
        code: 'port-taken',
        message: `${place} is taken by another program`,
        hint: '--port 0 takes a free port',
      }
    case 'EACCES':
      return {
        code: 'port-denied',
        message: `${place} may not be used`,
        hint: 'ports from 1024 on need no special rights',
      }
    default:
      return { code: 'no-listening', message: `${place || 'this address'} cannot be listened on: ${code}` }
  }
}
