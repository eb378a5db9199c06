import { fileURLToPath, pathToFileURL } from 'node:url'

/** Where results are shared: in a folder, or in a bucket of an object store (S3) below a prefix. */
type SharedPlace =
  | { readonly is: 'folder'; readonly folder: string }
  | ({ readonly is: 'bucket' } & SharedBucket)

export interface SharedBucket {
  readonly bucket: string
  /** Without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string
}

/**
 * Reads `s3://bucket/prefix`, `file:///folder`, or a folder as it is written on a disk, which is given back unresolved.
 * Undefined for everything else: another scheme, another machine, a name that not every store takes.
 */
export function readSharedPlace(text: string): SharedPlace | undefined {
  const scheme = /^([a-z][a-z\d+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase()
  // With a slash too few it would become a folder that nobody else sees.
  if (scheme === undefined)
    return /^(s3|file|https?):/i.test(text) ? undefined : { is: 'folder', folder: text }
  if (scheme === 'file') return folderAt(text)
  return scheme === 's3' ? bucketAt(text.slice('s3://'.length)) : undefined
}

/** `s3://bucket/prefix` */
export function bucketText({ bucket, prefix }: SharedBucket): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
}

/** `file:///folder` */
export function folderAddress(folder: string): string {
  return pathToFileURL(folder).href.replace(/\/$/, '')
}

function folderAt(text: string): SharedPlace | undefined {
  if (/[?#]/.test(text) || !URL.canParse(text) || new URL(text).host !== '') return undefined
  try {
    return { is: 'folder', folder: fileURLToPath(text) }
  } catch {
    return undefined
  }
}

/** Names are plain, so that every store keeps them as they are, and no address hides a key before an `@`. */
function bucketAt(rest: string): SharedPlace | undefined {
  const [bucket = '', ...names] = rest.replace(/\/+$/, '').split('/')
  const isPlain = (name: string) => /^[\w.=+-]{1,200}$/.test(name) && !/^\.+$/.test(name)
  const isBucket = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket)
  if (!isBucket || !names.every(isPlain) || rest.length > 500) return undefined
  return { is: 'bucket', bucket, prefix: names.join('/') }
}
