import { relative, resolve } from 'node:path'
import { type Checked, type Diagnostic, error, hasErrors } from '../../base/diagnostic.ts'
import { headOf, type SourceFile, type Span } from '../../base/source.ts'
import { type Model, usualMode } from '../../catalog/index.ts'
import type { Job, Manifest } from '../../manifest/shapes/job.ts'
import { entryOf, valueSpan } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'
import { isKeyInQuery } from '../../wire/profile/auth.ts'
import { gwV2 } from '../../wire/profile/gw-v2.ts'
import { modeOf, type Profile } from '../../wire/profile/profile.ts'
import { readProfile } from '../../wire/profile/profile-file.ts'
import { uploadProblem } from '../../wire/transfer/upload-url.ts'
import { readGuarded } from '../read/guarded.ts'
import { profileProblem } from './profile-trust.ts'
import type { Service } from './service.ts'

/** What of a service a profile is checked against. */
export type ProfileService = Pick<
  Service,
  'name' | 'baseUrl' | 'key' | 'uploadOrigins' | 'keyInQuery' | 'trust' | 'others' | 'isNone'
>

/**
 * Reads the profile at `path` (relative to `cwd`), or gives the built-in one. With a service at hand it is refused when
 * it holds the key, sends files where only the user may say that they go, or is a checkout's that nobody believes.
 * `own` are the models of the manifest.
 */
export function openProfile(
  path: string | undefined,
  cwd: string,
  service?: ProfileService,
  own: readonly Model[] = [],
): Checked<Profile> {
  if (path === undefined)
    return { value: cautious(own.length > 0 ? { ...gwV2, own } : gwV2, service), problems: [] }
  const file = readText(path, cwd)
  if ('problem' in file) {
    const hint = 'give the path of a YAML file'
    return { value: undefined, problems: [error('unreadable-profile', headOf(file), file.problem, hint)] }
  }
  if (service && service.key !== '' && file.text.includes(service.key)) {
    const hint = 'remove it and get a new one: a profile is a file that others read'
    return {
      value: undefined,
      problems: [error('key-in-profile', headOf(file), 'this file holds the key', hint)],
    }
  }
  const { value, problems } = readProfile(file, own)
  const refused = value?.upload && service && uploadProblem(value.upload.url, service)
  const doubted = value && service?.trust && profileProblem({ file, path, cwd }, value, service.trust)
  const all = [
    ...problems,
    ...(refused ? [error('upload-origin', uploadSpan(file), refused.message, refused.hint)] : []),
    ...(service && value && isKeyInQuery(value.auth) && !service.keyInQuery ? [inQuery(file)] : []),
    ...(doubted ? [doubted] : []),
  ]
  return { value: value && !hasErrors(all) ? cautious(value, service) : undefined, problems: all }
}

function inQuery(file: SourceFile): Diagnostic {
  const { value: tree } = readYaml(file)
  const at = (tree?.kind === 'map' ? entryOf(tree, 'auth')?.key : undefined) ?? headOf(file)
  const message = 'the key would stand in every address, which proxies and logs keep'
  const hint =
    'if the service takes it nowhere else, allow it outside of the project: GENRUN_KEY_IN_QUERY=true, or `keyInQuery: true` of the service'
  return error('bad-profile', at, message, hint)
}

/** For a stranger's checkout nothing in doubt is sent again, whatever the service promises. */
function cautious(profile: Profile, service: ProfileService | undefined): Profile {
  if (!service?.trust?.untrusted) return profile
  return { ...profile, idempotency: { ...profile.idempotency, honoured: false } }
}

/** Whether it speaks of a service whose addresses are not the specification's. */
export function hasOwnEndpoints({ endpoints }: Profile): boolean {
  return endpoints !== gwV2.endpoints
}

/** Where a key of a profile stands; the head of the file where it has no such key. */
export function profileSpan(path: string, cwd: string, key: string): Span {
  const file = readText(path, cwd)
  const { value: tree } = readYaml(file)
  return (tree?.kind === 'map' ? entryOf(tree, key)?.key : undefined) ?? headOf(file)
}

