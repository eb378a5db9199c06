import type { ProblemRecord } from '../base/diagnostic.ts'
import type { ModelId } from '../catalog/index.ts'
import type { ParamsFor } from '../catalog/params-of.ts'
import type { PlanRecord } from '../planning/plan-record.ts'
import type { RunHandle } from '../run/one-shot/follow.ts'
import type { OpenOrder } from '../verbs/collect.ts'
import type { listModels } from '../verbs/models.ts'
import type { PriceRecord } from '../verbs/price.ts'
import type { GenerateOptions, SaveOptions } from './calls.ts'
import type { Collected, Generated } from './results.ts'
import type { ManifestRun, RunOptions } from './run.ts'
import type { RunLinks, RunLook, SubmittedRun } from './runs.ts'

/**
 * The models of the service for programs. Every verb that makes something rejects with GenrunError. What the compiler
 * cannot know of models of your own is checked when it runs.
 *
 * @template Known The ids there are; with a `catalog` any text may be one.
 */
export interface Genrun<Known extends string = ModelId> {
  /**
   * Makes one job and saves its files. It is bought every time, unless a `lock` is given or a manifest is run.
   *
   * @example
   * const once = { name: 'steam', lock: 'art.lock.json' }
   * const { files, again } = await genrun.generate('famc-v3', { prompt: 'Steam', duration: 5 }, once)
   */
  generate<const Id extends Known>(
    model: Id,
    params: ParamsFor<Id>,
    options?: GenerateOptions,
  ): Promise<Generated>
  /**
   * Orders one job and does not wait: the run's id is what it resolves to. A program that is killed before it could keep
   * it finds it in `open`. With a `lock` the same call, after a restart as well, gives the same run and pays nothing, and
   * `generate` with the same words gets the files.
   *
   * @example
   * const run = await genrun.submit('famc-v3', { prompt: 'Steam' })
   * await database.put(JSON.stringify(run)) // later, anywhere: genrun.result(run) or genrun.wait(run)
   */
  submit<const Id extends Known>(
    model: Id,
    params: ParamsFor<Id>,
    options?: Omit<GenerateOptions, 'mode'>,
  ): Promise<SubmittedRun<Id>>
  /** Asks once how a run stands; when it is done its files are saved. Costs nothing. */
  result(run: RunHandle, options?: SaveOptions): Promise<RunLook>
  /** Asks once, and gives the service's links in place of files. Answers with bytes in them have none. */
  links(run: RunHandle, options?: Pick<SaveOptions, 'signal'>): Promise<RunLinks>
  /** Waits for a run and saves its files. Costs nothing. */
  wait(run: RunHandle, options?: SaveOptions): Promise<Generated>
  /**
   * What calls ordered in this output folder, or by a lock in it, and nobody has fetched: of `submit`, of programs that were
   * killed, of calls that were stopped. Those with a `run` can be looked at and waited for. No network.
   */
  open(options?: Pick<SaveOptions, 'output'>): readonly OpenOrder[]
  /** Waits for everything that is `open`, and saves its files. Costs nothing. */
  collect(options?: Pick<SaveOptions, 'output' | 'signal' | 'onEvent'>): Promise<Collected>
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
  /**
   * Makes what a manifest describes and is not made yet: an async stream of events, and a report at its end.
   *
   * @example
   * const run = genrun.run('campaign.yaml', { caps: { maxPaid: 20 } })
   * for await (const event of run) if (event.event === 'settled') console.log(event.address, event.state.is)
   * const { counts, exit } = await run.report
   */
  run(manifest: string, options?: RunOptions): ManifestRun
}
