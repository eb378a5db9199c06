import { createHash } from 'node:crypto'
import { findModel } from '../../catalog/index.ts'
import type { AuditRow } from '../../verbs/audit.ts'

/** One file as a flat record: what a table and a sidecar say of it, in one order. */
export function auditRecord(row: AuditRow, genrun: string) {
  const { address, file, is, recipe, acceptedAs, run, credits, cost, verdict, tool } = row
  const { prompt, ...params } = recipe.params
  return {
    file: file.path,
    is,
    job: address,
    take: recipe.take,
    picked: row.picked ?? false,
    digest: file.digest,
    type: file.type,
    bytes: file.bytes,
    model: recipe.model,
    service: recipe.service,
    prompt,
    parameters: { ...recipe.defaults, ...params },
    inputs: recipe.inputs,
    acceptedAs,
    run: run?.id,
    workflow: run?.workflow,
    origin: run?.origin,
    orderedAt: row.orderedAt,
    orderedBy: tool,
    credits,
    cost: cost?.is === 'known' ? cost.amount : undefined,
    looked: file.looked?.verdict,
    found: file.looked?.found,
    verdict: verdict?.is,
    stars: verdict?.stars,
    note: verdict?.note,
    judgedBy: verdict?.who,
    judgedAt: verdict?.when,
    says: row.says,
    // The version of the model, as this genrun has it: a model of a person's own has none here.
    catalog: catalogVersion(recipe.model),
    genrun,
  }
}

const versions = new Map<string, string | undefined>()

/** Of the built-in catalog, by what it says of the model. */
function catalogVersion(id: string): string | undefined {
  if (!versions.has(id)) {
    const model = findModel(id)
    const text = model && createHash('sha256').update(JSON.stringify(model)).digest('hex')
    versions.set(id, text && `sha256:${text}`)
  }
  return versions.get(id)
}

export type AuditRecord = ReturnType<typeof auditRecord>

/** RFC 4180 with plain line ends, and a head. What a spreadsheet would take for a formula gets an apostrophe before it. */
export function auditCsv(records: readonly AuditRecord[]): string {
  const [first] = records
  if (!first) return ''
  const names = Object.keys(first)
  const lines = records.map(record => Object.values(record).map(cell).join())
  return [names.join(), ...lines].join('\n')
}

function cell(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
