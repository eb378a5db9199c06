import { displayWidth, truncate } from '../../base/display.ts'
import { amountText, clockText, grouped } from '../../base/measure.ts'
import { roundAmount } from '../../forms/cost.ts'
import type { Planned } from '../../wording/report.ts'
import { type Board, type Ended, type EndedAs, type ModelCounts, type Running, smallPlan } from './board.ts'
import { type DrawRoom, layOut, type Row } from './rows.ts'
import { treeOf } from './tree.ts'
import { endText, percent, stageText } from './words.ts'

/** A new picture is worth its cost so often. */
export const frameMs = 250

/** Of the terminal's rows these stay free: the prompt, one to breathe. */
const spareRows = 2
const rowsForTwoHeads = 8
const mostRows = smallPlan
const mostTroubleRows = 5

/**
 * One picture of a run: a head with the counts, and a bounded number of rows. A small plan is shown whole and in its
 * order, a large one by what went wrong last and what runs longest. No row is wider than the room.
 */
export function drawBoard(board: Board, now: number, room: DrawRoom): string[] {
  const [first, ...more] = headLines(board, now, room)
  const head = [`${turning(now, room)} ${first}`, ...more.map(line => `  ${line}`)]
  const free = Math.max(0, Math.min(mostRows + 1, room.rows - spareRows) - head.length)
  const rows = board.total <= Math.min(free, smallPlan) ? wholePlan(board, now) : excerptOf(board, now, free)
  const lines = [...head, ...layOut(rows, room).map(row => `  ${row}`)]
  return room.isAscii ? lines.map(line => line.replaceAll('…', '~')) : lines
}

/** A sign that turns while the run goes on. */
function turning(now: number, { isAscii, paint }: DrawRoom): string {
  const signs = isAscii ? '-\\|/' : '⠋⠙⠸⠴⠦⠇'
  return paint.good(signs[Math.floor(now / frameMs) % signs.length] ?? '')
}

/**
 * `12 of 40 done (30 %), 1 failed, 8 running   1m12s   about 3m20s left   10 a minute   about 4.20 USD`, on two lines
 * where it is too long for one and there is room.
 */
function headLines(board: Board, now: number, { columns, rows }: DrawRoom): string[] {
  const width = columns - 3
  const { counts: ended, total, running } = board
  const counts = countsText({ counts: ended, total, running: running.size })
  const facts = factsText(board, now)
  const whole = `${counts}   ${facts}`
  if (displayWidth(whole) <= width || rows < rowsForTwoHeads) return [truncate(whole, width)]
  return [counts, facts].map(line => truncate(line, width))
}

type Counted = Pick<Board, 'counts' | 'total'> & { readonly running: number }

function countsText({ counts, running, total }: Counted): string {
  const done = `${grouped(counts.made)} of ${grouped(total)} done${total >= 10 ? ` (${percent(counts.made / total)})` : ''}`
  const parts: readonly [number, string][] = [
    [counts.failed, 'failed'],
    [counts.doubt, 'in doubt'],
    [counts.skipped, 'skipped'],
    [counts.unfinished, 'unfinished'],
    [running, 'running'],
  ]
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${grouped(count)} ${word}`)
  return [done, ...said].join(', ')
}

function factsText(board: Board, now: number): string {
  const { plan, total, cost } = board
  const left = board.secondsLeft(now)
  const rate = total > smallPlan ? board.perMinute(now) : undefined
  const facts = [
    plan && clockText((now - plan.at) / 1000),
    left !== undefined && `about ${clockText(left)} left`,
    rate !== undefined && `${grouped(Math.round(rate))} a minute`,
    // What a rehearsal orders costs nothing.
    cost && !plan?.rehearsal && `about ${amountText(roundAmount(cost.amount), cost.currency)}`,
  ]
  return facts.filter(Boolean).join('   ')
}

/** A tree: what needs a job stands below it. */
function wholePlan(board: Board, now: number): Row[] {
  return treeOf(board.plan?.work ?? []).map(({ job, stem }) => {
    const ended = board.ended.get(job.address)
    const running = board.running.get(job.address)
    const row = ended ? endedRow(ended) : running ? runningRow(running, now) : waitingRow(job, board)
    return { ...row, stem }
  })
}

function waitingRow({ address, model, needs }: Planned['work'][number], board: Board): Row {
  const open = needs.filter(need => board.ended.get(need)?.as !== 'made')
  return {
    mark: 'waiting',
    address,
    model,
    text: open.length > 0 ? `waits for ${open.join(', ')}` : 'waiting',
  }
}

/** Each model, the last troubles and the longest runners, as many as there is room for. */
function excerptOf(board: Board, now: number, all: number): Row[] {
  const models = modelRows(board, Math.floor(all / 3))
  const free = all - models.length
  const troubles = board.troubles.slice(-Math.min(mostTroubleRows, Math.floor(free / 2)))
  const room = free - troubles.length
  const isCut = board.running.size > room
  const shown = [...board.running.values()].slice(0, Math.max(0, isCut ? room - 1 : room))
  const hidden = board.running.size - shown.length
  const rest: Row[] = [{ mark: 'none', address: `${grouped(hidden)} more running`, model: '', text: '' }]
  const rows = [...models, ...troubles.map(endedRow), ...shown.map(job => runningRow(job, now))]
  return isCut && room > 0 ? [...rows, ...rest] : rows
}

/** How far the models are, those first that are not at their end. One alone is what the head tells of. */
function modelRows({ models }: Board, most: number): Row[] {
  if (models.size < 2) return []
  const isOver = ({ settled, total }: ModelCounts) => settled === total
  const rows = [...models].toSorted(([, a], [, b]) => Number(isOver(a)) - Number(isOver(b)))
  return rows.slice(0, most).map(([address, each]) => {
    const mark = isOver(each) ? gravestOf(each) : each.running > 0 ? 'running' : 'waiting'
    return { mark, address, model: '', text: countsText(each) }
  })
}

function gravestOf({ counts }: ModelCounts): EndedAs {
  const order: readonly EndedAs[] = ['failed', 'doubt', 'unfinished', 'skipped']
  return order.find(as => counts[as] > 0) ?? 'made'
}

function runningRow(running: Running, now: number): Row {
  const since = clockText((now - running.since) / 1000)
  const text = [since.padEnd(6), stageText(running, now)].join(' ').trimEnd()
  return { mark: 'running', address: running.address, model: running.model, text }
}

function endedRow(ended: Ended): Row {
  const seconds = ended.as === 'made' && ended.seconds !== undefined ? clockText(ended.seconds).padEnd(6) : ''
  const text = [seconds, endText(ended)].filter(Boolean).join(' ')
  return { mark: ended.as, address: ended.address, model: ended.model, text }
}
