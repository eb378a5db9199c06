/**
 * What a file is looked at for. `asked`: another size, length or sound than was asked; `words`: those that the prompt has in quotes, which takes
 * a reader that not everybody has installed.
 */
export const lookNames = [
  'blank',
  'dark',
  'letterbox',
  'frozen',
  'silent',
  'clipping',
  'loudness',
  'silence',
  'pace',
  'twice',
  'words',
  'asked',
] as const

export type LookName = (typeof lookNames)[number]

/** What a sound is looked at for, of a clip too. */
const soundLooks = ['silent', 'clipping', 'loudness', 'silence'] as const satisfies readonly LookName[]

/** What nothing but the system's ffmpeg shows, by what a job makes: of clips, and of sounds that are no WAV. Words are read of pictures alone. */
export const looksByProgram = {
  video: ['blank', 'dark', 'letterbox', 'frozen', 'twice', ...soundLooks],
  audio: [...soundLooks, 'pace'],
} as const satisfies { readonly [kind: string]: readonly LookName[] }

/** What it means that something is found. */
export const lookMeanings = ['warn', 'fail', 'off'] as const
export type LookMeaning = (typeof lookMeanings)[number]

/** What a job says of its looks, by name; `all`: of those that it does not name. */
export type GatePolicy = ReadonlyMap<string, LookMeaning>

/**
 * What it means for a job that a look finds something. `usual` is what the command line or the settings say: `off` there is off for
 * all, else the job's own word counts. How a file differs from what was asked has a usual meaning of its own.
 */
export function meaningOf(
  look: string,
  policy: GatePolicy | undefined,
  usual: LookMeaning | undefined,
): LookMeaning {
  const own = policy?.get(look)
  if (look === 'asked') return own ?? usual ?? 'warn'
  if (usual === 'off') return 'off'
  // Some 150 ms of the processor a reading: only who names it asks for it.
  if (look === 'words') return own ?? 'off'
  return own ?? policy?.get('all') ?? usual ?? 'off'
}

/** Looks that a person's settings declare. */
export interface OwnLooks {
  readonly names: readonly string[]
  /** Nothing is looked at by them: a name that is like none here is one that somebody else's settings declare. */
  readonly isForShow?: true
}
