import { defined } from '../../base/defined.ts'
import { exit } from '../../base/exit.ts'
import { type JournalLine, journalOf } from '../../verbs/journal.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

interface JournalArgs extends Given<'local' | 'json'> {
  readonly manifest: string
}

/** `genrun journal`: every record, a line each. */
export function journal(args: JournalArgs, around: Surroundings, out: Out): number {
  const result = journalOf({ manifest: args.manifest, cwd: around.cwd, rehearsal: args.local })
  if (result.got !== 'journal') return tellAgainst(result, args, out)
  const { file, lines, cutBytes } = result
  if (args.json) {
    const entries = lines.map(({ record, of, says }) => ({
      ...record,
      ...defined({ of }),
      says,
    }))
    out.json({ ok: true, ...defined({ file }), cutBytes, entries })
    return exit.ok
  }
  if (lines.length === 0)
    out.talk(
      `nothing was ${args.local ? 'rehearsed' : 'ordered'} here yet${args.local ? '' : '; --local shows the journal of rehearsals'}`,
    )
  else out.result(lines.map(lineText).join('\n'))
  if (cutBytes > 0)
    out.talk(`${cutBytes} bytes behind the last record were cut off by a crash, and count for nothing`)
  return exit.ok
}

function lineText({ at, kind, of = '', says }: JournalLine): string {
  return `${new Date(at).toISOString()}  ${kind.padEnd(8)}  ${[of, says].filter(Boolean).join('  ')}`
}
