import { wallDates } from '../base/clock.ts'
import { jsonAnswer, refusedAnswer } from './http/answer.ts'
import { checkKey, hasKeyAsPassword, isSameSecret } from './http/auth.ts'
import { openApiDocument } from './pages/openapi.ts'
import { pageAnswer } from './pages/page.ts'
import { type Outcome, type Site, wholeAnswer } from './site.ts'

/** `GET /gw-v2/openapi.json`. It holds no secret, so it needs no key. */
export function openApiRequest(site: Site, request: Request): Outcome {
  return wholeAnswer(
    jsonAnswer(200, openApiDocument([...site.models.values()], `${originOf(request)}/gw-v2`)),
  )
}

/** `GET /`. It shows prompts and media, and other users of this machine can ask as well: whoever does must know the key. */
export function pageRequest(site: Site, request: Request): Outcome {
  return hasKeyAsPassword(request.headers, site.key) ? shownPage(site, request) : wholeAnswer(askForPassword)
}

/** `GET /page/{token}`: the same for whoever started the gateway, who is told this address. */
export function ownPageRequest(site: Site, request: Request, token: string): Outcome {
  if (isSameSecret(token, site.pageToken)) return shownPage(site, request)
  return wholeAnswer(refusedAnswer(404, 'unknown_path', 'this is not the address that the gateway told'))
}

function shownPage(site: Site, request: Request): Outcome {
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
