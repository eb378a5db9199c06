import { relative } from 'node:path'
import { defined } from '../../base/defined.ts'
import { type Diagnostic, hasErrors, problemRecord } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { type ExitCode, exit, gravestExit } from '../../base/exit.ts'
import { secondsText } from '../../base/measure.ts'
import { narrowedTo } from '../../catalog/model-set.ts'
import { askOfFlags } from '../../run/one-shot/ask-flags.ts'
import type { GenerateRequest, GenerateResult, Generation } from '../../run/one-shot/generation.ts'
import { otherName, outputPath } from '../../run/one-shot/place.ts'
import { checkAsk, generate } from '../../verbs/generate.ts'
import { generateLocked } from '../../verbs/generate-locked.ts'
import type { GenerateLine } from '../flags/generate-line.ts'
import type { Given } from '../flags/given.ts'
import { type TalkArgs, talkOf } from '../flags/talk.ts'
import { openFile } from '../io/open-file.ts'
import type { Out } from '../io/out.ts'
import { stopText, watchSignals } from '../io/signals.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedTexts } from '../io/texts.ts'
import { openView } from '../progress/open.ts'
import { secretsOf } from '../service/service.ts'
import { profileAt, serviceFor, whichService } from '../service/service-for.ts'
import { tellAgainst } from '../summary/against.ts'
import { modelSetFor } from '../summary/model-set.ts'
import { refuse } from '../summary/result.ts'
import { problemsText, troubleText, verdictOf, warningText } from '../words/problems.ts'
import { showEvent, withService } from './run.ts'

type GenerateArgs = GenerateLine &
  TalkArgs &
  Given<
    | 'outputPath'
    | 'lock'
    | 'open'
    | 'check'
    | 'strict'
    | 'catalog'
    | 'local'
    | 'mode'
    | 'service'
    | 'profile'
    | 'ca'
    | 'verify'
    | 'prices'
    | 'maxCost'
    | 'json'
  >

/** `genrun generate`: one job, its files' paths on stdout. */
export async function generateOne(args: GenerateArgs, around: Surroundings, out: Out): Promise<number> {
  const known = await modelSetFor(args, around, out)
  if (!known) return exit.refused
  const unclear = args.local ? undefined : whichService(known, args.modelWord?.text, args.service)
  if (unclear) return refuse(unclear, exit.refused, args, out)
  const modelSet = args.local ? known : narrowedTo(known, args.service)
  const { ask, problems } = askOfFlags(
    { model: args.modelWord, words: args.words, file: args.line.file },
    namedTexts(around),
    modelSet,
  )
  if (!ask) return tellAgainst({ got: 'refused', problems }, args, out)
  if (args.check)
    return tellCheck(checkAsk({ ask, cwd: around.cwd, strict: args.strict, modelSet }), args, out)
  const service = args.service ?? modelSet.find(ask.model?.id ?? '')?.service
  const choice = serviceFor({ ...args, service }, around)
  if (choice.use === 'nothing') return refuse(choice.trouble, exit.refused, args, out)
  if (choice.use === 'service') for (const secret of secretsOf(choice)) out.hide(secret)
  const view = await openView(talkOf(args), around, out)
  if (choice.use === 'service') for (const text of choice.warnings) view.note(warningText(text, out.paint))
  const stop = watchSignals(around, signal => view.note(stopText(signal)))
  const { mode, prices, maxCost, lock } = args
  let result: GenerateResult
  try {
    const remark = (text: string) => view.note(warningText(text, out.paint))
    result = await withService(choice, remark, service => {
      const request: GenerateRequest = {
        ask,
        cwd: around.cwd,
        service,
        strict: args.strict,
        modelSet,
        ...defined({ verify: args.verify }),
        ...(args.outputPath !== undefined && outputPath(args.outputPath)),
        ...defined({ mode }),
        ...profileAt(choice, args),
        ...defined({ prices }),
        ...(maxCost !== undefined && { caps: { maxCost } }),
        emit: told => showEvent(told, args, choice, view),
        stop: stop.signal,
      }
      return lock === undefined ? generate(request) : generateLocked({ ...request, lock })
    })
  } finally {
    stop.close()
    await view.close()
  }
  if (result.got !== 'generation') return tellAgainst(result, args, out)
  const code = tellGeneration(result, args, { stopped: stop.code(), cwd: around.cwd }, out)
  result.told?.()
  if (args.open) await openFiles(result.generation.files, around, out)
  return code
}

