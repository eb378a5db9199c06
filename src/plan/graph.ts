import { display } from '../base/display.ts'
import type { JobAddress } from '../base/names.ts'
import { isJobStep, type JobStep, type Plan } from './shapes/step.ts'

export const graphForms = ['mermaid', 'dot'] as const

export type GraphForm = (typeof graphForms)[number]

/** Jobs and what flows between them, coloured by what is done about each: for a page (Mermaid) or Graphviz (DOT). */
export function graphText(plan: Plan, form: GraphForm): string {
  const named = plan.steps.filter(isJobStep).map((step, nth): Node => ({ step, name: `j${nth + 1}` }))
  const names = new Map(named.map(({ step, name }) => [step.job.address, name]))
  return form === 'mermaid' ? mermaid(named, names) : dot(named, names)
}

interface Node {
  readonly step: JobStep
  readonly name: string
}

type Names = ReadonlyMap<JobAddress, string>

function mermaid(nodes: readonly Node[], names: Names): string {
  const used = [...new Set(nodes.map(({ step }) => step.do))]
  return [
    'flowchart LR',
    ...nodes.map(
      ({ step, name }) => `  ${name}["${labelOf(step).map(mermaidText).join('<br>')}"]:::${step.do}`,
    ),
    ...edges(nodes, names).map(([from, to, isFile]) => `  ${from} ${isFile ? '-->' : '-.->'} ${to}`),
    ...used.map(what => `  classDef ${what} fill:${colours[what]},color:#000`),
  ].join('\n')
}

function dot(nodes: readonly Node[], names: Names): string {
  return [
    'digraph jobs {',
    '  rankdir=LR',
    '  node [shape=box, style="filled,rounded", fontname="sans-serif"]',
    ...nodes.map(({ step, name }) => {
      const label = labelOf(step).map(dotText).join('\\n')
      return `  ${name} [label="${label}", fillcolor="${colours[step.do]}"]`
    }),
    ...edges(nodes, names).map(
      ([from, to, isFile]) => `  ${from} -> ${to}${isFile ? '' : ' [style=dashed]'}`,
    ),
    '}',
  ].join('\n')
}

/** A file that flows, or (false) an order that is only kept. Once per pair. */
function edges(nodes: readonly Node[], names: Names): [string, string, boolean][] {
  return nodes.flatMap(({ step: { job }, name }) => {
    const refs = Object.values(job.files).flat()
    const sources = new Set(refs.flatMap(ref => (ref.from === 'job' ? [ref.address] : [])))
    return [...new Set(job.needs)].flatMap((need): [string, string, boolean][] => {
      const from = names.get(need)
      return from ? [[from, name, sources.has(need)]] : []
    })
  })
}

function labelOf({ job, do: what }: Node['step']): string[] {
  return [job.address, job.model.id, what]
}

// Quotes end a label, and everything else of Mermaid's own language is safe inside entities only.
function mermaidText(text: string): string {
  return display(text, 80).replaceAll(/["#<>&;`]/g, sign => `#${sign.codePointAt(0) ?? 0};`)
}

function dotText(text: string): string {
  return display(text, 80).replaceAll(/["\\]/g, sign => `\\${sign}`)
}

const colours: { readonly [what in Node['step']['do']]: string } = {
  buy: '#ffd27f',
  keep: '#d9ead3',
  adopt: '#cfe2f3',
  fetch: '#cfe2f3',
  restore: '#cfe2f3',
  resume: '#b6d7f2',
  hold: '#e6e6e6',
  doubt: '#f4b6b6',
}
