/** One file on its way to a service. */
export interface UploadFile {
  /** What the form calls it; no path. */
  readonly name: string
  /** Media type by the bytes. */
  readonly type: string
  readonly bytes: number
  /** The contents, anew for each attempt. Throws when they are not what they were. */
  readonly chunks: () => AsyncIterable<Uint8Array>
}

/** A multipart form (RFC 7578) whose length is known before the first byte. */
interface MultipartForm {
  readonly type: string
  readonly bytes: number
  readonly chunks: () => AsyncIterable<Uint8Array>
}

/** A form with the fields first and the file last, as services that read it in one pass want it. */
export function multipartForm(
  boundary: string,
  fields: { readonly [name: string]: string },
  field: string,
  file: UploadFile,
): MultipartForm {
  const line = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${quotedName(name)}"`
  const before = Buffer.from(
    [
      ...Object.entries(fields).map(([name, value]) => `${line(name)}\r\n\r\n${value}\r\n`),
      `${line(field)}; filename="${quotedName(file.name)}"\r\nContent-Type: ${file.type}\r\n\r\n`,
    ].join(''),
  )
  const after = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: before.byteLength + file.bytes + after.byteLength,
    async *chunks() {
      yield before
      yield* file.chunks()
      yield after
    },
  }
}

/** As browsers write names: RFC 7578 leaves it to them. */
export function quotedName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
