import { relative, resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import { problemRecord } from '../../base/diagnostic.ts'
import { type ExitCode, exit, gravestExit } from '../../base/exit.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import { narrowedTo } from '../../catalog/model-set.ts'
import { followRun } from '../../run/one-shot/follow.ts'
import type { GenerateResult } from '../../run/one-shot/generation.ts'
import { outputPath } from '../../run/one-shot/place.ts'
import { type CollectResult, collect, forgetDoubts, listOpen, type OpenOrder } from '../../verbs/collect.ts'
import { commandOn, resultCommand } from '../../wording/command.ts'
import type { Service } from '../../workspace/service/service.ts'
import type { Given } from '../flags/given.ts'
import { type TalkArgs, talkOf } from '../flags/talk.ts'
import type { Out } from '../io/out.ts'
import { stopText, watchSignals } from '../io/signals.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { openView } from '../progress/open.ts'
import { secretsOf, type Trouble } from '../service/service.ts'
import { profileAt, serviceFor, whichService } from '../service/service-for.ts'
import { tellAgainst } from '../summary/against.ts'
import { modelSetFor } from '../summary/model-set.ts'
import { refuse } from '../summary/result.ts'
import { problemsText, troubleText, warningText } from '../words/problems.ts'
import { tellGeneration } from './generate.ts'
import { withService } from './run.ts'

type ResultArgs = TalkArgs &
  Given<
    'catalog' | 'model' | 'workflow' | 'outputPath' | 'forget' | 'service' | 'profile' | 'ca' | 'json'
  > & {
    readonly run: string | undefined
  }

/** `genrun result`: fetches what `generate` paid for and could not save. Costs nothing. */
export async function fetchResults(args: ResultArgs, around: Surroundings, out: Out): Promise<number> {
  if (args.forget) return forget(args, around, out)
  const known = await modelSetFor(args, around, out)
  if (!known) return exit.refused
  const unclear = whichService(known, args.model, args.service)
  if (unclear) return refuse(unclear, exit.refused, args, out)
  const modelSet = narrowedTo(known, args.service)
  const service = args.service ?? (args.model === undefined ? undefined : modelSet.find(args.model)?.service)
  const choice = serviceFor({ ...args, service, local: false }, around)
  if (choice.use === 'nothing') return refuse(choice.trouble, exit.refused, args, out)
  if (choice.use === 'rehearsal' || choice.isNone) return refuse(noService, exit.refused, args, out)
  for (const secret of secretsOf(choice)) out.hide(secret)
  const view = await openView(talkOf(args), around, out)
  for (const text of choice.warnings) view.note(warningText(text, out.paint))
  const stop = watchSignals(around, signal => view.note(stopText(signal)))
  const remark = (text: string) => view.note(warningText(text, out.paint))
  const means = { cwd: around.cwd, modelSet, stop: stop.signal, emit: view.show }
  let result: CollectResult | GenerateResult
  try {
    result = await withService(choice, remark, service =>
      fetchBy({ ...args, profile: profileAt(choice, args).profile }, { ...means, service }),
    )
  } finally {
    stop.close()
    await view.close()
  }
  const context = { stopped: stop.code(), cwd: around.cwd }
  switch (result.got) {
    case 'refused':
    case 'damaged':
      return tellAgainst(result, args, out)
    case 'generation': {
      const code = tellGeneration(result, args, context, out)
      result.told?.()
      return code
    }
    case 'collected': {
      const code = tellCollected(result, args, context, out)
      result.told()
      return code
    }
  }
}

const noService: Trouble = {
  code: 'no-service',
  message: 'no service is configured, so there is nothing to fetch from',
  hint: 'set GENRUN_BASE_URL and GENRUN_API_KEY to those that the order was given to',
}

interface Means {
  readonly cwd: string
  readonly modelSet: ModelSet
  readonly stop: AbortSignal
  readonly emit: NonNullable<Parameters<typeof collect>[0]['emit']>
  readonly service: Service
}

function fetchBy(args: ResultArgs, means: Means): Promise<CollectResult | GenerateResult> {
  const { run, model, workflow, outputPath: output, profile } = args
  const by = { ...means, ...defined({ profile }) }
  if (run === undefined || model === undefined) return collect({ ...by, ...defined({ output, run }) })
  const handle = { id: run, model, ...defined({ workflow }) }
  return followRun({ ...by, ...(output !== undefined && outputPath(output)), run: handle, isTyped: true })
}

type Collected = CollectResult & { got: 'collected' }

function tellCollected(
  { generations, open, problems }: Collected,
  args: ResultArgs,
  context: Parameters<typeof tellGeneration>[2],
  out: Out,
): ExitCode {
  const unknown = args.run !== undefined && generations.length + open.length + problems.length === 0
  if (unknown) return refuse(unknownRun(args.run ?? ''), exit.refused, args, out)
  // One document for all of them.
  const codes = generations.map(generation =>
    args.json ? generation.exit : tellGeneration({ generation, problems: [] }, args, context, out),
  )
  const all = [
    ...codes,
    ...(open.length > 0 ? [exit.doubt] : []),
    ...(context.stopped === undefined ? [] : [context.stopped]),
  ]
  const code = problems.some(problem => problem.severity === 'error') ? exit.refused : gravestExit(all)
  if (args.json)
    out.json({ ok: code === exit.ok, generations, open, exit: code, problems: problems.map(problemRecord) })
  if (problems.length > 0) out.talk(problemsText(problems, out.paint))
  for (const order of open) out.talk(openText(order, args, context, out))
  if (generations.length + open.length + problems.length === 0 && talkOf(args) !== 'quiet')
    out.talk('nothing was left behind here')
  return code
}

function unknownRun(run: string): Trouble {
  return {
    code: 'unknown-run',
    message: `nothing is known here of the run ${run}`,
    hint: 'with `-m <model>` any run of this service can be fetched by its id',
  }
}

function openText(
  order: OpenOrder,
  { outputPath: output = '.' }: ResultArgs,
  { cwd }: Pick<Surroundings, 'cwd'>,
  out: Out,
): string {
  const { message, owes, name } = order
  const code = owes === 'doubt' ? 'in-doubt' : 'unreadable'
  const hint = openHint(order, { cwd, output: resolve(cwd, output) })
  return troubleText({ code, message: `${name}: ${message}`, hint }, out.paint)
}

function openHint(
  { ids, model, name, lock, hint: far }: OpenOrder,
  where: { cwd: string; output: string },
): string {
  const [id] = ids
  const there = far === undefined ? 'the service' : 'that service'
  if (lock !== undefined) {
    const named = id === undefined ? '' : `; its answer names ${id}`
    const resolve = (...words: string[]) =>
      `\`${commandOn({ manifest: lock, cwd: where.cwd }, 'resolve', name, ...words)}\``
    return `look for it at ${there}${named}: ${resolve('--adopt', id ?? 'ID')} takes its run, ${resolve('--abandon')} gives it up`
  }
  const found =
    id === undefined ? '' : `; its answer names ${id}: \`${resultCommand(where, id, '-m', model)}\``
  return `look for it at ${there}${found}; \`${resultCommand(where, '--forget')}\` gives it up`
}

function forget(args: ResultArgs, around: Surroundings, out: Out): ExitCode {
  const { cwd } = around
  const { outputPath: output, profile } = args
  const folder = resolve(cwd, output ?? '.')
  const forgotten = forgetDoubts(folder)
  const listed = listOpen({ cwd, ...(output && { output }), ...defined({ profile }) })
  // A lock keeps what it knows: there a doubt is settled by its name.
  const kept = listed.got === 'open' ? listed.orders.filter(({ owes }) => owes === 'doubt') : []
  if (args.json) out.json({ ok: true, forgotten, exit: exit.ok })
  for (const { name, message } of forgotten) out.talk(`given up: ${name}: ${message}`)
  for (const order of kept) out.talk(openText(order, args, around, out))
  if (forgotten.length + kept.length === 0 && talkOf(args) !== 'quiet')
    out.talk(`nothing is in doubt in ${relative(cwd, folder) || 'this folder'}`)
  return exit.ok
}
