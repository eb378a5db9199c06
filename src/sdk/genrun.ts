import { anySignal } from '../base/any-signal.ts'
import { defined } from '../base/defined.ts'
import { problemRecord } from '../base/diagnostic.ts'
import type { ModelSet } from '../catalog/model-set.ts'
import type { AnyModelId } from '../catalog/params-of.ts'
import type { GenerateRequest, GenerateResult } from '../run/one-shot/generation.ts'
import { collect, listOpen } from '../verbs/collect.ts'
import { checkAsk, generate } from '../verbs/generate.ts'
import { generateLocked } from '../verbs/generate-locked.ts'
import { listModels } from '../verbs/models.ts'
import { planManifest } from '../verbs/plan.ts'
import { priceModel } from '../verbs/price.ts'
import { openRehearsal } from '../verbs/rehearse.ts'
import type { RunEvent } from '../wording/report.ts'
import { checkFile } from '../workspace/read/check.ts'
import { openModelSet } from '../workspace/read/model-set.ts'
import type { Service } from '../workspace/service/service.ts'
import { openSessionBudget, type SessionBudget } from '../workspace/session-budget.ts'
import type { GenerateOptions, SaveOptions } from './calls.ts'
import { callTrouble, quietOf, refusal } from './error.ts'
import { askGiven, plainParams } from './given.ts'
import { type GenrunOptions, gatesOf, keysGiven, type SpendingCaps, serviceOf } from './options.ts'
import { collectedOf, generatedOf, openIn, submittedOf } from './results.ts'
import { startRun } from './run.ts'
import { orderedRuns } from './runs.ts'
import type { Genrun } from './verbs.ts'

/** `createGenrun({ baseUrl, key })`, `createGenrun(fromEnv())`, `createGenrun({ rehearse: true })`. */
export function createGenrun(
  options: GenrunOptions & { readonly catalog: readonly string[] },
): Genrun<AnyModelId>
export function createGenrun(options: GenrunOptions): Genrun
export function createGenrun(options: GenrunOptions): Genrun<AnyModelId> {
  const { cwd = process.cwd(), output, profile, prices, catalog = [] } = options
  const rehearsal = openRehearsal()
  const quiet = quietOf(keysGiven(options))
  let opened: ModelSet | undefined
  const modelSet = () => (opened ??= modelSetOf(catalog, cwd))
  const gates = () => gatesOf(options)
  let budget: SessionBudget | undefined
  /** Of all that is ordered here. */
  const together = () =>
    options.caps && (budget ??= openSessionBudget(options.caps, prices, cwd, { own: modelSet().models }))

  /** Gives the work the service, or the gateway for as long as somebody needs it. */
  async function served<T>(work: (service: Service) => Promise<T>): Promise<T> {
    if (!options.rehearse) return quiet.later(async () => work(serviceOf(options)))
    const service = await rehearsal.take()
    try {
      return await work(service)
    } finally {
      await rehearsal.release()
    }
  }

  function requestOf(given: SaveOptions = {}) {
    const folder = given.output ?? output
    return {
      cwd,
      modelSet: modelSet(),
      ...defined({ output: folder, profile, name: given.name, stop: given.signal, emit: given.onEvent }),
    }
  }

  function orderOf(
    model: string,
    params: object,
    given: GenerateOptions = {},
  ): Omit<GenerateRequest, 'service'> {
    return {
      ...requestOf(given),
      ask: askGiven(model, params),
      ...defined({ prices, mode: given.mode, timeoutMs: given.timeoutMs }),
      ...spending(defined({ maxCost: given.maxCost })),
      ...defined({ strict: given.strict }),
    }
  }

  /** What one call may spend. */
  function spending(caps: SpendingCaps): Pick<GenerateRequest, 'caps' | 'budget'> {
    const within = together()
    return within
      ? { budget: openSessionBudget(caps, prices, cwd, { within, own: modelSet().models }) }
      : { caps }
  }

  const runs = orderedRuns({ served, requestOf, rehearsal: options.rehearse ? rehearsal : undefined })

  return {
    generate: (model, params, given) =>
      served(async service =>
        generatedOf(await carryOut({ ...orderOf(model, params, given), service }, given?.lock)),
      ),
    submit: (model, params, given) =>
      quiet.later(async () => {
        const { stop, emit } = untilAccepted(given)
        const order = { ...orderOf(model, params, { ...given, mode: 'submit' }), emit, stop }
        const run = await served(async service => {
          const { id, workflow } = submittedOf(await carryOut({ ...order, service }, given?.lock))
          await runs.hold({ id })
          return { id, workflow }
        })
        return { model, ...run, params: plainParams(params) }
      }),
    result: runs.look,
    links: runs.links,
    wait: runs.wait,
    open: given =>
      quiet.now(() =>
        quiet.say(
          openIn(
            listOpen({ ...requestOf(given), ...(!options.rehearse && { service: serviceOf(options) }) }),
          ),
        ),
      ),
    collect: given => served(async service => collectedOf(await collect({ ...requestOf(given), service }))),
    check: (model, params) =>
      quiet.now(() => {
        const problems = checkAsk({ ask: askGiven(model, params), cwd, modelSet: modelSet() })
        return quiet.say(problems.map(problemRecord))
      }),
    price: (model, params) =>
      quiet.now(() => {
        const priced = priceModel({
          model,
          params: plainParams(params),
          cwd,
          modelSet: modelSet(),
          ...defined({ prices }),
        })
        if (priced.got !== 'price') throw refusal(priced.problems)
        return priced.price
      }),
    models: words => listModels(words, modelSet()),
    validate(manifest) {
      const { ok, jobs, problems } = checkFile(manifest, cwd, { catalog, gates: gates() })
      return { ok, jobs, problems: quiet.say(problems.map(problemRecord)) }
    },
    plan: manifest =>
      quiet.now(() => {
        const planned = planManifest({
          manifest,
          cwd,
          catalog,
          gates: gates(),
          ...(prices !== undefined && { prices }),
        })
        if (planned.got === 'refused') throw refusal(planned.problems)
        if (planned.got === 'damaged') throw callTrouble(planned)
        return quiet.say(planned.plan)
      }),
    run: (manifest, given = {}) =>
      startRun({ manifest, cwd, output, profile, prices, catalog, gates, served, together }, given),
  }
}

function carryOut(order: GenerateRequest, lock: string | undefined): Promise<GenerateResult> {
  return lock === undefined ? generate(order) : generateLocked({ ...order, lock })
}

/** Stops a job as soon as its run has an id: it goes on at the service. A lock may know the run from an earlier call. */
function untilAccepted(given: GenerateOptions = {}): Pick<Required<GenerateRequest>, 'stop' | 'emit'> {
  const accepted = new AbortController()
  return {
    stop: given.signal ? anySignal([given.signal, accepted.signal]) : accepted.signal,
    emit(told: RunEvent) {
      given.onEvent?.(told)
      if (told.event === 'accepted' || told.event === 'resumed') accepted.abort()
    },
  }
}

/** The models there are. Throws GenrunError where a file of them cannot be read or is wrong. */
function modelSetOf(catalog: readonly string[], cwd: string): ModelSet {
  const { value, problems } = openModelSet(catalog, cwd)
  if (!value) throw refusal(problems)
  return value
}
