import { type Model, models, type Param } from '../catalog/index.ts'

/** How one parameter is given on a command line. */
export interface Flag {
  /** The parameter. */
  readonly name: string
  /** The specification's primary flag for this model: `--ar`, `-p`. */
  readonly flag: string
  /** The canonical long form: `--aspect-ratio`. */
  readonly longFlag: string
  /** Every form that is understood, the primary one first, the long one second, each once. */
  readonly forms: readonly string[]
}

/**
 * The flags of a model in the order of its parameters. A primary flag that another model has for the same parameter is
 * understood too (`--neg` and `--neg-prompt`), unless it means something else here.
 */
export function flagsOf(model: Model): Flag[] {
  const rows = Object.entries(model.params)
  const taken = new Set(rows.flatMap(([name, param]) => [param.flag, longFlag(name)]))
  return rows.map(([name, param]) => {
    const own = [param.flag, longFlag(name)]
    const others = (primaryFlags.get(name) ?? []).filter(form => !taken.has(form))
    return { name, flag: param.flag, longFlag: longFlag(name), forms: [...new Set([...own, ...others])] }
  })
}

/** `aspectRatio` is `--aspect-ratio`. */
export function longFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

/** The parameter that a word stands for as a flag, dashes or not: `ar`, `--neg-prompt`, `aspect-ratio`. */
export function paramByFlag(model: Model, word: string): string | undefined {
  const bare = word.replace(/^--?/, '')
  return flagsOf(model).find(flag => flag.forms.some(form => form.replace(/^--?/, '') === bare))?.name
}

const primaryFlags = collect(Object.values(models))

function collect(all: readonly Model[]): ReadonlyMap<string, readonly string[]> {
  const flags = new Map<string, string[]>()
  const rows: [string, Param][] = all.flatMap(model => Object.entries(model.params))
  for (const [name, { flag }] of rows) flags.set(name, [...new Set([...(flags.get(name) ?? []), flag])])
  return flags
}
