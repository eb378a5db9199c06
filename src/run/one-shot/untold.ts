import { join } from 'node:path'
import { exit } from '../../base/exit.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import { type Model, outputKind } from '../../catalog/index.ts'
import type { GenerateResult } from './generation.ts'
import type { SignedNote } from './note.ts'
import { clearQuietly, type Workspaces } from './own-folder.ts'

/**
 * An order that is made and saved, and whose process ended before it could say so: whoever gave the call may well give it
 * again, and would pay for what lies there.
 */
export interface Untold extends Pick<SignedNote, 'name' | 'model' | 'named' | 'asked'> {
  readonly purchase: DonePurchase
  readonly workspaces: Workspaces
}

/** Whoever heard nothing asks again soon; later the same words mean one more. */
export const untoldForMs = 3_600_000

/** The result, for whoever asks for it again. Nothing is asked or paid. `model`: its own. */
export function toldAgain(
  { purchase, workspaces }: Untold,
  model: Model,
): Extract<GenerateResult, { got: 'generation' }> {
  const { files, flaw, run } = purchase
  const { output } = workspaces.layout
  const generation = {
    model: model.id,
    kind: outputKind(model),
    ending: 'made',
    again: 'kept',
    files: files.map(file => ({ ...file, path: join(output, file.path) })),
    ...(flaw && { message: flaw.message }),
    ...(run && { run: { workflow: run.workflow, id: run.id } }),
    ...{ seconds: 0, paid: 0, requests: 0, rehearsal: false, exit: exit.ok },
  } as const
  return { got: 'generation', generation, problems: [], told: () => clearQuietly(workspaces) }
}
