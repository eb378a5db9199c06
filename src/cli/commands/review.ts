import { userInfo } from 'node:os'
import { defined } from '../../base/defined.ts'
import { error } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { listed } from '../../base/nearest.ts'
import { spanOf } from '../../base/source.ts'
import { resultsText } from '../../page/data/words.ts'
import type { Refused } from '../../planning/make-plan.ts'
import type { WorkspaceRequest } from '../../planning/open-workspace.ts'
import type { OrderMeans } from '../../review/orders.ts'
import type { ReviewServer } from '../../review/server.ts'
import { reviewOf, reviewToDecide } from '../../verbs/review.ts'
import { type TakenVerdict, takeVerdicts } from '../../verbs/take-verdicts.ts'
import type { Given } from '../flags/given.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import { type ManifestArgs, planOptionsFrom, workspaceFrom } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import { aborted, watchSignals } from '../io/signals.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedTexts } from '../io/texts.ts'
import { startTrouble } from '../service/listen-trouble.ts'
import { secretsOf } from '../service/service.ts'
import { serviceFor } from '../service/service-for.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'
import { problemsText, warningText } from '../words/problems.ts'
import { withService } from './run.ts'

type ReviewArgs = ManifestArgs & Given<'port' | 'reviewer' | 'readOnly' | 'takeFile' | 'ca'>

/** The usual one may be that of another manifest's review: then a free one does. One that somebody named is meant. */
const usualPorts = [4042, 0] as const

/** `genrun review`: a page on this machine, until a signal ends it. stdout carries its address. */
export async function review(args: ReviewArgs, around: Surroundings, out: Out): Promise<number> {
  const request = aboutMade(args, around, out)
  if (args.takeFile !== undefined) return takeSent(args.takeFile, { ...args, request }, around, out)
  const first = args.readOnly ? reviewOf(request) : await reviewToDecide(request)
  if (first.got !== 'review') return tellAgainst(first, { json: false }, out)
  if (first.unclear.length > 0) out.talk(problemsText(first.unclear, out.paint))
  const buying = buyingBy(args, request, around, out)
  const stop = watchSignals(around, signal => signal !== 'again' && out.talk('closing'))
  const { startReview } = await import('../../review/server.ts')
  const { port, readOnly, reviewer = userInfo().username } = args
  const options = { request, first, who: reviewer, redact: out.redact, buying, canJudge: !readOnly }
  const started = await startReview({ ...options, ports: port === undefined ? usualPorts : [port] }).catch(
    startTrouble,
  )
  if ('code' in started) {
    stop.close()
    return refuse(started, exit.refused, { json: false }, out)
  }
  tellPage(started, resultsText(first.exhibits), out)
  await aborted(stop.signal)
  await started.close()
  stop.close()
  return exit.ok
}

/** Of 5,000 results, each with a note. */
const longestSent = 4 * 1024 * 1024

const sentHint = '`--take` names the file of verdicts that the page of a report saves'

/** Why a file that was sent is not taken, at its line. Nothing is decided by it. */
function notTaken(path: string, { text = '', line = 1, why }: SentTrouble): Refused {
  const file = { name: display(path), text: text.replace(/^\ufeff/, '') }
  const at = file.text.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0)
  return {
    got: 'refused',
    problems: [error('unreadable-verdicts', spanOf(file, at, at), display(why), sentHint)],
  }
}

interface SentTrouble {
  readonly text?: string
  readonly line?: number | undefined
  readonly why: string
}

