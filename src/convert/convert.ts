import { defined } from '../base/defined.ts'
import { type Diagnostic, hasErrors, warning } from '../base/diagnostic.ts'
import { jsonText } from '../base/display.ts'
import type { JsonObject } from '../base/names.ts'
import { systemRandom } from '../base/random.ts'
import { modelsAt } from '../catalog/model-set.ts'
import type { FileRef, Job, Manifest } from '../manifest/shapes/job.ts'
import { addressHint } from '../planning/unknown-address.ts'
import { wireParams } from '../run/inputs/prepare-inputs.ts'
import { shellWord } from '../text/shell-word.ts'
import { fieldsOf, textOf } from '../wire/profile/body.ts'
import { type Profile, workflowOf } from '../wire/profile/profile.ts'
import { type OrderRequest, requestFor } from '../wire/profile/request.ts'
import { type CheckOptions, checkFile } from '../workspace/read/check.ts'
import { ownService } from '../workspace/service/named.ts'
import { byProfile, openProfile } from '../workspace/service/profile.ts'
import { baseUrlProblems, type DeclaredService } from '../workspace/service/service.ts'

/** A job as something else. Paths are relative to `cwd`. */
export interface ConvertRequest extends CheckOptions {
  readonly manifest: string
  readonly address: string
  readonly cwd: string
  readonly profile?: string
  /** Shown as a variable of the shell when there is none. */
  readonly baseUrl?: string
  /** Where the usual key is, when it is in a file and in no variable. */
  readonly apiKeyFile?: string
  /** Those that the person has declared, by their names. A profile that is named goes before theirs. */
  readonly services?: { readonly [name: string]: ServiceAt }
}

/** Where a service is, how it is spoken to, and where its key is. */
type ServiceAt = Pick<DeclaredService, 'baseUrl' | 'profile' | 'apiKeyFile' | 'apiKeyVariable'>

type KeyAt = Pick<ServiceAt, 'apiKeyFile' | 'apiKeyVariable'>

/** What a job is ordered by. */
interface Ways {
  readonly profile: Profile
  readonly manifest: Manifest
  /** Absent for the usual one, and where nobody knows it. */
  readonly service: ServiceAt | undefined
}

/** What became of a job that is written as something else. */
export type Converted =
  | { readonly got: 'text'; readonly text: string; readonly problems: readonly Diagnostic[] }
  | { readonly got: 'refused'; readonly problems: readonly Diagnostic[] }
  | { readonly got: 'unknown'; readonly address: string; readonly hint: string }

/** The request that would order a job, as a command for curl. Needs no key and no network; sends nothing. */
export function convertToCurl(request: ConvertRequest): Converted {
  const { baseUrl } = request
  const inAddress =
    baseUrl === undefined ? [] : baseUrlProblems({ baseUrl, rehearsal: false }, 'GENRUN_BASE_URL')
  if (hasErrors(inAddress)) return { got: 'refused', problems: inAddress }
  return convertWith(request, (job, { profile, service }) => {
    const at = service && URL.canParse(service.baseUrl) ? service.baseUrl : request.baseUrl
    const example = exampleRequest(profile, job, at)
    const key = service ?? defined({ apiKeyFile: request.apiKeyFile })
    return 'problem' in example ? `# ${example.problem}` : curlOf(example, { profile, key, baseUrl: at })
  })
}

/** Finds the job and writes it by `write`. */
export function convertWith(request: ConvertRequest, write: (job: Job, ways: Ways) => string): Converted {
  const checked = checkFile(request.manifest, request.cwd, { ...request, isForShow: true })
  if (!checked.manifest) return { got: 'refused', problems: checked.problems }
  const { manifest } = checked
  const found = manifest.jobs.find(each => each.address === request.address)
  if (!found)
    return { got: 'unknown', address: request.address, hint: addressHint(request.address, manifest.jobs) }
  const service = serviceFor(found, request)
  const models = modelsAt(manifest.own ?? [], found.service)
  const opened = openProfile(service?.profile ?? request.profile, request.cwd, undefined, models)
  if (!opened.value) return { got: 'refused', problems: opened.problems }
  const { service: _itself, ...itself } = found
  const [job = found] = byProfile({ ...manifest, jobs: [itself] }, { profile: opened.value }).jobs
  const isUnknown = found.service !== undefined && !service && request.profile === undefined
  return {
    got: 'text',
    text: write(
      { ...job, ...defined({ service: found.service }) },
      { profile: opened.value, manifest, service },
    ),
    problems: [...checked.problems, ...opened.problems, ...(isUnknown ? [unknownService(found)] : [])],
  }
}

