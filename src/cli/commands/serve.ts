import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { isLoopback } from '../../gateway/http/auth.ts'
import type { Gateway, LedgerCounts } from '../../gateway/server.ts'
import { readKeyFile } from '../../workspace/read/named-file.ts'
import type { Given } from '../flags/given.ts'
import { readServeChoices, type ServeArgs } from '../flags/serve-args.ts'
import type { Out } from '../io/out.ts'
import { aborted, watchSignals } from '../io/signals.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { startTrouble } from '../service/listen-trouble.ts'
import { chosenKey, type Trouble } from '../service/service.ts'
import { problemsText, refuseFor, warningText } from '../words/problems.ts'

const usualPort = 4040
const usualHost = '127.0.0.1'

/** Answers that are under way when a stop comes may take so long. */
const graceMs = 2000

/** `genrun serve`: the embedded gateway until a signal ends it. stdout carries what a client must set. */
export async function serve(
  args: ServeArgs & Given<'host' | 'port'>,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const { host = usualHost, port = usualPort } = args
  const read = readServeChoices(args, around)
  if (read.is === 'trouble') return refuseFor(read.trouble, out)
  if (read.problems.length > 0) out.talk(problemsText(read.problems, out.paint))
  if (read.is === 'problems') return exit.refused
  const given = chosenKey(around.env, path => readKeyFile(path, around.cwd))
  if (given && 'code' in given) return refuseFor(given, out)
  if (!given && !isLoopback(host)) return refuseFor(openToAll(host), out)
  if (given) out.hide(given.key)
  const warn = (text: string) => out.talk(warningText(text, out.paint))
  for (const warning of given?.warnings ?? []) warn(warning)
  const stop = watchSignals(around, signal => signal !== 'again' && out.talk('closing'))
  const { startGateway } = await import('../../gateway/server.ts')
  const choices = { ...read.choices, host, port, key: given?.key, remark: warn }
  const started = await startGateway(choices).catch(startTrouble)
  if ('code' in started) return refuseFor(started, out)
  tellClients(started, given !== undefined, out)
  await aborted(stop.signal)
  await started.close(graceMs)
  stop.close()
  out.talk(servedText(started.ledger()))
  return exit.ok
}

/** stdout: what a client must set. A key that came from outside is known there and shown nowhere; the bucket's is thrown away with it. */
function tellClients({ baseUrl, key, pageUrl, s3 }: Gateway, isKeyKnown: boolean, out: Out): void {
  out.result(`GENRUN_BASE_URL=${baseUrl}`)
  if (!isKeyKnown) out.result(`GENRUN_API_KEY=${key}`)
  if (s3) {
    out.result(`AWS_ENDPOINT_URL_S3=${s3.endpoint}`)
    out.result(`AWS_ACCESS_KEY_ID=${s3.accessKeyId}`)
    out.result(`AWS_SECRET_ACCESS_KEY=${s3.secretAccessKey}`)
    out.talk(`the bucket is s3://${s3.bucket}`)
  }
  const these = isKeyKnown && !s3 ? 'this' : 'these'
  out.talk(`serving until Ctrl-C; set ${these} for genrun or any other client`)
  out.talk(`what is made can be seen at ${pageUrl}`)
}

function servedText({ billed }: LedgerCounts): string {
  return `closed; ${counted(billed.execute + billed.submit, 'run')} served`
}

function openToAll(host: string): Trouble {
  return {
    code: 'no-key',
    message: `other machines can reach ${host}, so it needs a key of your choice`,
    hint: 'set GENRUN_API_KEY, or leave --host away to serve this machine only',
  }
}
