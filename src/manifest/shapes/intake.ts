import type { InputMedia } from '../../catalog/index.ts'

/** A parameter or a member that takes files. */
export interface Intake {
  /** As it is written: `startFrame`, `omniImageList[0].image_url`. */
  readonly name: string
  readonly media: InputMedia
  readonly isList: boolean
}

/** Of one file: `an image`, `a video`, `audio`, `a file`. */
export function mediaWord(kind: InputMedia): string {
  if (kind === 'file') return 'a file'
  return kind === 'image' ? 'an image' : kind === 'video' ? 'a video' : 'audio'
}
