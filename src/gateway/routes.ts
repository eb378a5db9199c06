import { defined } from '../base/defined.ts'
import type { WireMode } from '../base/state.ts'
import type { Model } from '../catalog/index.ts'
import { costOf } from '../forms/cost.ts'
import { faultHeader } from './faults/fault-words.ts'
import type { Fault } from './faults/faults.ts'
import { fileAnswer, linkedFile } from './files/files.ts'
import { type GatewayAnswer, type ReadRequest, refusedAnswer } from './http/answer.ts'
import { checkKey } from './http/auth.ts'
import { jsonType, readRequestBody } from './http/body.ts'
import type { Payer } from './ledger.ts'
import {
  type AskedRules,
  askedRules,
  crowdedAnswer,
  fateBy,
  mishapAfter,
  mishapBefore,
  mishapOnTheWay,
} from './mishaps.ts'
import { labelOf, readWork } from './order.ts'
import { acceptedReply, runReply } from './reply.ts'
import type { GatewayRun } from './runs/run.ts'
import type { Work } from './runs/work.ts'
import { type Outcome, type Site, wholeAnswer } from './site.ts'

/** `POST /workflows/{workflow}/execute` and `…/submit`: the requests that cost money. */
export async function paidRequest(
  site: Site,
  request: Request,
  mode: WireMode,
  workflow: string,
): Promise<Outcome> {
  site.counts[mode]++
  const payer = payerOf(request, mode)
  site.ledger.note(payer, 'requests')
  const model = knownModel(site, request, workflow)
  if ('refused' in model) return wholeAnswer(model.refused)
  const asked = askedRules(site, request.headers.get(faultHeader), mode)
  if (typeof asked === 'string') return wholeAnswer(refusedAnswer(400, 'bad_fault', asked))
  const body = await readRequestBody(request, jsonType)
  if ('refused' in body) return wholeAnswer(body.refused)
  const label = labelOf(workflow, body.value)
  const faults = site.faults({ endpoint: mode, model: workflow, label }, asked.now)
  const mishap = await mishapBefore(site, faults)
  if (mishap) return mishap
  return takeOrder(site, {
    payer,
    model: model.value,
    bytes: body.value,
    origin: originOf(request),
    label,
    asked,
    faults,
  })
}

/** `GET /workflows/{workflow}/{id}/result`. */
export async function resultRequest(
  site: Site,
  request: Request,
  workflow: string,
  id: string,
): Promise<Outcome> {
  site.counts.result++
  const model = knownModel(site, request, workflow)
  if ('refused' in model) return wholeAnswer(model.refused)
  const run = site.runs.find(id)
  if (run?.workflow !== workflow)
    return wholeAnswer(refusedAnswer(404, 'unknown_run', `${workflow} has no run ${id}`))
  const faults = site.faults({ endpoint: 'result', model: workflow, label: run.label }, run.rules)
  const mishap = (await mishapBefore(site, faults)) ?? crowded(site, 'result')
  if (mishap) return mishap
  return mishapOnTheWay(resultAnswer(site, site.runs.find(id) ?? run, originOf(request)), faults)
}

/** `GET /files/{run}/{name}`: open to whoever has the link, as signed links are. */
export async function fileRequest(site: Site, request: Request, run: string, name: string): Promise<Outcome> {
  site.counts.file++
  const output = linkedFile(request, run, name, { links: site.links, outputs: site.outputs })
  if ('refused' in output) return wholeAnswer(output.refused)
  const { label = run, workflow = '', rules = [] } = site.runs.find(run) ?? {}
  const faults = site.faults({ endpoint: 'file', model: workflow, label: `${label}/${name}` }, rules)
  const mishap = await mishapBefore(site, faults)
  if (mishap) return mishap
  const outcome = mishapOnTheWay(fileAnswer(request, output.value, site.outputs), faults)
  const isWhole = request.method === 'GET' && outcome.answer.status === 200
  return { ...outcome, ...(isWhole && { delivered: () => site.outputs.fetched(output.value) }) }
}

/** The model a workflow runs, for a request that carries the key. */
function knownModel({ key, models }: Site, request: Request, workflow: string): ReadRequest<Model> {
  const refused = checkKey(request.headers, key)
  if (refused) return { refused }
  const value = models.get(workflow)
  return value
    ? { value }
    : { refused: refusedAnswer(404, 'unknown_workflow', `there is no workflow ${workflow}`) }
}

