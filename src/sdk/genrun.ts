import type { ProblemRecord } from '../base/diagnostic.ts'
import { problemRecord } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import type { WireMode } from '../base/state.ts'
import type { ModelId } from '../catalog/index.ts'
import type { AnyModelId, ParamsFor } from '../catalog/params-of.ts'
import type { Shelf } from '../catalog/shelf.ts'
import { checkFile } from '../desk/check.ts'
import { collect } from '../desk/collect.ts'
import type { PlanRecord } from '../desk/draw/plan-record.ts'
import { checkAsk, type GenerateRequest, generate } from '../desk/generate.ts'
import { generateLocked } from '../desk/generate-locked.ts'
import type { Service } from '../desk/ground/service.ts'
import { openShelf } from '../desk/ground/shelf.ts'
import { listModels } from '../desk/models.ts'
import { askOf, type Given } from '../desk/once/ask.ts'
import { followRun, lookAtRun, type RunHandle } from '../desk/once/follow.ts'
import { planManifest } from '../desk/plan.ts'
import { type PriceRecord, priceModel } from '../desk/price.ts'
import { openRehearsal } from '../desk/rehearse.ts'
import type { Told } from '../desk/telling/report.ts'
import { GenrunError, refusal, trouble } from './error.ts'
import { type GenrunOptions, serviceOf } from './options.ts'
import { type Collected, collectedOf, type Generated, generatedOf, submittedOf } from './results.ts'
import { type ManifestRun, type RunOptions, startRun } from './run.ts'

/** What one call may say beside the parameters. */
export interface GenerateOptions {
  /** The folder for the files, in place of the one of `createGenrun`. */
  readonly output?: string
  /** The files' name without ending; one of the prompt when it is absent. A name that is taken is refused. */
  readonly name?: string
  /** Aborted: nothing more is bought. What is at the service goes on there; the error's `generation.run` names it. */
  readonly signal?: AbortSignal
  readonly onEvent?: (event: Told) => void
  /** Other than the model usually goes. */
  readonly mode?: WireMode
  readonly timeoutMs?: number
  /** By the prices of `createGenrun`. */
  readonly maxCost?: number
  /** Warnings count as errors. */
  readonly strict?: boolean
  /**
   * False: nothing is written down on the way. It is quicker by some syncs of the disk, and a process that is killed
   * loses what it paid for; else `collect` fetches it.
   */
  readonly journal?: boolean
}

/** What a call of `generate` may say beside the parameters. */
export interface MakeOptions extends GenerateOptions {
  /**
   * The path of a lock: the job is bought once under its `name`, which must be given. As long as model, parameters and
   * inputs stay the same, further calls keep the files or fetch them again, and `again` of the result says so. The files
   * lie in the lock's folder or below. A journal is always kept beside it, and `collect` is not needed: the same call
   * goes on with what was stopped. Calls with one lock go one after the other.
   */
  readonly lock?: string
}

/** A run at the service that goes on by itself. Plain data: it may be kept in a file or a database. */
export interface SubmittedRun<Id extends string = ModelId> extends RunHandle {
  readonly model: Id
}

/** A run that is not done: how far it is, from 0 to 1, and how long the service asks to wait, where it says so. */
export interface Pending {
  readonly is: 'pending'
  readonly progress?: number
  readonly waitMs?: number
}

/** How a run stands. */
export type RunLook = Pending | { readonly is: 'made'; readonly result: Generated }

/** The service's own links to what a run made. They are signed and expire; nothing is saved or checked. */
export type RunLinks = Pending | { readonly is: 'made'; readonly links: readonly string[] }

/**
 * The models of the service for programs. Every verb that makes something rejects with GenrunError. What the compiler
 * cannot know of models of your own is checked when it runs.
 *
 * @template Known The ids there are; with a `catalog` any text may be one.
 */
