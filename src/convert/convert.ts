import { type Diagnostic, hasErrors } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { systemRandom } from '../base/random.ts'
import type { FileRef, Job, Manifest } from '../manifest/shapes/job.ts'
import { addressHint } from '../planning/unknown-address.ts'
import { wireParams } from '../run/inputs/prepare-inputs.ts'
import { fieldsOf, textOf } from '../wire/profile/body.ts'
import { type Profile, workflowOf } from '../wire/profile/profile.ts'
import { type OrderRequest, requestFor } from '../wire/profile/request.ts'
import { type CheckOptions, checkFile } from '../workspace/read/check.ts'
import { byProfile, openProfile } from '../workspace/service/profile.ts'
import { baseUrlProblems } from '../workspace/service/service.ts'

/** A job as something else. Paths are relative to `cwd`. */
export interface ConvertRequest extends CheckOptions {
  readonly manifest: string
  readonly address: string
  readonly cwd: string
  readonly profile?: string
  /** Shown as a variable of the shell when there is none. */
  readonly baseUrl?: string
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
  return convertWith(request, (job, profile) => {
    const example = exampleRequest(profile, job, request.baseUrl)
    return 'problem' in example ? `# ${example.problem}` : curlOf(example, profile, request.baseUrl)
  })
}

/** Finds the job and writes it by `write`. */
export function convertWith(
  request: ConvertRequest,
  write: (job: Job, profile: Profile, manifest: Manifest) => string,
): Converted {
  const checked = checkFile(request.manifest, request.cwd, request)
  if (!checked.manifest) return { got: 'refused', problems: checked.problems }
  const opened = openProfile(request.profile, request.cwd, undefined, checked.manifest.own)
  if (!opened.value) return { got: 'refused', problems: opened.problems }
  const { jobs } = byProfile(atOne(checked.manifest), { profile: opened.value })
  const job = jobs.find(each => each.address === request.address)
  if (!job) return { got: 'unknown', address: request.address, hint: addressHint(request.address, jobs) }
  return {
    got: 'text',
    text: write(job, opened.value, checked.manifest),
    problems: [...checked.problems, ...opened.problems],
  }
}

/** One profile is looked at, whichever service the jobs name. */
function atOne({ jobs, ...manifest }: Manifest): Manifest {
  return { ...manifest, jobs: jobs.map(({ service: _elsewhere, ...job }) => job) }
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
function curlOf(request: OrderRequest, profile: Profile, baseUrl?: string): string {
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
    `curl -X ${request.method} ${url}`,
    ...profile.auth.map(rule => `-H ${keyHeader(rule)}`),
    ...headers,
    ...bodyWords(request),
  ]
  return lines.join(' \\\n  ')
}

function keyHeader({ header, scheme }: Profile['auth'][number]): string {
  const name = header === 'authorization' ? 'Authorization' : header
  return `"${name}: ${scheme === undefined ? '' : `${scheme} `}$GENRUN_API_KEY"`
}

function bodyWords({ as, body }: OrderRequest): string[] {
  const fields = fieldsOf(body).map(({ name, value }) => ({ name, text: textOf(value) }))
  switch (as) {
    case 'json':
      return [`--data-binary ${quoted(JSON.stringify(body, undefined, 2))}`]
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
