import { createHash } from 'node:crypto'

/** One object as the bucket has it: whole, or not at all. */
export interface StoredObject {
  readonly bytes: Uint8Array
  /** Quoted, as headers have it. */
  readonly etag: string
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
}

interface Upload {
  readonly key: string
  readonly type: string
  readonly parts: Map<number, { readonly bytes: Uint8Array; readonly etag: string }>
}

/** Parts of an upload as its client names them. */
export interface NamedPart {
  readonly number: number
  readonly etag: string
}

/** The objects of one bucket, in memory. */
export interface Bucket {
  get(key: string): StoredObject | undefined
  /** False when there is no room for it. */
  put(key: string, bytes: Uint8Array, type: string): boolean
  remove(key: string): void
  /** The keys behind `after` that begin with the prefix, in their order. */
  keys(prefix: string, after: string): string[]
  /** Its id. */
  begin(key: string, type: string): string
  /** The upload of that key; undefined when there is none of that id. */
  upload(key: string, id: string): Upload | undefined
  /** The part's entity tag; undefined when there is no room for it. */
  putPart(upload: Upload, number: number, bytes: Uint8Array): string | undefined
  /** Puts the parts together. False when one of them is not what is named. */
  complete(id: string, upload: Upload, parts: readonly NamedPart[]): boolean
  abort(id: string): void
}

interface BucketOptions {
  /** Of objects and parts together. */
  readonly maxBytes: number
  readonly wall: () => number
  readonly token: () => string
}

export function openBucket({ maxBytes, wall, token }: BucketOptions): Bucket {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, Upload>()
  let total = 0

  const drop = (id: string) => {
    for (const { bytes } of uploads.get(id)?.parts.values() ?? []) total -= bytes.byteLength
    uploads.delete(id)
  }
  const set = (key: string, object: StoredObject) => {
    total += object.bytes.byteLength - (objects.get(key)?.bytes.byteLength ?? 0)
    objects.set(key, object)
  }

  return {
    get: key => objects.get(key),
    put(key, bytes, type) {
      if (total + bytes.byteLength > maxBytes) return false
      set(key, { bytes, etag: etagOf(bytes), type, at: wall() })
      return true
    },
    remove(key) {
      total -= objects.get(key)?.bytes.byteLength ?? 0
      objects.delete(key)
    },
    keys: (prefix, after) =>
      [...objects.keys()].filter(key => key.startsWith(prefix) && key > after).toSorted(),
    begin(key, type) {
      const id = token()
      uploads.set(id, { key, type, parts: new Map() })
      return id
    },
    upload(key, id) {
      const upload = uploads.get(id)
      return upload?.key === key ? upload : undefined
    },
    putPart({ parts }, number, bytes) {
      const before = parts.get(number)?.bytes.byteLength ?? 0
      if (total + bytes.byteLength - before > maxBytes) return undefined
      total += bytes.byteLength - before
      const etag = etagOf(bytes)
      parts.set(number, { bytes, etag })
      return etag
    },
    complete(id, { key, type, parts }, named) {
      const pieces = named.map(({ number, etag }) => {
        const part = parts.get(number)
        return part && bare(part.etag) === bare(etag) ? part : undefined
      })
      if (!pieces.every(piece => piece !== undefined)) return false
      const bytes = Buffer.concat(pieces.map(piece => piece.bytes))
      const digests = Buffer.concat(pieces.map(({ etag }) => Buffer.from(bare(etag), 'hex')))
      drop(id)
      set(key, { bytes, etag: `"${md5(digests)}-${pieces.length}"`, type, at: wall() })
      return true
    },
    abort: drop,
  }
}

function etagOf(bytes: Uint8Array): string {
  return `"${md5(bytes)}"`
}

function bare(etag: string): string {
  return etag.replaceAll(/&quot;|&#34;|"/g, '')
}

/** What every store of this kind names contents by; nothing is proved by it. */
function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}
