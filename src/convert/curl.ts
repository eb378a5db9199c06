import { defined } from '../base/defined.ts'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { SourceFile } from '../base/source.ts'
import { paramOf } from '../catalog/index.ts'
import { builtIn, type ModelSet } from '../catalog/model-set.ts'
import type { Filled } from '../manifest/shapes/filled.ts'
import type { LineWord, Texts } from '../run/one-shot/ask-flags.ts'
import { scalarAt } from '../text/tree.ts'
import { readYaml } from '../text/yaml.ts'
import { wordedPath } from './convert.ts'
import { type FoundAll, type FoundJob, foundIn, modeIn } from './found.ts'

/**
 * An order as curl sends it: the body of `-d`, `--data…` or `--json`, written out or as `@file`. The model is what the
 * body says, or else the workflow in the address.
 */
export function readCurl(
  words: readonly [LineWord, ...LineWord[]],
  texts: Texts,
  modelSet: ModelSet = builtIn,
): FoundAll {
  const [first] = words
  const body = bodyOf(words)
  const address = words.find(({ text }) => /\/workflows\/[^/]+\/(?:execute|submit)$/.test(text))
  if (!body || !address) {
    const hint = 'orders read `curl -X POST …/workflows/<workflow>/submit --data-binary \'{"params":{…}}\'`'
    return wrong(error('not-a-job', first, 'this request orders nothing', hint))
  }
  const file = sourceOf(body, texts)
  if ('problem' in file) return wrong(error('unreadable-file', body, file.problem))
  const { value, problems } = readYaml(file)
  const errors = problems.filter(each => each.severity === 'error')
  if (value?.kind !== 'map') return { found: [], problems: errors }
  const found = foundIn(value).map(each => named(each, address, modelSet))
  return { found, problems: errors }
}

function wrong(problem: Diagnostic): FoundAll {
  return { found: [], problems: [problem] }
}

const dataFlag = /^(?:-d|--data|--data-raw|--data-binary|--data-ascii|--json)$/

/** The word of the body: behind its flag, or joined to it. */
function bodyOf(words: readonly LineWord[]): LineWord | undefined {
  const at = words.findIndex(({ text }) => dataFlag.test(text.replace(/=[^]*$/, '')))
  const flag = words[at]
  if (!flag) return undefined
  const sign = flag.text.indexOf('=')
  return sign < 0 ? words[at + 1] : { ...flag, text: flag.text.slice(sign + 1) }
}

function sourceOf({ text }: LineWord, texts: Texts): ReturnType<Texts['read']> | SourceFile {
  if (text === '@-') return texts.stdin()
  return text.startsWith('@') ? texts.read(text.slice(1)) : { name: 'the body', text }
}

/** Names in any case are the catalog's: services differ in it. */
function named({ ask, own }: FoundJob, address: LineWord, modelSet: ModelSet): FoundJob {
  const [, workflow = '', verb] = /\/workflows\/([^/]+)\/(\w+)$/.exec(address.text) ?? []
  const mode = modeIn(verb)
  const model = ask.model ?? { id: decoded(workflow), at: address }
  const known = modelSet.find(model.id)
  const params = ask.params.map(entry => {
    const plain = entry.key.source.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const given = { ...entry, value: byPath(entry.value) }
    if (!known || paramOf(known, entry.key.source) || !paramOf(known, plain)) return given
    return { ...given, key: scalarAt(entry.key, plain) }
  })
  return { ask: { ...ask, model, params }, own: { ...own, ...defined({ mode }) } }
}

/** A file that `convert` has put a word for is its path again. */
function byPath(value: Filled): Filled {
  switch (value.kind) {
    case 'scalar': {
      const path = wordedPath(value.source)
      return path === undefined ? value : scalarAt(value, path)
    }
    case 'list':
      return {
        kind: 'list',
        file: value.file,
        start: value.start,
        end: value.end,
        items: value.items.map(byPath),
      }
    case 'map':
      return {
        kind: 'map',
        file: value.file,
        start: value.start,
        end: value.end,
        entries: value.entries.map(entry => ({ ...entry, value: byPath(entry.value) })),
      }
    case 'reference':
    case 'unfilled':
      return value
  }
}

function decoded(workflow: string): string {
  try {
    return decodeURIComponent(workflow)
  } catch {
    return workflow
  }
}