/** That a file cannot be shown is no failure: it is there. */
async function openFiles(files: Generation['files'], { env }: Surroundings, out: Out): Promise<void> {
  for (const { path } of files) {
    const trouble = await openFile(path, env)
    if (trouble !== undefined) return out.talk(warningText(trouble, out.paint))
  }
}

function tellCheck(problems: readonly Diagnostic[], { json }: GenerateArgs, out: Out): ExitCode {
  const ok = !hasErrors(problems)
  if (json) out.json(verdictOf(ok, ok ? 1 : 0, problems))
  else if (problems.length > 0) out.result(problemsText(problems, out.resultPaint))
  else out.result(`this job is ${out.resultPaint.good('valid')}`)
  return ok ? exit.ok : exit.refused
}

/** Where the user stands, and the code of a stop. */
interface ReportContext {
  readonly cwd: string
  readonly stopped: ExitCode | undefined
}

/** Paths on stdout, what went wrong and a closing line on stderr. */
export function tellGeneration(
  { generation, problems }: Pick<GenerateResult & { got: 'generation' }, 'generation' | 'problems'>,
  args: Given<'json'> & Partial<Given<'outputPath'>> & TalkArgs,
  { cwd, stopped }: ReportContext,
  out: Out,
): ExitCode {
  const code = codeOf(generation, stopped)
  const asked = otherName(generation, args.outputPath)
  if (args.json)
    out.json({
      ok: code === exit.ok,
      ...generation,
      ...defined({ asked }),
      exit: code,
      problems: problems.map(problemRecord),
    })
  if (problems.length > 0) out.talk(`${problemsText(problems, out.paint)}\n`)
  const paths = generation.files.map(file => relative(cwd, file.path))
  const isMade = generation.ending !== 'failed'
  if (!args.json && isMade && paths.length > 0)
    out.result(paths.map(path => display(path, Number.POSITIVE_INFINITY)).join('\n'))
  const { failure, message, hint, run } = generation
  if (message !== undefined) {
    const text = run && generation.ending === 'detached' ? `${message} (run ${run.id})` : message
    out.talk(troubleText({ code: failure?.why ?? 'failed', message: text, ...(hint && { hint }) }, out.paint))
  }
  const [first] = generation.files
  if (asked !== undefined && first && isMade)
    out.talk(warningText(`what came is ${first.type}: ${asked} is ${paths[0]}`, out.paint))
  if (!isMade) for (const path of paths) out.talk(display(`  kept: ${path}`))
  if (talkOf(args) !== 'quiet') out.talk(closingLine(generation))
  return code
}

/** A stop that came when everything was done already changes nothing. */
function codeOf(generation: Generation, stopped: ExitCode | undefined): ExitCode {
  if (stopped === undefined || generation.exit === exit.ok) return generation.exit
  return gravestExit([generation.exit, stopped])
}

function closingLine({ model, ending, again, files, paid, credits, seconds, rehearsal }: Generation): string {
  const parts = [
    `${model}: ${again ?? ending}`,
    ...files.slice(0, 1).map(file => sizeText(file)),
    secondsText(seconds),
    ...(credits !== undefined ? [`${credits} credits`] : []),
    ...(rehearsal ? ['a rehearsal: nothing was paid'] : [paid === 0 ? 'nothing was paid' : '']),
  ]
  return parts.filter(Boolean).join(', ')
}

function sizeText({ width, height, seconds }: Generation['files'][number]): string {
  return [width && height && `${width}x${height}`, seconds !== undefined && `${seconds} s`]
    .filter(Boolean)
    .join(' ')
}