export interface Genrun<Known extends string = ModelId> {
  /** Makes one job and saves its files. It is bought every time, unless a `lock` is given or a manifest is run. */
  generate<const Id extends Known>(
    model: Id,
    params: ParamsFor<Id>,
    options?: MakeOptions,
  ): Promise<Generated>
  /** Orders one job and does not wait: the run's id is what it resolves to. */
  submit<const Id extends Known>(
    model: Id,
    params: ParamsFor<Id>,
    options?: GenerateOptions,
  ): Promise<SubmittedRun<Id>>
  /** Asks once how a run stands; when it is done its files are saved. */
  result(run: RunHandle, options?: GenerateOptions): Promise<RunLook>
  /** Asks once, and gives the service's links in place of files. Answers with bytes in them have none. */
  links(run: RunHandle, options?: Pick<GenerateOptions, 'signal'>): Promise<RunLinks>
  /** Fetches what calls of `generate` had paid for that were killed or stopped, in this output folder. Costs nothing. */
  collect(options?: Pick<GenerateOptions, 'output' | 'signal' | 'onEvent'>): Promise<Collected>
  /** Waits for a run and saves its files. Costs nothing. */
  wait(run: RunHandle, options?: GenerateOptions): Promise<Generated>
  /** Everything that is wrong with one job; empty when nothing is. No key, no network. */
  check<const Id extends Known>(model: Id, params: ParamsFor<Id>): readonly ProblemRecord[]
  /** By what one job is counted, and its amount by the prices of `createGenrun`. No key, no network. */
  price<const Id extends Known>(model: Id, params: Partial<ParamsFor<Id>>): PriceRecord
  /** The catalog; with words, the models that match all of them. */
  models(words?: readonly string[]): ReturnType<typeof listModels>
  /** Everything that is wrong with a manifest. No key, no network. */
  validate(manifest: string): {
    readonly ok: boolean
    readonly jobs: number
    readonly problems: readonly ProblemRecord[]
  }
  /** What a run of a manifest would do, why, and at what cost. Nothing is sent or written. */
  plan(manifest: string): PlanRecord
  /** Makes what a manifest describes and is not made yet: an async stream of events, and a report at its end. */
  run(manifest: string, options?: RunOptions): ManifestRun
}