/** Where the key of an example stands; that of all examples where it is not written. */
export function exampleSpan(path: string, cwd: string, nth: number, key: string): Span {
  const { value: tree } = readYaml(readText(path, cwd))
  const examples = tree?.kind === 'map' ? entryOf(tree, 'examples')?.value : undefined
  const one = examples?.kind === 'list' ? examples.items[nth] : examples
  const entry = one?.kind === 'map' ? entryOf(one, key) : undefined
  return entry?.key ?? profileSpan(path, cwd, 'examples')
}

/** Where the address of uploads stands. */
function uploadSpan(file: SourceFile): Span {
  const { value: tree } = readYaml(file)
  const upload = tree?.kind === 'map' ? entryOf(tree, 'upload') : undefined
  const url = upload?.value.kind === 'map' ? entryOf(upload.value, 'url') : undefined
  return url ? valueSpan(url) : headOf(file)
}

const longestProfile = 1024 * 1024

function readText(path: string, cwd: string): SourceFile | (SourceFile & { readonly problem: string }) {
  const full = resolve(cwd, path)
  const name = relative(cwd, full) || path
  const read = readGuarded(full, cwd, longestProfile)
  return 'problem' in read
    ? { name, text: '', problem: `the profile cannot be read: ${read.problem}` }
    : { name, text: read.text }
}

/** The manifest with the modes that the profiles give to models; what a job says itself stays. */
export function byProfile(manifest: Manifest, spoken: Speaking): Manifest {
  const profileOf = ({ service }: Job) =>
    service === undefined ? spoken.profile : spoken.services?.[service]?.profile
  if ([spoken, ...Object.values(spoken.services ?? {})].every(({ profile }) => profile.mode.length === 0))
    return manifest
  const jobs = manifest.jobs.map(job => {
    const profile = profileOf(job)
    // A job that names the other mode than the usual one has named it itself; the usual one is named in the text.
    const isOwn =
      job.mode !== usualMode(job.model) || job.written.locate(['mode'], 'key').start !== job.at.start
    const mode = isOwn || !profile ? undefined : modeOf(profile, { model: job.model.id, params: given(job) })
    return mode === undefined ? job : { ...job, mode }
  })
  return { ...manifest, jobs }
}

/** The profiles that jobs of a manifest go by. */
interface Speaking {
  readonly profile: Profile
  readonly services?: { readonly [name: string]: { readonly profile: Profile } } | undefined
}

/**
 * The profile for a rehearsal: the embedded gateway speaks the built-in one, and takes uploads where the service does.
 */
export function rehearsed(profile: Profile): Profile {
  if (!profile.upload) return gwV2
  const { files } = profile.request
  const upload = { url: 'files', field: 'file', fields: {}, urlAt: ['/url'] }
  return { ...gwV2, upload, request: { ...gwV2.request, files: { ...files, as: 'data-uri' } } }
}

/** The manifest as the embedded gateway takes it: it is every service, and its workflows are the models' ids. */
function rehearsable(manifest: Manifest, speaking: Speaking): Manifest {
  const { jobs, ...rest } = byProfile(manifest, speaking)
  if (jobs.every(job => job.workflow === undefined && job.service === undefined)) return { ...rest, jobs }
  return { ...rest, jobs: jobs.map(({ workflow: _theirs, service: _itself, ...job }) => job) }
}

/** Manifest and profile as whoever is asked takes them: the embedded gateway in a rehearsal, else the services. */
export function asServed(
  { manifest, ...speaking }: { readonly manifest: Manifest } & Speaking,
  rehearsal: boolean,
): { readonly manifest: Manifest; readonly profile: Profile } {
  const { profile } = speaking
  return rehearsal
    ? { manifest: rehearsable(manifest, speaking), profile: rehearsed(profile) }
    : { manifest: byProfile(manifest, speaking), profile }
}

/** Parameters as conditions see them before files are at hand: a file that will be there counts as given. */
export function given(job: Manifest['jobs'][number]): Manifest['jobs'][number]['params'] {
  const files = Object.entries(job.files).map(([at, refs]) => [
    at.split('/')[1] ?? '',
    refs.map(() => 'file'),
  ])
  return { ...job.params, ...Object.fromEntries(files) }
}
