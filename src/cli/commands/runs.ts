import { display } from '../../base/display.ts'
import { type ExitCode, exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { shellWord } from '../../text/shell-word.ts'
import {
  type CancelRecord,
  cancelRuns,
  type DoubtRecord,
  type ListedRecord,
  listRuns,
} from '../../verbs/runs-at-service.ts'
import type { Service } from '../../workspace/service/service.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { secretsOf } from '../service/service.ts'
import { serviceFor } from '../service/service-for.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'
import { withService } from './run.ts'

type DeskArgs = ManifestArgs & Given<'ca' | 'json'>

/** `genrun cancel`: services are told that runs are not wanted any more. */
export function cancel(
  args: DeskArgs & { readonly jobs: readonly string[] },
  around: Surroundings,
  out: Out,
): Promise<number> {
  return atService(args, around, out, async (service, stop) => {
    const workspace = workspaceFrom({ ...args, jobs: [] }, around)
    const result = await cancelRuns({ ...workspace, words: args.jobs, service, stop })
    if (result.got !== 'canceled') return tellAgainst(result, args, out)
    if (args.json) out.json(result.runs)
    else for (const each of result.runs) out.result(display(canceledText(each), 500))
    return result.runs.every(({ is }) => is === 'told') ? exit.ok : exit.unfinished
  })
}

function canceledText({ address, run, is, detail }: CancelRecord): string {
  const why = detail === undefined ? '' : ` (${detail})`
  switch (is) {
    case 'told':
      return `${address}: the service was told to give up ${run}; the next run asks what became of it`
    case 'refused':
      return `${address}: the service does not give up ${run}${why}`
    case 'unheard':
      return `${address}: the service was not heard${why}; whether it gives up ${run}, the next run sees`
    case 'not-offered':
      return `${address}: the profile names no \`endpoints.cancel\`: ${run} goes on`
    case 'elsewhere':
      return `${address}: ${run} is at another service${why}, which is not asked`
  }
}

/** `genrun runs`: what services list beside what is recorded. */
export function runs(args: DeskArgs, around: Surroundings, out: Out): Promise<number> {
  return atService(args, around, out, async (service, stop) => {
    const result = await listRuns({ ...workspaceFrom(args, around), service, stop })
    if (result.got !== 'runs') return tellAgainst(result, args, out)
    const { services, doubts } = result
    if (args.json) out.json({ services, doubts })
    else {
      for (const each of services) out.result(listText(each))
      for (const each of doubts) out.result(display(doubtText(each, args.manifest)))
    }
    if (!args.json)
      out.talk('a list shows what a service likes to show: that a run is not on it proves nothing')
    return services.every(({ listed }) => listed !== undefined) ? exit.ok : exit.unfinished
  })
}

function listText({ service = 'the usual service', listed, unknown, detail }: ListedRecord): string {
  if (listed === undefined) return display(`${service}: no list: ${detail}`, 500)
  const head = `${service}: ${counted(unknown.length, 'run')} of ${listed} that nothing here knows`
  const lines = unknown
    .slice(0, mostLines)
    .map(({ id, at, word }) =>
      ['', id, at === undefined ? undefined : dateText(at), word]
        .filter(each => each !== undefined)
        .join('  '),
    )
  const rest = unknown.length > mostLines ? [`  and ${unknown.length - mostLines} older; --json has all`] : []
  return [head, ...lines, ...rest].map(line => display(line, 500)).join('\n')
}

/** The latest stand first, and whoever looks for one knows about when it was. */
const mostLines = 50

function doubtText({ address, service, since }: DoubtRecord, manifest: string): string {
  const sent = since === undefined ? '' : `, sent ${dateText(since)}`
  const at = service === undefined ? '' : ` at ${service}`
  const settle = `genrun resolve ${shellWord(manifest)} ${shellWord(address)} --adopt ID`
  return `${address} is in doubt${at}${sent}; if one of them is its run: ${settle}`
}

function dateText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** With the services that the person has; a rehearsal has no runs. */
async function atService(
  args: DeskArgs,
  around: Surroundings,
  out: Out,
  work: (service: Service, stop: AbortSignal) => Promise<ExitCode>,
): Promise<number> {
  const choice = serviceFor({ ...args, local: false }, around)
  if (choice.use === 'nothing') return refuse(choice.trouble, exit.refused, args, out)
  if (choice.use === 'rehearsal') {
    const hint = 'set GENRUN_BASE_URL and GENRUN_API_KEY, or keep services in your own settings'
    return refuse({ code: 'no-service', message: 'no service is configured', hint }, exit.refused, args, out)
  }
  for (const secret of secretsOf(choice)) out.hide(secret)
  return withService(
    choice,
    () => undefined,
    service => work(service, AbortSignal.timeout(longestMs)),
  )
}

const longestMs = 60_000
