import { dirname, resolve } from 'node:path'
import { asFarAsSeen, realPathAt } from '../../disk/look.ts'
import { leadsAway } from '../../workspace/read/guarded.ts'

/**
 * Where the search for a project's settings begins: the real folder of the manifest that a command is about, so that its caps count
 * wherever one stands; else where one stands. Several manifests of several folders have no such folder.
 */
export async function settingsStart(args: object, cwd: string): Promise<string> {
  const { manifest, manifests, plan }: { [name: string]: unknown } = { ...args }
  const named = [manifest ?? [], manifests ?? [], plan === undefined ? [] : await ofPlan(plan, cwd)].flat()
  const folders = named.map(path =>
    typeof path === 'string' ? folderOf(resolve(cwd, path), cwd) : undefined,
  )
  const [first] = folders
  return first !== undefined && folders.every(each => each === first) ? first : cwd
}

/** Undefined where the command will say why it takes no such manifest: a checkout leads to nobody else's settings. */
function folderOf(full: string, cwd: string): string | undefined {
  const real = asFarAsSeen(() => realPathAt(full))
  return real === undefined || leadsAway(full, cwd) ? undefined : dirname(real)
}

async function ofPlan(plan: unknown, cwd: string): Promise<string | undefined> {
  return (await import('./plan-manifest.ts')).manifestOfPlan(plan, cwd)
}
