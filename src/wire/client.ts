import type { LookupFunction } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { hiderOf, holderOf, redactor } from '../base/redact.ts'
import { checkBaseUrl } from './http/address.ts'
import type { Way } from './http/dial.ts'
import { type Asker, createAsker } from './http/http.ts'
import { type WireLimits, wireLimits } from './http/limits.ts'
import type { UploadFile } from './http/multipart.ts'
import type { SpoolSink, Watch, Wire } from './http/wire.ts'
import { type PeekAt, type Peeked, peekAt } from './peek.ts'
import { authHeaders, isKeyInQuery } from './profile/auth.ts'
import { endpointsOf } from './profile/endpoints.ts'
import { type Profile, workflowOf } from './profile/profile.ts'
import { ownHeaders } from './profile/request.ts'
import { readResult } from './read-result.ts'
import { deskOf, type RunDesk } from './run-desk.ts'
import { sendOrder } from './send-order.ts'
import type { SpokenService } from './service.ts'
import { createDownloader } from './transfer/download.ts'
import { type UploadPlace, uploadFile } from './transfer/upload.ts'
import { uploadProblem, uploadUrl } from './transfer/upload-url.ts'

export interface WireOptions extends Way {
  /** As `checkBaseUrl` accepts it. */
  readonly baseUrl: string
  readonly key: string
  /** Hidden like the key wherever the service says it: the keys of other services. */
  readonly secrets?: readonly string[]
  readonly profile: Profile
  readonly spool: SpoolSink
  readonly clock: Clock
  /** Hosts whose links may lead to addresses that are not public. */
  readonly allowHosts?: readonly string[]
  /** The person allows that the key stands in addresses. */
  readonly keyInQuery?: boolean
  /** Other origins that the profile may send files to. */
  readonly uploadOrigins?: readonly string[]
  readonly limits?: WireLimits
  readonly random?: Random
  /** For tests: names of result links that resolve to what they say. */
  readonly lookup?: LookupFunction
}

/** A look at who answers, for those who doubt that it is the service. */
interface Peeking {
  peek(at: PeekAt, signal: AbortSignal): Promise<Peeked>
}

/** The service over HTTP. Throws for a base address that `checkBaseUrl` does not accept. */
export function createWire(options: WireOptions): Wire & Peeking & RunDesk & { close(): Promise<void> } {
  const checked = checkBaseUrl(options.baseUrl)
  if ('problem' in checked) throw new Error(`the base address ${checked.problem}`)
  const { clock, key, profile, spool, limits = wireLimits, random = systemRandom } = options
  if (isKeyInQuery(profile.auth) && !options.keyInQuery) throw new Error('nobody allows the key in addresses')
  const auth = authHeaders(profile.auth, key)
  const secrets = [key, ...(options.secrets ?? [])]
  const redact = redactor(secrets)
  /** What a service says back goes into records that are committed: without the key, whatever it looks like there. */
  const quiet = <Reply extends Said>(reply: Reply): Reply => withoutSecrets(reply, redact)
  const holdsKey: (text: string) => boolean = holderOf(secrets)
  const askers = openAskers(clock, limits, options)
  const downloader = createDownloader({
    ...options,
    base: checked.url,
    auth: { ...ownHeaders(profile), ...auth },
    limits,
  })
  const uploader = uploaderOf(options, { askers, auth, limits, random })
  const service: SpokenService = {
    ...options,
    limits,
    base: checked.url,
    way: { proxy: options.proxy, ca: options.ca },
    origin: checked.url.origin,
    endpoints: endpointsOf(profile, checked.url, options.uploadOrigins),
    origins: options.uploadOrigins ?? [],
    auth,
    spoolPlace: { spool, name: () => random.token() },
    hide: hiderOf(secrets),
    holdsKey,
    askerAt: askers.at,
  }
  const desk = deskOf(service)
  return {
    origin: service.origin,
    workflow: (model, params) => workflowOf(options.profile, model, params),
    order: async (order, beforeFirstByte) => quiet(await sendOrder(service, order, beforeFirstByte)),
    read: async (run, signal) => quiet(await readResult(service, run, signal)),
    async cancel(run, signal) {
      const said = await desk.cancel(run, signal)
      return said.got === 'refused' ? { ...said, words: redact(said.words) } : said
    },
    async list(signal) {
      const said = await desk.list(signal)
      if (said.got === 'refused') return { ...said, words: redact(said.words) }
      // A run that the service calls by the key stands in no record, and on no screen.
      return said.got === 'answer' ? { ...said, value: said.value.filter(({ id }) => !holdsKey(id)) } : said
    },
    async peek(at, signal) {
      const seen = await peekAt(service, at, signal)
      return seen.got === 'answer' ? { ...seen, words: redact(seen.words), shape: redact(seen.shape) } : seen
    },
    download: async (file, to, watch) =>
      quiet(await downloader.download(file.url, to, withoutKeyAsPlace(watch, holdsKey))),
    ...(uploader && { upload: async (file, watch) => quiet(await uploader.upload(file, watch)) }),
    close: async () => {
      await Promise.all([askers.close(), downloader.close()])
    },
  }
}

/** What of a reply is words. */
interface Said {
  readonly got: string
  readonly failure?: Failure
  readonly detail?: string
  readonly foreign?: string
  readonly word?: string | undefined
}

function withoutSecrets<Reply extends Said>(reply: Reply, redact: (text: string) => string): Reply {
  const { failure, detail, foreign, word } = reply
  return {
    ...reply,
    ...(failure && 'detail' in failure && { failure: { ...failure, detail: redact(failure.detail) } }),
    ...(detail !== undefined && { detail: redact(detail) }),
    ...(foreign !== undefined && { foreign: redact(foreign) }),
    ...(word !== undefined && { word: redact(word) }),
  }
}

/** Where a download broke off is written down with its link: not with one that holds the key. */
function withoutKeyAsPlace(watch: Watch, holdsKey: SpokenService['holdsKey']): Watch {
  const { onBeginning } = watch
  if (!onBeginning) return watch
  return {
    ...watch,
    onBeginning: beginning => {
      if (!holdsKey(`${beginning.resource} ${beginning.etag}`)) onBeginning(beginning)
    },
  }
}

/** One for each origin that is asked. */
interface Askers {
  at(origin: string): Asker
  close(): Promise<void>
}

function openAskers(clock: Clock, limits: WireLimits, way: Way): Askers {
  const known = new Map<string, Asker>()
  return {
    at(origin) {
      const asker = known.get(origin) ?? createAsker(origin, clock, limits.connectMs, way)
      known.set(origin, asker)
      return asker
    },
    async close() {
      await Promise.all([...known.values()].map(asker => asker.close()))
    },
  }
}

type Uploading = Pick<UploadPlace, 'auth' | 'limits' | 'random'> & { readonly askers: Askers }

/** Undefined where the profile names no place for uploads. Throws for one that `uploadProblem` refuses. */
function uploaderOf(options: WireOptions, { askers, ...shared }: Uploading) {
  const { profile, clock } = options
  const rules = profile.upload
  const url = rules && uploadUrl(rules.url, options)
  if (!rules || !url) return undefined
  const problem = uploadProblem(rules.url, options)
  if (problem) throw new Error(problem.message)
  const { uploadOrigins: origins = [] } = options
  const place = { ...shared, profile, rules, url, askerAt: askers.at, origins, clock }
  return { upload: (file: UploadFile, watch: Watch) => uploadFile(place, file, watch) }
}