/** `createGenrun({ baseUrl, key })`, `createGenrun(fromEnv())`, `createGenrun({ rehearse: true })`. */
export function createGenrun(
  options: GenrunOptions & { readonly catalog: readonly string[] },
): Genrun<AnyModelId>
export function createGenrun(options: GenrunOptions): Genrun
export function createGenrun(options: GenrunOptions): Genrun<AnyModelId> {
  const { cwd = process.cwd(), output, profile, prices, catalog = [] } = options
  const rehearsal = openRehearsal()
  let opened: Shelf | undefined
  const shelf = () => (opened ??= shelfOf(catalog, cwd))

  /** Gives the work the service, or the gateway for as long as somebody needs it. */
  async function served<T>(work: (service: Service) => Promise<T>): Promise<T> {
    if (!options.rehearse) return work(serviceOf(options))
    const service = await rehearsal.take()
    try {
      return await work(service)
    } finally {
      await rehearsal.release()
    }
  }

  function requestOf(given: GenerateOptions = {}) {
    const folder = given.output ?? output
    return {
      cwd,
      shelf: shelf(),
      ...(folder !== undefined && { output: folder }),
      ...(profile !== undefined && { profile }),
      ...(given.name !== undefined && { name: given.name }),
      ...(given.signal && { stop: given.signal }),
      ...(given.onEvent && { tell: given.onEvent }),
    }
  }

  function orderOf(
    model: string,
    params: object,
    given: GenerateOptions = {},
  ): Omit<GenerateRequest, 'service'> {
    return {
      ...requestOf(given),
      ask: readAsk(model, params),
      ...(prices !== undefined && { prices }),
      ...(given.mode && { mode: given.mode }),
      ...(given.timeoutMs !== undefined && { timeoutMs: given.timeoutMs }),
      ...(given.maxCost !== undefined && { caps: { maxCost: given.maxCost } }),
      ...(given.strict !== undefined && { strict: given.strict }),
      ...(given.journal !== undefined && { journal: given.journal }),
    }
  }

  // A rehearsal's run lives as long as its gateway: that stays until somebody has waited for the run.
  const awaited = new Set<string>()

  async function wait(run: RunHandle, given?: GenerateOptions): Promise<Generated> {
    try {
      return await served(async service =>
        generatedOf(await followRun({ ...requestOf(given), run, service })),
      )
    } finally {
      if (awaited.delete(run.id) && options.rehearse) await rehearsal.release()
    }
  }

  return {
    generate: (model, params, given) =>
      served(async service => {
        const order = { ...orderOf(model, params, given), service }
        const lock = given?.lock
        return generatedOf(await (lock === undefined ? generate(order) : generateLocked({ ...order, lock })))
      }),
    async submit(model, params, given) {
      const accepted = new AbortController()
      const tell = (told: Told) => {
        given?.onEvent?.(told)
        if (told.event === 'accepted') accepted.abort()
      }
      const stop = given?.signal ? AbortSignal.any([given.signal, accepted.signal]) : accepted.signal
      const order = { ...orderOf(model, params, { ...given, mode: 'submit' }), tell, stop }
      const run = await served(async service => {
        const { id, workflow } = submittedOf(await generate({ ...order, service }))
        if (options.rehearse) await rehearsal.take()
        awaited.add(id)
        return { id, workflow }
      })
      return { model, ...run, params: plainParams(params) }
    },
    async result(run, given) {
      const look = await served(service => lookAtRun({ ...requestOf(given), run, service }))
      switch (look.got) {
        case 'pending':
          return pendingOf(look)
        case 'ready':
          return { is: 'made', result: await wait(run, given) }
        case 'failed':
        case 'trouble':
          throw new GenrunError(look.message, { code: 'failed' })
      }
    },
    async links(run, given) {
      const look = await served(service => lookAtRun({ ...requestOf(given), run, service }))
      switch (look.got) {
        case 'pending':
          return pendingOf(look)
        case 'ready':
          return { is: 'made', links: look.links }
        case 'failed':
        case 'trouble':
          throw new GenrunError(look.message, { code: 'failed' })
      }
    },
    collect: given => served(async service => collectedOf(await collect({ ...requestOf(given), service }))),
    wait,
    check: (model, params) =>
      checkAsk({ ask: readAsk(model, params), cwd, shelf: shelf() }).map(problemRecord),
    price(model, params) {
      const priced = priceModel({
        model,
        params: plainParams(params),
        cwd,
        shelf: shelf(),
        ...(prices !== undefined && { prices }),
      })
      if (priced.got !== 'price') throw refusal(priced.problems)
      return priced.price
    },
    models: words => listModels(words, shelf()),
    validate(manifest) {
      const { ok, jobs, problems } = checkFile(manifest, cwd, { catalog })
      return { ok, jobs, problems: problems.map(problemRecord) }
    },
    plan(manifest) {
      const planned = planManifest({ manifest, cwd, catalog, ...(prices !== undefined && { prices }) })
      if (planned.got === 'refused') throw refusal(planned.problems)
      if (planned.got === 'damaged') throw trouble(planned)
      return planned.plan
    },
    run: (manifest, given = {}) =>
      startRun({ manifest, cwd, output, profile, prices, catalog, served }, given),
  }
}

/** The models there are. Throws GenrunError where a file of them cannot be read or is wrong. */
function shelfOf(catalog: readonly string[], cwd: string): Shelf {
  const { value, problems } = openShelf(catalog, cwd)
  if (!value) throw refusal(problems)
  return value
}

function pendingOf({ progress, waitMs }: Omit<Pending, 'is'>): Pending {
  return {
    is: 'pending',
    ...(progress !== undefined && { progress }),
    ...(waitMs !== undefined && { waitMs }),
  }
}

function readAsk(model: string, params: object): GenerateRequest['ask'] {
  const plain = Object.entries(params).filter(([, value]) => value !== undefined)
  const given = Object.fromEntries(plain.map(([name, value]) => [name, withoutUrls(value)]))
  const { ask, problems } = askOf(model, given)
  if (!ask) throw refusal(problems)
  return ask
}

/** A URL object is its text. */
function withoutUrls(value: unknown): Given {
  if (value instanceof URL) return value.href
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(withoutUrls)
  if (typeof value !== 'object' || value === null) return value as Given // what JSON cannot hold is told by the check
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutUrls(inner)]))
}

/** What of the parameters is plain data: files count for nothing in what is expected. */
function plainParams(params: object): JsonObject {
  const entries = Object.entries(params).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(entries)
}
