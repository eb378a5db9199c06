import { defined } from '../../base/defined.ts'
import { problemRecord } from '../../base/diagnostic.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { nearest } from '../../base/nearest.ts'
import { shellWord } from '../../text/shell-word.ts'
import { checkProfile, type ExampleRequest, type ProfileCheck } from '../../verbs/profile-check.ts'
import { ownModels } from '../../workspace/read/model-set.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedService } from '../service/service-for.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'
import { problemsText } from '../words/problems.ts'

interface ProfileArgs extends Given<'catalog' | 'model' | 'json'> {
  readonly file: string
}

/** `genrun profile check`: what is wrong with a profile, what it says, and the requests it makes. Sends nothing. */
export function profileCheck(args: ProfileArgs, around: Surroundings, out: Out): number {
  const { file: path, catalog, model, json } = args
  const { value: own, problems: inCatalog } = ownModels(catalog, around.cwd)
  if (!own) return tellAgainst({ got: 'refused', problems: inCatalog }, args, out)
  const service = namedService(around)
  const checked = checkProfile({ path, cwd: around.cwd, own, ...defined({ service }) })
  const { ok, problems, requests } = checked
  const shown = model === undefined ? requests : requests.filter(each => each.model === model)
  if (ok && model !== undefined && shown.length === 0) {
    const near = nearest(
      model,
      requests.map(each => each.model),
    )
    const hint = near ? `did you mean ${near}` : '`genrun models` lists them'
    return refuse(
      { code: 'unknown-model', message: `there is no model ${model}`, hint },
      exit.refused,
      args,
      out,
    )
  }
  if (json) out.json({ ...checked, problems: problems.map(problemRecord), requests: shown })
  else if (ok) out.result(verdictText(args, checked, shown, out))
  if (problems.length > 0) out.talk(problemsText(problems, out.paint))
  if (ok && !json && model === undefined)
    out.talk(
      `\`genrun convert campaign.yaml hero --to curl --profile ${shellWord(path)}\` shows the request of a job`,
    )
  return ok ? exit.ok : exit.refused
}

function verdictText(
  { file: path, model }: ProfileArgs,
  { name = '', says, examples, further }: ProfileCheck,
  shown: readonly ExampleRequest[],
  { resultPaint: paint }: Out,
): string {
  const head = `${path} is a ${paint.good('valid')} profile: ${name}`
  const width = Math.max(...says.map(({ key }) => key.length))
  const sayings = says.map(({ key, says: words }) => `  ${key.padEnd(width)}  ${words}`)
  const otherwise =
    says.length > 0
      ? ['what it says otherwise than gw-v2:', ...sayings].join('\n')
      : 'it says nothing otherwise than gw-v2'
  const requests = model === undefined ? tableText(shown) : shown.map(exampleText).join('\n')
  const likeness =
    examples.length > 0
      ? [
          [
            `${counted(examples.length, 'example')} of the documentation: sent as they stand there`,
            ...linesOf(examples),
          ].join('\n'),
        ]
      : []
  const others = further.length > 0 ? [['and beside orders:', ...furtherLines(further)].join('\n')] : []
  return [head, otherwise, requests, ...(model === undefined ? [...others, ...likeness] : [])].join('\n\n')
}

function tableText(requests: readonly ExampleRequest[]): string {
  return ['the requests it makes, below the base address:', ...linesOf(requests)].join('\n')
}

function linesOf(requests: readonly ExampleRequest[]): string[] {
  const width = Math.max(...requests.map(each => each.model.length))
  return requests.map(each => `  ${each.model.padEnd(width)}  ${lineText(each)}`)
}

function furtherLines(further: ProfileCheck['further']): string[] {
  const width = Math.max(...further.map(({ is }) => is.length))
  return further.map(({ is, asks }) => `  ${is.padEnd(width)}  ${asks}`)
}

function exampleText(request: ExampleRequest): string {
  return `${lineText(request)}\n${JSON.stringify(request.body, undefined, 2)}`
}

function lineText({ method, path, as }: ExampleRequest): string {
  return `${method} ${path}${as === 'json' ? '' : ` as ${as}`}`
}
