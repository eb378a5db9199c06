import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { MediaKind } from '../../catalog/index.ts'
import type { Reference } from '../shapes/filled.ts'
import { type Intake, mediaWord } from '../shapes/intake.ts'

/** A reference carries another kind of media than the parameter takes. */
export function mediaMismatch(
  ref: Reference,
  intake: Intake,
  id: string,
  kind: MediaKind,
): Diagnostic | undefined {
  if (kind === intake.media) return undefined
  const message = `${intake.name} takes ${mediaWord(intake.media)}, and ${id} makes ${mediaWord(kind)}`
  return error('wrong-media', ref, message, `refer to a job that makes ${mediaWord(intake.media)}`)
}
