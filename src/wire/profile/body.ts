import type { Json, JsonObject } from '../../base/names.ts'
import { quotedName } from '../http/multipart.ts'
import type { BodyForm } from './profile.ts'

/** The content type of a body. */
export function typeOf(as: BodyForm, boundary: string): string {
  switch (as) {
    case 'json':
      return 'application/json'
    case 'form':
      return 'application/x-www-form-urlencoded'
    case 'multipart':
      return `multipart/form-data; boundary=${boundary}`
  }
}

/** Writes a body. `boundary` stands between the parts of a multipart one: letters and digits. */
export function payloadOf(body: JsonObject, as: BodyForm, boundary: string): Buffer {
  switch (as) {
    case 'json':
      return Buffer.from(JSON.stringify(body))
    case 'form': {
      const form = new URLSearchParams()
      for (const field of fieldsOf(body)) form.append(field.name, textOf(field.value))
      return Buffer.from(form.toString())
    }
    case 'multipart':
      return Buffer.concat([
        ...fieldsOf(body).flatMap(field => partOf(field, boundary)),
        Buffer.from(`--${boundary}--\r\n`),
      ])
  }
}

/** One field of a form. Each item of a list is a field of its own, by the same name. */
interface Field {
  readonly name: string
  readonly value: Json
}

export function fieldsOf(body: JsonObject): Field[] {
  return Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap(item => (item === null ? [] : [{ name, value: item }])),
  )
}

/** A field's value as text; what is no plain value as JSON. */
export function textOf(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A file in a field, when it is one: a data URI, as files travel in parameters. */
function fileIn({
  name,
  value,
}: Field): { readonly name: string; readonly type: string; readonly bytes: Buffer } | undefined {
  const found = typeof value === 'string' ? /^data:([\w.+-]+\/[\w.+-]+);base64,/.exec(value) : null
  if (!found || typeof value !== 'string') return undefined
  const [head, type = ''] = found
  const extension = type.split('/')[1]?.replace(/^x-|\+.*$/g, '')
  const bytes = Buffer.from(value.slice(head.length), 'base64')
  return { name: `${name.replaceAll(/[^\w-]/g, '')}.${extension}`, type, bytes }
}

/** RFC 7578, with names as browsers write them. */
function partOf(field: Field, boundary: string): Buffer[] {
  const file = fileIn(field)
  const line = `--${boundary}\r\nContent-Disposition: form-data; name="${quotedName(field.name)}"`
  if (!file) return [Buffer.from(`${line}\r\n\r\n${textOf(field.value)}\r\n`)]
  const head = `${line}; filename="${quotedName(file.name)}"\r\nContent-Type: ${file.type}\r\n\r\n`
  return [Buffer.from(head), file.bytes, Buffer.from('\r\n')]
}
