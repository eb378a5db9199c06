/** What a first manifest makes. */
export const starters = [
  'campaign',
  'localisation',
  'catalogue',
  'storyboard',
  'podcast',
  'image',
  'video',
  'speech',
  'sound',
] as const
export type Starter = (typeof starters)[number]

/** One line for each, as it is asked on a terminal. */
export const starterWords: { readonly [makes in Starter]: string } = {
  campaign: 'a picture, a clip that begins with it, and a voice',
  localisation: 'one line in several languages, each in a voice',
  catalogue: 'every product in every format',
  storyboard: 'shots as pictures; a person picks, then they move',
  podcast: 'chapters in a voice, a cover, and a sound between them',
  image: 'pictures',
  video: 'a clip that begins with a picture',
  speech: 'a voice that reads a text',
  sound: 'a sound',
}
