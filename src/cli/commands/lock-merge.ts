import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { installLockMerge, mergeLockFiles } from '../../verbs/lock-merge.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { troubleText } from '../words/problems.ts'

interface LockMergeArgs extends Given<'install'> {
  /** Base, ours and theirs, as git names them. */
  readonly files: readonly string[]
}

/** `genrun lock merge`: git's merge driver. Exit 1 tells git that there are conflicts. */
export function lockMerge(args: LockMergeArgs, around: Surroundings, out: Out): number {
  if (args.install) return install(around, out)
  const result = mergeLockFiles(args.files, around.cwd)
  switch (result.got) {
    case 'trouble':
      out.talk(troubleText({ code: 'lock-merge', ...result }, out.paint))
      return exit.refused
    case 'as-text':
      out.talk(display(`the lock (${result.side}): ${result.why}; merged line by line, with conflicts`))
      return exit.failed
    case 'merged':
      return exit.ok
  }
}

function install({ cwd, program }: Surroundings, out: Out): number {
  const result = installLockMerge(cwd, program)
  if ('message' in result) {
    out.talk(
      troubleText(
        { code: 'no-git', message: result.message, hint: 'run it inside a git repository' },
        out.paint,
      ),
    )
    return exit.refused
  }
  for (const line of result.did) out.talk(display(line))
  return exit.ok
}
