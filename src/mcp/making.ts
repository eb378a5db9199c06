import { defined } from '../base/defined.ts'
import type { Json, JsonObject } from '../base/names.ts'
import { askOf, callDigest } from '../run/one-shot/ask.ts'
import type { GenerateResult } from '../run/one-shot/generation.ts'
import { type CollectRequest, collect } from '../verbs/collect.ts'
import { generate } from '../verbs/generate.ts'
import { generated, outcome } from './generated.ts'
import { isTold, type Listener } from './orders.ts'
import {
  type Call,
  joinResults,
  refused,
  type Session,
  said,
  type ToolResult,
  withText,
  wrongCall,
} from './tool.ts'

/** `service_generate`: one job, its files as links, and small pictures as they are. */
export async function generateTool(
  { model, ...params }: JsonObject,
  session: Session,
  call: Call,
): Promise<ToolResult> {
  if (typeof model !== 'string') return wrongCall(noModel(model))
  const { ask, problems } = askOf(model, params, 'arguments')
  if (!ask) return refused(problems)
  const { budget, cwd } = session
  const asked = callDigest(ask)
  const earlier = await fromEarlier(asked, session, call)
  if (earlier) return earlier
  return handOver(
    await call.orders.place(
      asked,
      listener => generate({ ask, budget, within: cwd, ...meansOf(session), ...listener }),
      callerOf(call),
    ),
    call,
  )
}

function handOver(result: GenerateResult, call: Call): ToolResult {
  if (result.got === 'generation') onceSent(call, () => result.told?.())
  return outcome(result)
}

/**
 * A client that left has heard nothing, nor has one whose answer is not on its way yet: what waits here for a full pipe is lost
 * with this process, and its client calls again.
 */
function onceSent({ gone }: Call, told: () => void): void {
  setImmediate(function look() {
    if (gone.aborted) return
    if (process.stdout.writableLength === 0) told()
    // Where nobody reads any more, this keeps no process from its end.
    else setTimeout(look, 20).unref()
  })
}

/**
 * What the same call ordered before and nobody was told of: clients that waited too long call again. It is handed out, and
 * nothing is ordered.
 */
async function fromEarlier(asked: string, session: Session, call: Call): Promise<ToolResult | undefined> {
  const result = await call.orders.resume(asked, callerOf(call))
  const found = result && isTold(result) ? handOver(result, call) : await collected({ asked }, session, call)
  return found && withText(found, 'ordered by an earlier call like this one; nothing was ordered now')
}

/** Where the model should be its id. */
export function noModel(given: Json | undefined): string {
  return `${given === undefined ? 'no model is given' : 'model must be a text'}; service_models lists them`
}

function callerOf({ gone, emit }: Call): Listener {
  return { stop: gone, emit }
}

/** `service_result`: what earlier calls had paid for. */
export async function resultTool({ run }: JsonObject, session: Session, call: Call): Promise<ToolResult> {
  const wanted = run === undefined ? undefined : String(run)
  const kept = await call.orders.collect(wanted, callerOf(call))
  const found = [
    ...kept.filter(isTold).map(result => handOver(result, call)),
    (await collected(defined({ run: wanted }), session, call)) ?? [],
  ].flat()
  if (found.length > 0) return joinResults(found)
  return wanted === undefined
    ? { ...said('nothing was left behind'), structured: { results: [] } }
    : wrongCall(`nothing is known here of the run ${wanted}`)
}

/** From the journals in the output folder; undefined where they have nothing of it. */
async function collected(
  which: Pick<CollectRequest, 'run' | 'asked'>,
  session: Session,
  call: Call,
): Promise<ToolResult | undefined> {
  const { stop, emit } = call
  const { prices: _, ...means } = meansOf(session)
  const result = await collect({ ...means, ...which, stop, emit })
  if (result.got === 'refused') return refused(result.problems)
  if (result.got === 'damaged') return wrongCall(`${result.message}; ${result.hint}`)
  const { generations, open, problems, told } = result
  onceSent(call, told)
  const troubles = [
    ...open.map(({ name, message }) => `${name}: ${message}; ${givenUp}`),
    ...problems.map(({ message, hint }) => (hint ? `${message}; ${hint}` : message)),
  ]
  const found = [...generations.map(generated), ...troubles.map(wrongCall)]
  return found.length > 0 ? joinResults(found) : undefined
}

const givenUp =
  'a person who has looked for it at the service gives it up by `genrun result --forget`; other arguments order anew'

/** What every tool that asks the service works with. */
function meansOf({ cwd, service, output, profile, prices, catalog, modelSet }: Session) {
  return {
    cwd,
    service,
    ...defined({ modelSet, catalog, output, profile, prices }),
  }
}
