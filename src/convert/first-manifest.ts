import { basename, resolve } from 'node:path'
import { asFarAsSeen, namesIn, statAt } from '../disk/look.ts'
import { formOfRows, readRows } from '../manifest/expand/rows.ts'
import type { Filled } from '../manifest/shapes/filled.ts'
import { readGuarded } from '../workspace/read/guarded.ts'

/** The jobs of a first manifest, as YAML; or why there are none, as a sentence goes on after the path. */
type FirstJobs =
  | { readonly is: 'jobs'; readonly text: string }
  | { readonly is: 'nothing'; readonly problem: string; readonly hint: string }

/**
 * The jobs of a first manifest over what is there: the rows of a table, the pictures of a folder, or the lines of a text, each a
 * prompt. `path` is relative to `cwd`, where the manifest will lie.
 */
export function firstJobs(path: string, cwd: string): FirstJobs {
  const full = resolve(cwd, path)
  const written = path.replaceAll('\\', '/').replace(/\/$/, '')
  if (asFarAsSeen(() => statAt(full))?.isDirectory()) return overPictures(written, namesIn(full))
  const read = readGuarded(full, cwd, longest)
  if ('problem' in read) return nothing(`cannot be read: ${read.problem}`)
  const form = formOfRows(path)
  if (form === undefined) return overLines(read.text)
  const { rows, problems } = readRows({ name: path, text: read.text }, form)
  const [problem] = problems
  return problem ? nothing(`cannot be read: ${problem.message}`) : overRows(written, rows)
}

const longest = 16 * 1024 * 1024
const kinds = 'a table (csv, tsv, json, jsonl, yaml), a folder of pictures, or a text with a prompt a line'

function nothing(problem: string, hint = `it is ${kinds}`): FirstJobs {
  return { is: 'nothing', problem, hint }
}

/** Parameters of the model below that a column of that name gives. */
const params = ['aspectRatio', 'resolution', 'count']

function overRows(path: string, rows: readonly Filled[]): FirstJobs {
  const columns = [
    ...new Set(rows.flatMap(row => (row.kind === 'map' ? row.entries.map(({ key }) => key.source) : []))),
  ]
  const [first] = columns
  if (first === undefined) return nothing('has no rows with columns')
  const named = (...names: string[]) => columns.find(each => names.includes(each.toLowerCase()))
  const key = named('id') ?? first
  const about = named('prompt', 'text', 'description', 'title', 'name') ?? first
  const isPrompt = named('prompt') === about
  const given = columns.filter(column => params.includes(column))
  return jobs([
    `  # A job for each row, called by its column ${key}.`,
    '  item:',
    key === 'id'
      ? `    forEach: ${JSON.stringify(path)}`
      : `    forEach: { rows: ${JSON.stringify(path)}, key: ${JSON.stringify(key)} }`,
    '    model: fama-imagine-image # `genrun models` lists them',
    `    prompt: ${isPrompt ? valueOf(about) : `A picture of ${valueOf(about)}`}`,
    ...given.map(column => `    ${column}: ${valueOf(column)}`),
  ])
}

function valueOf(column: string): string {
  const word = /^[a-z_]\w*$/i.test(column) ? `.${column}` : `['${column.replaceAll("'", "''")}']`
  return `\${{ item${word} }}`
}

function overPictures(path: string, names: readonly string[]): FirstJobs {
  const endings = [
    ...new Set(names.flatMap(name => /\.(png|jpe?g|webp)$/i.exec(basename(name))?.[1] ?? [])),
  ].toSorted()
  if (endings.length === 0)
    return nothing('has no pictures', 'png, jpg and webp files are pictures that models take')
  const glob = endings.length === 1 ? endings[0] : `{${endings.join(',')}}`
  return jobs([
    '  # A job for each picture, called by its name.',
    '  scene:',
    `    forEach: ${JSON.stringify(`${path}/*.${glob}`)}`,
    '    model: famc-3.0-image # `genrun models i2i` lists those that take a picture',
    '    prompt: The same object on a linen tablecloth beside a window, soft morning light',
    '    imageUrls: ${{ item.path }}',
    '    output: ${{ item.stem }}',
  ])
}

function overLines(text: string): FirstJobs {
  const prompts = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '')
  if (prompts.length === 0) return nothing('is empty', 'write a prompt a line')
  const digits = String(prompts.length).length
  return jobs([
    '  # A job for each line.',
    ...prompts.flatMap((prompt, nth) => [
      `  prompt-${String(nth + 1).padStart(digits, '0')}:`,
      '    model: fama-imagine-image # `genrun models` lists them',
      `    prompt: ${quoted(prompt)}`,
    ]),
  ])
}

/** A text of YAML, in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function jobs(lines: readonly string[]): FirstJobs {
  return { is: 'jobs', text: `jobs:\n${lines.join('\n')}\n` }
}
