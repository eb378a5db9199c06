import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import { builtIn } from '../../catalog/model-set.ts'
import {
  entryOf,
  isEmpty,
  type TextEntry,
  type TextMap,
  type TextNode,
  type TextScalar,
} from '../../text/tree.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { isFree, isOwnKey } from './shape.ts'

/** A job as written: nothing filled in, nothing known about its model. */
export interface Draft {
  readonly id: string
  /** The job's name in the text; what concerns the job as a whole is told here. */
  readonly at: Span
  /** All that the job says. What it takes in from anchors lies outside. */
  readonly body: Span
  /** Its own keys, each once, in written order. */
  readonly own: readonly TextEntry[]
  /** All other keys, in written order; those that begin with `x-` are left out. */
  readonly params: readonly TextEntry[]
}

/** Jobs as a mapping from id to job, or as a list of jobs with `id`. */
export function readDrafts(jobs: TextEntry, report: ReportProblem): Draft[] {
  const { key, value } = jobs
  switch (value.kind) {
    case 'map': {
      if (value.entries.length === 0) report(noJobs(key))
      const slip = notIndented(value)
      if (slip) report(slip)
      return slip ? [] : value.entries.flatMap(entry => draftOf(entry.key, entry.value, report) ?? [])
    }
    case 'list':
      if (value.items.length === 0) report(noJobs(key))
      return value.items.flatMap(item => listedDraft(item, report) ?? [])
    case 'scalar':
      report(
        isEmpty(value)
          ? noJobs(key)
          : error('wrong-type', value, '`jobs` is a mapping from id to job', example),
      )
      return []
  }
}

const example = 'for instance `jobs: { hero: { model: fama-imagine-image, prompt: A teapot } }`'

function noJobs(key: TextScalar): Diagnostic {
  return error('no-jobs', key, 'there are no jobs', example)
}

/** `hero:` with nothing in it, and `model: …` below it in the same column. */
function notIndented({ entries }: TextMap): Diagnostic | undefined {
  const nth = entries.findIndex(({ key, value }) => key.source === 'model' && value.kind === 'scalar')
  const [job, slip] = [entries[nth - 1], entries[nth]]
  if (!job || !slip || !isEmpty(job.value) || isEmpty(slip.value)) return undefined
  const message = `\`model\` stands beside the job ${job.key.source}, not in it`
  const hint = `what belongs to a job stands further in than its name: two spaces before \`model\` and its neighbours`
  return error('yaml-indent', slip.key, message, hint)
}

function listedDraft(item: TextNode, report: ReportProblem): Draft | undefined {
  if (item.kind !== 'map') {
    report(
      error(
        'wrong-type',
        item,
        'a job is a mapping with `id`, `model` and parameters',
        'for instance `- { id: hero, model: famc-v3, prompt: … }`',
      ),
    )
    return undefined
  }
  const id = entryOf(item, 'id')
  if (!id) {
    const first = item.entries[0]?.key ?? item
    report(error('missing-id', first, 'this job has no `id`', 'jobs in a list are named: `- id: hero`'))
    return undefined
  }
  if (id.value.kind !== 'scalar' || id.value.source === '') {
    report(error('bad-id', id.key, '`id` is the name of the job, a word'))
    return undefined
  }
  return draftOf(id.value, item, report, id)
}

/** `naming` is the entry of a job in a list that names it. */
function draftOf(
  name: TextScalar,
  body: TextNode,
  report: ReportProblem,
  naming?: TextEntry,
): Draft | undefined {
  const id = name.source
  if (isFree(id)) return undefined
  if (!/^[A-Za-z0-9_-]+$/.test(id)) report(badId(name))
  if (body.kind !== 'map') {
    const message = isEmpty(body) ? `the job ${id} is empty` : `the job ${id} is no mapping`
    report(error('wrong-type', isEmpty(body) ? name : body, message, bodyHint(id, body)))
    return undefined
  }
  const extra = body.entries[mostKeys]
  if (extra) {
    report(error('too-many', extra.key, `a job has ${mostKeys} keys at most`))
    return undefined
  }
  const own: TextEntry[] = []
  const params: TextEntry[] = []
  for (const entry of body.entries) {
    if (entry === naming || isFree(entry.key.source)) continue
    if (isOwnKey(entry.key.source)) own.push(entry)
    else params.push(entry)
  }
  // Copies have no room for more: there may be a hundred thousand.
  return { id, at: name, body, own: own.slice(), params: params.slice() }
}

/** No model takes nearly as many; each that nobody knows is compared with all that somebody does. */
const mostKeys = 1000

function bodyHint(id: string, body: TextNode): string {
  const assigned = body.kind === 'scalar' && /^([\w-]+) *= *([^\s=]+)/.exec(body.source)
  if (assigned) return `a value stands behind a colon: \`${assigned[1]}: ${assigned[2]}\``
  const isKey = isOwnKey(id) || builtIn.paramNames.has(id)
  const slip = isKey ? `; if it is a key of a job, indent it below that job` : ''
  return `it needs at least \`model\` and its parameters${slip}`
}

function badId(name: TextScalar): Diagnostic {
  const clean = name.source
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  const hint = clean ? `for instance ${clean}` : undefined
  return error('bad-id', name, 'the id of a job is made of letters a to z, digits, `_` and `-`', hint)
}
