import { defined } from '../../base/defined.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import type { Purchase } from '../../base/purchase.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { OrderLeftOpen } from '../../verbs/orders/open-orders.ts'
import { type StatusRecord, statusOf } from '../../verbs/status.ts'
import { wordsOn } from '../../wording/command.ts'
import { rescuedText } from '../../wording/remarks.ts'
import { isOnlyRehearsed } from '../../workspace/only-rehearsed.ts'
import { busy } from '../../workspace/records/busy.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'
import { openOrderBlocks, openWords, progressText } from '../words/open-orders.ts'

/** `genrun status`: what earlier runs left open. It is an answer, so that it ends well whatever is open. */
export function status(args: ManifestArgs & Given<'json'>, around: Surroundings, out: Out): number {
  const request = workspaceFrom(args, around)
  const result = statusOf(request)
  if (result.got !== 'status') return tellAgainst(result, args, out)
  const record = result.status
  const on = { manifest: record.manifest, cwd: around.cwd, ...defined({ output: request.output }) }
  if (args.json) out.json(record)
  else
    for (const block of [
      ...openOrderBlocks(record.open, { ...on, isOfCalls: record.isOfCalls }),
      ...asideLines(record).map(lines => lines.join('\n')),
    ])
      out.result(block)
  const bulk = bulkRemedy(record, on)
  if (bulk !== undefined && !args.json) out.talk(display(bulk))
  for (const each of record.lacking ?? []) out.talk(display(each))
  if (record.holder) out.talk(display(busy(record.holder).message))
  if (record.fleet) out.talk(fleetText(record))
  if (record.progress) out.talk(progressText(record.progress))
  out.talk(countText(record))
  if (!args.local && isOnlyRehearsed(args.manifest, around.cwd))
    out.talk(
      'note: a rehearsal was made, and its placeholders are not counted: nothing is bought yet; --local tells of it',
    )
  return exit.ok
}

function fleetText({ manifest }: StatusRecord): string {
  const name = shellWord(manifest)
  return `workers of a fleet may be at work on it: genrun status ${name} --fleet tells, and genrun run ${name} --fleet takes in what they have ordered, where their store still knows it`
}

/** What was paid for and is nobody's now, and what another lineage owes. */
function asideLines({ aside, owedElsewhere, foreign, rescued, picks = [] }: StatusRecord): string[][] {
  return [
    ...picks.map(({ address, who, why = 'a run does it, where the manifest asks for what was seen' }) => [
      `${address} waits to be picked, as ${who} chose: ${why}`,
    ]),
    ...owedElsewhere.map(({ message, hint }) => [message, ...(hint === undefined ? [] : [`  ${hint}`])]),
    ...aside.map(each => [
      `${each.address}: ${standingText(each)}${each.prompt === undefined ? '' : `: ${each.prompt}`}`,
      ...each.files.map(file => `  ${file}`),
      `  ${each.unusual ?? comebackText(each)}`,
    ]),
    ...foreign.map(({ folder, lineage, owes }) => [
      `state of another lineage (${lineage.slice(0, 8)}) in ${folder}: nothing of it is used`,
      ...owes.map(each => `  ${each.address}: ${owedText(each)}`),
    ]),
    ...rescued.map(each => [rescuedText(each)]),
  ].map(lines => lines.map(line => display(line, 500)))
}

type AsideResult = StatusRecord['aside'][number]

function standingText({ files, lost = 0 }: AsideResult): string {
  if (lost === 0) return 'paid for and kept aside'
  if (files.length === 0) return `paid for, and its ${lost === 1 ? 'file is' : 'files are'} gone`
  return `paid for and kept aside, but for ${counted(lost, 'file')} that ${lost === 1 ? 'is' : 'are'} gone`
}

/** What becomes of it when the manifest asks for it again. */
function comebackText({ lost = 0, isGone }: AsideResult): string {
  if (lost === 0) return 'it gets its name back when the manifest asks for it again'
  return isGone
    ? 'the service had it no more when it was asked last: put it back, or it is missed when the manifest asks for it again'
    : 'the service is asked for it, which is free, when the manifest asks for it again'
}

function owedText(purchase: Purchase): string {
  const run = 'run' in purchase && purchase.run ? `, run ${purchase.run.id}` : ''
  return purchase.is === 'doubt' ? 'in doubt' : `paid for and not fetched${run}`
}

/** What settles several doubts at once: nobody should have to write a line for each of five hundred. */
function bulkRemedy({ open }: StatusRecord, on: Parameters<typeof wordsOn>[0]): string | undefined {
  const doubts = open.filter(({ is }) => is === 'doubt').length
  if (doubts < 2) return undefined
  return `all ${doubts} at once: genrun resolve ${wordsOn(on)} --all-doubts --resubmit, or --abandon`
}

function countText({ jobs, done, toBuy, open, owedElsewhere }: StatusRecord): string {
  const parts = [
    owedElsewhere.length > 0 && `${owedElsewhere.length} paid for elsewhere`,
    done > 0 && `${done} done`,
    ...kindsOf(open.filter(order => !order.ofNobody && !order.beside)),
    toBuy > 0 && `${toBuy} to order`,
  ].filter(Boolean)
  const left = kindsOf(open.filter(order => order.ofNobody))
  const beside = kindsOf(open.filter(order => order.beside))
  const more = beside.length > 0 ? `; of jobs that have another order: ${beside.join(', ')}` : ''
  const others = left.length > 0 ? `; of jobs that are not in the manifest: ${left.join(', ')}` : ''
  return `${counted(jobs, 'job')}: ${parts.join(', ') || 'nothing open'}${more}${others}`
}

function kindsOf(open: readonly OrderLeftOpen[]): string[] {
  return (['doubt', 'under-way', 'missing', 'gone', 'failed', 'short', 'held'] as const).flatMap(is => {
    const many = open.filter(order => order.is === is).length
    return many > 0 ? [`${many} ${openWords[is]}`] : []
  })
}
