/** The manifest that `genrun init` writes: every part of the language once, and nothing wrong with it. */
export function starterText(schema: string, file: string): string {
  return `# yaml-language-server: $schema=${schema}
#
# A manifest of genrun: what to make, as jobs.
#   genrun validate ${file}   checks it
#   genrun ${file} --local    rehearses it: placeholders of the right size, nothing is paid
#   genrun ${file}            makes it; what is made is never paid for again

# Words used in several places, as \${{ vars.name }}.
vars:
  brand: Aster

# Given to every job whose model has the parameter.
defaults:
  aspectRatio: '16:9'

jobs:
  # A picture. The name of the job is the name of its file.
  hero:
    model: fama-imagine-image # \`genrun models\` lists them
    prompt: The \${{ vars.brand }} teapot on wet slate at dawn, steam rising

  # A clip that begins with the picture: it waits for it.
  clip:
    model: famc-v3 # \`genrun models info famc-v3\` shows what it takes
    prompt: Slow push-in on the teapot, steam curling upwards
    startFrame: \${{ jobs.hero.output }}
    duration: 5

  # A voice.
  voice:
    model: fama-tts
    prompt: Morning begins with water, leaves, and a little patience.
`
}
