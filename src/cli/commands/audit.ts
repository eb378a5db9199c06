import { relative, resolve } from 'node:path'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { cleaned } from '../../base/redact.ts'
import { asFarAsSeen, realPathAt } from '../../disk/look.ts'
import { isBelow } from '../../disk/open.ts'
import { auditOf } from '../../verbs/audit.ts'
import type { Given } from '../flags/given.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import type { ManifestArgs } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { version } from '../io/version.ts'
import { writeCopies } from '../reports/copies.ts'
import type { Trouble } from '../service/service.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'
import { auditCsv, auditRecord } from '../words/audit-table.ts'

/** `genrun audit`: where every file came from; with `--copies` a folder for others, marked and with records. */
export async function audit(
  args: ManifestArgs & Given<'json' | 'csv' | 'copiesFolder'>,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const result = auditOf(aboutMade(args, around, out))
  if (result.got !== 'audit') return tellAgainst(result, args, out)
  const { copiesFolder } = args
  const among = copiesFolder === undefined ? undefined : amongResults(copiesFolder, result, args, around)
  if (among) return refuse(among, exit.refused, args, out)
  const { rows, ...whole } = cleaned(result, out.redact)
  const records = rows.map(row => [row, auditRecord(row, version())] as const)
  const mine = records.filter(([{ is }]) => is === 'there')
  const copies =
    copiesFolder === undefined
      ? undefined
      : writeCopies(resolve(around.cwd, copiesFolder), { rows: mine, rehearsal: whole.rehearsal }, around)
  if (copies && 'code' in copies) return refuse(copies, exit.damaged, args, out)
  const { got: _, ...head } = whole
  const files = records.map(([, record]) => record)
  if (args.json) out.json({ ok: true, ...head, genrun: version(), files, ...(copies && { copies }) })
  else if (args.csv) out.result(auditCsv(files))
  else if (copies)
    for (const { path, mark } of copies) out.result(display(`${relative(around.cwd, path)}: ${mark}`))
  else
    for (const { file, is, job, model, run = '-', verdict = '-', judgedBy = '' } of files)
      out.result(display([file, is, job, model, run, verdict, judgedBy].join('  ').trimEnd(), 500))
  const leftOut = copies ? rows.filter(({ is }) => is === 'altered' || is === 'missing') : []
  for (const { file, is } of leftOut) out.talk(display(`not copied: ${file.path} is ${is}`))
  const others = rows.length - mine.length
  const more = others > 0 ? `; ${others} aside, altered or missing` : ''
  const signed = rows.filter(({ says }) => says.includes('signed')).length
  const found = signed > 0 ? `; signatures found in ${signed}, not verified` : ''
  out.talk(`${counted(rows.length, 'file')}${more}${found}`)
  return exit.ok
}

/** What lies there beside the results is what `verify` complains of. */
function amongResults(
  folder: string,
  { output }: { readonly output: string },
  { manifest }: ManifestArgs,
  { cwd }: Pick<Surroundings, 'cwd'>,
): Trouble | undefined {
  const full = (path: string) => asFarAsSeen(() => realPathAt(resolve(cwd, path))) ?? resolve(cwd, path)
  const results = full(output)
  // Where the whole project is the folder of results, there is no other place.
  if (!isBelow(full(folder), results) || isBelow(full(manifest), results)) return undefined
  return {
    code: 'bad-report-path',
    message: `--copies ${folder} lies in the folder of the results, where genrun verify takes copies for files of nobody`,
    hint: 'name a folder of its own, for instance --copies public; nothing was written',
  }
}
