import { wallDates } from '../base/clock.ts'
import { jsonAnswer, refusedAnswer } from './http/answer.ts'
import { checkKey, hasKeyAsPassword } from './http/auth.ts'
import { openApiDocument } from './pages/openapi.ts'
import { pageAnswer } from './pages/page.ts'
import { type Outcome, type Site, wholeAnswer } from './site.ts'

/** `GET /gw-v2/openapi.json`. It holds no secret, so it needs no key. */
export function openApiRequest(site: Site, request: Request): Outcome {
  return wholeAnswer(
    jsonAnswer(200, openApiDocument([...site.models.values()], `${originOf(request)}/gw-v2`)),
  )
}

/** `GET /`. It shows prompts and media, so whoever comes from another machine must know the key. */
export function pageRequest(site: Site, request: Request): Outcome {
  if (!site.isPrivate && !hasKeyAsPassword(request.headers, site.key)) return wholeAnswer(askForPassword)
  const origin = originOf(request)
  const [models, runs, now] = [[...site.models.values()], site.runs.recent(shownRuns), site.clock.now()]
  const { links, outputs } = site
  const dateOf = wallDates(site.clock)
  const isKept = (run: string) => outputs.has(run)
  return wholeAnswer(
    pageAnswer({ models, runs, now, dateOf, origin, baseUrl: `${origin}/gw-v2`, links, isKept }),
  )
}

/** `GET /__ledger`, where it is enabled. */
export function ledgerRequest(site: Site, request: Request): Outcome {
  const refused = checkKey(request.headers, site.key)
  if (refused) return wholeAnswer(refused)
  return wholeAnswer(jsonAnswer(200, { ...ledgerJson(site), arrived: { ...site.counts } }))
}

const shownRuns = 60

const askForPassword = refusedAnswer(401, 'unauthorized', 'the page needs the key as its password', {
  headers: { 'www-authenticate': 'Basic realm="genrun gateway", charset="UTF-8"' },
})

function ledgerJson(site: Site) {
  const { requests, billed, byKey, byJob } = site.ledger.counts()
  return { requests: { ...requests }, billed: { ...billed }, byKey: tallies(byKey), byJob: tallies(byJob) }
}

function tallies(by: { readonly [name: string]: { readonly requests: number; readonly billed: number } }) {
  return Object.fromEntries(Object.entries(by).map(([name, tally]) => [name, { ...tally }]))
}

function originOf(request: Request): string {
  return new URL(request.url).origin
}
