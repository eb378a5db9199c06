/** What the files of a tree offer each other, read from their text alone: the compiler would take half a minute. */

import { join } from 'node:path'

interface Export {
  readonly file: string
  readonly name: string
}

const offered = /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm
const imported = /^(?:import|export)(?: type)? \{([^}]*)\} from '([^']+)'/gm
const whole = /^(?:import|export) (?:type )?\*(?: as \w+)? from '([^']+)'|\bimport\('([^']+)'\)/gm

export function exportsOf(file: string, text: string): Export[] {
  const names = new Set([...text.matchAll(offered)].map(match => match[1] ?? ''))
  return [...names].map(name => ({ file, name }))
}

/** Every export that no other of these files takes; a file taken whole is asked for by its names. */
export function unused(texts: ReadonlyMap<string, string>): Export[] {
  const taken = new Set<string>()
  for (const [file, text] of texts) {
    for (const [, names = '', from = ''] of text.matchAll(imported))
      for (const name of names.split(',')) taken.add(`${target(file, from)} ${nameOf(name)}`)
    for (const [, one, other] of text.matchAll(whole)) {
      const to = target(file, one ?? other ?? '')
      for (const { name } of exportsOf(to, texts.get(to) ?? ''))
        if (one !== undefined || new RegExp(`\\b${name}\\b`).test(text)) taken.add(`${to} ${name}`)
    }
  }
  const all = [...texts].flatMap(([file, text]) => exportsOf(file, text))
  return all.filter(({ file, name }) => !taken.has(`${file} ${name}`))
}

function target(file: string, from: string): string {
  return from.startsWith('.') ? join(file, '..', from) : from
}

function nameOf(written: string): string {
  return written
    .trim()
    .replace(/^type /, '')
    .replace(/ as .*/s, '')
}
