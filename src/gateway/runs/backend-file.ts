import { type Checked, type Diagnostic, error } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import type { SourceFile } from '../../base/source.ts'
import { modelIds } from '../../catalog/index.ts'
import type { TextEntry } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'
import type { Backend, Command } from './backend.ts'

/**
 * Reads which command makes a model's files: `famc-v3: ./film.sh`, or word by word `famc-v3: [python3, film.py]`. A text
 * is for the shell. `ids` are the models that are served.
 */
export function readBackend(file: SourceFile, ids: readonly string[] = modelIds): Checked<Backend> {
  const read = readYaml(file)
  if (!read.value) return { value: undefined, problems: read.problems }
  if (read.value.kind !== 'map') {
    const problem = error('bad-backend', read.value, 'a backend is a mapping from model to command', example)
    return { value: undefined, problems: [...read.problems, problem] }
  }
  const commands = new Map<string, Command>()
  const problems: Diagnostic[] = []
  for (const entry of read.value.entries) {
    const command = commandOf(entry, ids)
    if ('code' in command) problems.push(command)
    else commands.set(entry.key.source, command)
  }
  const all = [...read.problems, ...problems]
  return { value: problems.length > 0 ? undefined : commands, problems: all }
}

const example = 'for instance `famc-v3: ./film.sh`'

function commandOf({ key, value }: TextEntry, ids: readonly string[]): Command | Diagnostic {
  if (!ids.includes(key.source)) {
    const near = nearest(key.source, ids)
    return error('unknown-model', key, `there is no model ${key.source}`, near && `did you mean ${near}?`)
  }
  if (value.kind === 'scalar' && typeof value.value === 'string' && value.value.trim() !== '')
    return { shell: value.value }
  if (value.kind === 'list') {
    const words = value.items.map(item => (item.kind === 'scalar' && item.value !== null ? item.source : ''))
    const [program, ...rest] = words
    if (program && words.every(word => word !== '')) return { program, words: rest }
  }
  return error('bad-backend', value, 'a command is a text for the shell or a list of words', example)
}