/** Whoever names a profile looks at that one. */
function serviceFor({ service }: Job, { profile, services = {} }: ConvertRequest): ServiceAt | undefined {
  return service === undefined || profile !== undefined ? undefined : ownService(services, service)
}

function unknownService(job: Job): Diagnostic {
  const message = `nobody has said how the service ${job.service} is spoken to: this is how the specification has it`
  const hint = 'declare it in your own settings (`services`), or name its profile: --profile'
  return warning('unknown-service', job.written.locate(['service']), message, hint)
}

/** The exact request, but for files, which stand as words in `<>`: their bytes would bury everything else. */
function exampleRequest(profile: Profile, job: Job, baseUrl = standIn): ReturnType<typeof requestFor> {
  const params: JsonObject = wireParams(job, wordFor)
  const workflow = job.workflow ?? workflowOf(profile, job.model.id, params)
  const order = { mode: job.mode, workflow, model: job.model.id, params, key: systemRandom.token() }
  return requestFor(profile, new URL(baseUrl), order)
}

const standIn = 'https://base.invalid/gw-v2'

const pathWord = ', as a data URI or the link of its upload>'

/** The path that a word stands for in a converted request; undefined for any other text. */
export function wordedPath(text: string): string | undefined {
  return text.startsWith('<') && text.endsWith(pathWord) ? text.slice(1, -pathWord.length) : undefined
}

function wordFor(ref: FileRef): string {
  switch (ref.from) {
    case 'url':
      return ref.url
    case 'path':
      return `<${ref.path}${pathWord}`
    case 'job':
      if (ref.nth === 'pick') return `<the pick of ${ref.address}>`
      return `<file ${ref.nth + 1} of ${ref.address}>`
  }
}

/** Quoted for a POSIX shell. The key is never shown. */
function curlOf(
  request: OrderRequest,
  {
    profile,
    key,
    baseUrl,
  }: Pick<Ways, 'profile'> & { readonly key: KeyAt; readonly baseUrl: string | undefined },
): string {
  const { href } = request.url
  const base = new URL(standIn).href
  const url =
    baseUrl === undefined && href.startsWith(base)
      ? `"$GENRUN_BASE_URL"${quoted(href.slice(base.length))}`
      : quoted(href)
  // curl writes the type of a multipart body itself: the boundary is its own.
  const headers = Object.entries(request.headers)
    .filter(([name]) => name !== 'content-type' || request.as !== 'multipart')
    .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const lines = [
    `curl -X ${request.method} ${url}${keyQuery(request, profile, key)}`,
    ...profile.auth.flatMap(rule => ('query' in rule ? [] : `-H ${keyHeader(rule, key)}`)),
    ...headers,
    ...bodyWords(request),
  ]
  return lines.join(' \\\n  ')
}

/** The key where it stands in the address, as the shell fills it in. */
function keyQuery({ url }: OrderRequest, { auth }: Profile, key: KeyAt): string {
  const items = auth.flatMap(rule => ('query' in rule ? `${rule.query}=${keyWord(key)}` : []))
  return items.length === 0 ? '' : `"${url.search === '' ? '?' : '&'}${items.join('&')}"`
}

/** Quoted for a POSIX shell, between quotation marks. */
function keyWord({ apiKeyVariable = 'GENRUN_API_KEY', apiKeyFile }: KeyAt): string {
  return apiKeyFile === undefined ? `$${apiKeyVariable}` : `$(cat ${shellWord(apiKeyFile)})`
}

function keyHeader(
  { header, scheme }: Exclude<Profile['auth'][number], { readonly query: string }>,
  key: KeyAt,
): string {
  const name = header === 'authorization' ? 'Authorization' : header
  return `"${name}: ${scheme === undefined ? '' : `${scheme} `}${keyWord(key)}"`
}

function bodyWords({ as, body }: OrderRequest): string[] {
  const fields = fieldsOf(body).map(({ name, value }) => ({ name, text: textOf(value) }))
  switch (as) {
    case 'json':
      return [`--data-binary ${quoted(jsonText(body, 2))}`]
    case 'form':
      return fields.map(({ name, text }) => `--data-urlencode ${quoted(`${name}=${text}`)}`)
    case 'multipart':
      return fields.map(({ name, text }) => {
        const path = wordedPath(text)
        return path === undefined
          ? `--form-string ${quoted(`${name}=${text}`)}`
          : `-F ${quoted(`${name}=@${path}`)}`
      })
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
