import type { MediaKind } from '../../catalog/index.ts'

/** A parameter or a member that takes files. */
export interface Intake {
  /** As it is written: `startFrame`, `omniImageList[0].image_url`. */
  readonly name: string
  readonly media: MediaKind
  readonly isList: boolean
}

/** Of one file: `an image`, `a video`, `audio`. */
export function mediaWord(kind: MediaKind): string {
  return kind === 'image' ? 'an image' : kind === 'video' ? 'a video' : 'audio'
}
