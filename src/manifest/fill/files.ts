import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { isLink } from '../../base/link.ts'
import type { Span } from '../../base/source.ts'
import type { FileRef } from '../shapes/job.ts'

/** A file named by text: a link or a path inside the project. A problem when it can be neither. */
export function readFileName(name: string, text: string, at: Span): FileRef | Diagnostic {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'http' || scheme === 'https') return readLink(text, at)
  if (scheme?.length === 1)
    return error('outside-file', at, `${text} is a path of one machine only`, relativeHint)
  if (scheme) return error('bad-link', at, `${scheme}: links are not read`, linkHint(scheme))
  if (text.includes('\\')) {
    const hint = `write ${text.replaceAll('\\', '/')}`
    return error('bad-path', at, 'a path is written with forward slashes', hint)
  }
  if (text.startsWith('~'))
    return error('outside-file', at, `${text} is a path of one machine only`, relativeHint)
  if (/\p{Cc}/u.test(text)) {
    const hint =
      'inside double quotes a backslash makes one of its letter; write the path with forward slashes'
    return error('bad-path', at, `${name} has a control character in its path`, hint)
  }
  return { from: 'path', path: text }
}

const relativeHint = 'copy the file into the project, and write its path from the manifest on'

function linkHint(scheme: string): string {
  if (scheme === 'file') return relativeHint
  if (scheme === 'data') return 'save it as a file, and write its path'
  return 'links begin with https:// or http://; anything else is a path, and has no `:` in its first part'
}

function readLink(text: string, at: Span): FileRef | Diagnostic {
  if (!isLink(text)) {
    return error(
      'bad-link',
      at,
      'this link is not complete',
      'write it as a browser shows it: https://host/path',
    )
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    return error(
      'bad-link',
      at,
      'this link carries a user name or a password',
      'a manifest holds no secrets; remove them',
    )
  }
  return { from: 'url', url: text }
}
