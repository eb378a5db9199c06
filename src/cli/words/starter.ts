import type { Starter } from './starters.ts'

/** The manifest that `genrun init` writes: every part of the language that it needs once, and nothing wrong with it. */
export function starterText(schema: string, file: string, makes: Starter = 'campaign'): string {
  return startedText(schema, file, parts[makes])
}

/** The same with jobs of one's own. */
export function startedText(schema: string, file: string, text: readonly string[]): string {
  return [head(schema, file), ...text].join('\n')
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

const lines = `  # A voice for each line: voice[en], voice[de], voice[fr].
  voice:
    matrix:
      line: # or \`forEach: lines.csv\`, a table with these columns
        - { id: en, text: 'Morning begins with water.' }
        - { id: de, text: 'Der Morgen beginnt mit Wasser.' }
        - { id: fr, text: "Le matin commence avec de l'eau." }
    model: fama-tts # \`genrun models info fama-tts\` shows what it takes
    prompt: \${{ matrix.line.text }}
    language: \${{ matrix.line.id }}
    output: voice/\${{ job.key }}
`
const products = `  # A picture of each product in each format: still[teapot,1x1] and so on.
  still:
    matrix:
      product: # or { rows: products.csv }, a table with these columns
        - { id: teapot, name: celadon teapot }
        - { id: cup, name: chipped tea cup }
      ratio: ['1:1', '16:9']
    model: fama-imagine-image
    prompt: A \${{ matrix.product.name }} from \${{ vars.brand }}, seen from above, on linen
    aspectRatio: \${{ matrix.ratio }}
    output: \${{ matrix.product.id }}/\${{ slug(matrix.ratio) }}
    tags: [shop]
`
const shots = `  # Each shot as two pictures: the one that somebody picks goes on.
  frame:
    matrix:
      shot:
        - { id: arrival, text: 'A tea house at the end of a wet lane, dawn' }
        - { id: pour, text: 'Hands pour tea, close, steam' }
    model: fama-imagine-image
    prompt: \${{ matrix.shot.text }}. \${{ vars.look }}
    takes: 2

  # The picked picture moves: until somebody has picked, this waits.
  motion:
    matrix: \${{ jobs.frame.matrix }}
    model: famc-v3-turbo
    prompt: Slow camera, \${{ matrix.shot.text }}
    startFrame: \${{ jobs.frame.pick }}
    duration: 5
`
const look = `# Words used in several places, as \${{ vars.name }}.
vars:
  look: pencil storyboard, two tones
`
const episode = `  # A chapter each: chapter[opening], chapter[story].
  chapter:
    matrix:
      part:
        - { id: opening, text: 'Welcome to a podcast about tea.' }
        - { id: story, text: 'Today we go to a garden in the hills.' }
    model: fama-tts
    prompt: \${{ matrix.part.text }}
    voiceId: ara

  # The sound between them.
  jingle:
    model: famc-t2a
    prompt: Three soft notes on a wooden bell
    duration: 3

  cover:
    model: fama-imagine-image
    prompt: The cover of a podcast about tea, flat shapes, two colours
    aspectRatio: '1:1'
`

const parts: { readonly [makes in Starter]: readonly string[] } = {
  campaign: [brand, defaults, `jobs:\n${[hero, clip, voice].join('\n')}`],
  localisation: [`jobs:\n${lines}`],
  catalogue: [brand, `jobs:\n${products}`],
  storyboard: [look, defaults, `jobs:\n${shots}`],
  podcast: [`jobs:\n${episode}`],
  image: [brand, defaults, `jobs:\n${[hero, still].join('\n')}`],
  video: [brand, defaults, `jobs:\n${[hero, clip].join('\n')}`],
  speech: [brand, `jobs:\n${greeting}`],
  sound: [`jobs:\n${rain}`],
}
