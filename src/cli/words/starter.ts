/** What a first manifest makes. */
export const starters = ['campaign', 'image', 'video', 'speech', 'sound'] as const
export type Starter = (typeof starters)[number]

/** One line for each, as it is asked on a terminal. */
export const starterWords: { readonly [makes in Starter]: string } = {
  campaign: 'a picture, a clip that begins with it, and a voice',
  image: 'pictures',
  video: 'a clip that begins with a picture',
  speech: 'a voice that reads a text',
  sound: 'a sound',
}

/** The manifest that `genrun init` writes: every part of the language that it needs once, and nothing wrong with it. */
export function starterText(schema: string, file: string, makes: Starter = 'campaign'): string {
  return [head(schema, file), ...parts[makes]].join('\n')
}

function head(schema: string, file: string): string {
  return `# yaml-language-server: $schema=${schema}
#
# A manifest of genrun: what to make, as jobs.
#   genrun validate ${file}   checks it
#   genrun ${file} --local    rehearses it: placeholders of the right size, nothing is paid
#   genrun ${file}            makes it; what is made is never paid for again
`
}

const brand = `# Words used in several places, as \${{ vars.name }}.
vars:
  brand: Aster
`
const defaults = `# Given to every job whose model has the parameter.
defaults:
  aspectRatio: '16:9'
`
const hero = `  # A picture. The name of the job is the name of its file.
  hero:
    model: fama-imagine-image # \`genrun models\` lists them
    prompt: The \${{ vars.brand }} teapot on wet slate at dawn, steam rising
`
const still = `  # A picture of each: still[teapot] and still[cup].
  still:
    matrix:
      thing: [teapot, cup]
    model: fama-imagine-image
    prompt: The \${{ vars.brand }} \${{ matrix.thing }} on white linen
`
const clip = `  # A clip that begins with the picture: it waits for it.
  clip:
    model: famc-v3 # \`genrun models info famc-v3\` shows what it takes
    prompt: Slow push-in on the teapot, steam curling upwards
    startFrame: \${{ jobs.hero.output }}
    duration: 5
`
const voice = `  # A voice.
  voice:
    model: fama-tts
    prompt: Morning begins with water, leaves, and a little patience.
`
const greeting = `  # A voice. The name of the job is the name of its file.
  greeting:
    model: fama-tts # \`genrun models info fama-tts\` shows what it takes
    prompt: Good morning from \${{ vars.brand }}.
`
const rain = `  # A sound. The name of the job is the name of its file.
  rain:
    model: famc-t2a # \`genrun models info famc-t2a\` shows what it takes
    prompt: Light rain on a tin roof
    duration: 5
`

const parts: { readonly [makes in Starter]: readonly string[] } = {
  campaign: [brand, defaults, `jobs:\n${[hero, clip, voice].join('\n')}`],
  image: [brand, defaults, `jobs:\n${[hero, still].join('\n')}`],
  video: [brand, defaults, `jobs:\n${[hero, clip].join('\n')}`],
  speech: [brand, `jobs:\n${greeting}`],
  sound: [`jobs:\n${rain}`],
}