/** `--take`: verdicts that were given on the page of a report. stdout carries what was taken. */
async function takeSent(
  path: string,
  { request, reviewer, readOnly }: Pick<ReviewArgs, 'reviewer' | 'readOnly'> & { request: WorkspaceRequest },
  around: Surroundings,
  out: Out,
): Promise<number> {
  if (readOnly) {
    const message = '--take decides, and --read-only says that nothing is decided'
    return refuse(
      { code: 'usage', message, hint: 'leave one of them out' },
      exit.refused,
      { json: false },
      out,
    )
  }
  const found = namedTexts(around, longestSent).read(path)
  if ('problem' in found) return tellAgainst(notTaken(path, { why: found.problem }), { json: false }, out)
  const result = await takeVerdicts(request, { text: found.text, ...defined({ who: reviewer }) })
  if (result.got === 'unreadable')
    return tellAgainst(notTaken(path, { ...result, text: found.text }), { json: false }, out)
  if (result.got !== 'taken') return tellAgainst(result, { json: false }, out)
  const { taken, refused: not, picked, stale, waiting, unpicked } = result
  for (const each of taken) out.result(display(`${each.address}: ${saidText(each)}`))
  for (const { why } of not) out.talk(warningText(display(`not taken: ${why}`), out.paint))
  out.talk(`${counted(taken.length, 'verdict')} taken${not.length > 0 ? `, ${not.length} not` : ''}`)
  if (picked.length > 0)
    out.talk(display(`${listed(picked)} ${picked.length === 1 ? 'is' : 'are'} picked`, 500))
  if (waiting)
    out.talk(display(`${listed(waiting.addresses)} ${waits(waiting.addresses)}: ${waiting.why}`, 500))
  if (unpicked !== undefined) out.talk(warningText(display(`not picked: ${unpicked}`), out.paint))
  if (stale.length > 0)
    out.talk(
      display(
        `${counted(stale.length, 'job is', 'jobs are')} bought anew by the next run: ${stale.join(', ')}`,
      ),
    )
  return not.length > 0 || unpicked !== undefined ? exit.drift : exit.ok
}

function waits({ length }: readonly unknown[]): string {
  return length === 1 ? 'waits to be picked' : 'wait to be picked'
}

/** `approved, 4 stars, "more steam" (Lead)`. */
function saidText({ is, stars, note, who }: TakenVerdict): string {
  const said = [is, stars !== undefined && counted(stars, 'star'), note !== undefined && JSON.stringify(note)]
  return `${said.filter(Boolean).join(', ')} (${who})`
}

function tellPage({ url }: ReviewServer, results: string, out: Out): void {
  out.result(url)
  out.talk(`${results}; open that address in a browser, Ctrl-C ends it`)
}

/** With what an order of the page is carried out, or why none can be. */
function buyingBy(
  args: ReviewArgs,
  request: WorkspaceRequest,
  around: Surroundings,
  out: Out,
): Pick<OrderMeans, 'served' | 'more' | 'rehearsed'> {
  const { limits, verify, gate, store } = planOptionsFrom(args, around)
  const more = defined({ limits, verify, gate, store })
  if (args.readOnly) return { more, served: { not: 'nothing is bought here: --read-only' } }
  const choice = serviceFor({ local: request.rehearsal === true, ca: args.ca }, around)
  if (choice.use === 'nothing') return { more, served: { not: choice.trouble.message } }
  // What was made at a service before is not rehearsed by accident.
  if (choice.use === 'rehearsal' && !request.rehearsal) {
    const why = 'no service is configured: set GENRUN_BASE_URL and GENRUN_API_KEY, or rehearse with --local'
    return { more, served: { not: why } }
  }
  const remark = (text: string) => out.talk(warningText(text, out.paint))
  if (choice.use === 'service') {
    for (const secret of secretsOf(choice)) out.hide(secret)
    for (const text of choice.warnings) remark(text)
  }
  const rehearsal = request.rehearsal ? undefined : serviceFor({ local: true }, around)
  return {
    more,
    served: work => withService(choice, remark, work),
    ...(rehearsal?.use === 'rehearsal' && {
      rehearsed: {
        request: workspaceFrom({ ...args, local: true }, around),
        served: work => withService(rehearsal, remark, work),
      },
    }),
  }
}