/** A paid request that nothing has stood in the way of yet. */
interface Candidate {
  readonly payer: Payer
  readonly model: Model
  readonly bytes: Uint8Array
  readonly origin: string
  readonly label: string
  readonly asked: AskedRules
  readonly faults: readonly Fault[]
}

/** Accepts an order, unless something is wrong with it, and answers: with the id, or when the work is done. */
async function takeOrder(site: Site, candidate: Candidate): Promise<Outcome> {
  const { payer, origin, faults } = candidate
  const refused = crowded(site, payer.mode)
  if (refused) return refused
  if (payer.mode === 'execute') site.load.executes++
  try {
    const accepted = await acceptOrder(site, candidate)
    if ('refused' in accepted) return wholeAnswer(accepted.refused)
    const run = accepted.value
    const mishap = mishapAfter(faults)
    if (mishap) return mishap
    if (payer.mode === 'submit') return mishapOnTheWay(acceptedReply(run), faults)
    await site.runs.settled(run.id)
    return mishapOnTheWay(resultAnswer(site, site.runs.find(run.id) ?? run, origin), faults)
  } finally {
    if (payer.mode === 'execute') site.load.executes--
  }
}

/** Bills an order and begins with it; gives the first run again for a key that is honoured. */
async function acceptOrder(site: Site, candidate: Candidate): Promise<ReadRequest<GatewayRun>> {
  const { payer, model, label, asked, faults } = candidate
  const work = await readWork(site, model, candidate)
  if ('refused' in work) return work
  // Asked after the last wait, so that of two equal requests at once only one is billed.
  const earlier = earlierRun(site, payer.key, label)
  if (earlier) return earlier
  site.ledger.note(payer, 'billed')
  const { mode, key, job } = payer
  const order = { mode, key, label, rules: asked.later, fate: fateBy(faults), ...creditsOf(site, work.value) }
  const run = site.runs.accept({ ...order, work: { ...work.value, ...defined({ job }) } })
  if (key !== undefined && site.honoursKeys) site.byKey.set(key, { run: run.id, label })
  return { value: run }
}

/** Only what the prices tell: an unknown cost is not 0. */
function creditsOf({ prices }: Site, { model, params }: Work): { readonly credits?: number } {
  const cost = prices && costOf(model, params, prices)
  return cost?.is === 'known' ? { credits: cost.amount } : {}
}

/** The run an idempotency key stands for. A key that was used for another order is refused. */
function earlierRun(site: Site, key: string | undefined, label: string): ReadRequest<GatewayRun> | undefined {
  const known = key === undefined ? undefined : site.byKey.get(key)
  const run = known && site.runs.find(known.run)
  if (!known || !run) return undefined
  if (known.label === label) return { value: run }
  return { refused: refusedAnswer(422, 'key_reused', 'the idempotency key was used for another request') }
}

function resultAnswer(site: Site, run: GatewayRun, origin: string): GatewayAnswer {
  if (isExpired(site, run))
    return refusedAnswer(410, 'result_expired', `the result of ${run.id} is no longer kept`)
  return runReply(run, { links: site.links, origin, now: site.clock.now() })
}

function isExpired({ resultSeconds, clock, outputs }: Site, { id, state }: GatewayRun): boolean {
  if (state.is !== 'completed' && state.is !== 'failed') return false
  if (resultSeconds !== undefined && clock.now() > state.at + resultSeconds * 1000) return true
  return state.is === 'completed' && !outputs.has(id)
}

function crowded(site: Site, endpoint: 'execute' | 'submit' | 'result'): Outcome | undefined {
  const waitSeconds = site.gate(endpoint, { executes: site.load.executes, runs: site.runs.alive() })
  return waitSeconds === undefined ? undefined : wholeAnswer(crowdedAnswer(waitSeconds))
}

/** By the headers: `Idempotency-Key`, and `X-Gateway-Job` for whoever wants the ledger by job. */
function payerOf({ headers }: Request, mode: WireMode): Payer {
  const [key, job] = [headers.get('idempotency-key'), headers.get('x-gateway-job')]
  return { mode, ...(key !== null && { key }), ...(job !== null && { job }) }
}

/** Scheme, host and port as the client named them. */
function originOf(request: Request): string {
  return new URL(request.url).origin
}
