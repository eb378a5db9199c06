import type { WorkspaceRequest } from '../../planning/open-workspace.ts'
import { isOnlyRehearsed } from '../../workspace/only-rehearsed.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { type ManifestArgs, workspaceFrom } from './plan-options.ts'

/**
 * The request of a verb about what was made: where that is nothing but a rehearsal, the rehearsal is meant, and it is
 * said.
 */
export function aboutMade(args: ManifestArgs, around: Surroundings, out: Out): WorkspaceRequest {
  if (args.local || !isOnlyRehearsed(args.manifest, around.cwd)) return workspaceFrom(args, around)
  out.talk('rehearsal: nothing was bought yet, so this is about the placeholders')
  return workspaceFrom({ ...args, local: true }, around)
}

/** A verb about what is to be bought does not count placeholders: whoever has just made some may wonder. */
export function noteRehearsal({ manifest, local }: ManifestArgs, { cwd }: Surroundings, out: Out): void {
  if (!local && isOnlyRehearsed(manifest, cwd))
    out.talk(
      'note: only a rehearsal was made yet, and its placeholders do not count here; --local is about them',
    )
}
