import type { Misused } from '../flags/command.ts'

export const serviceNotes = [
  'GENRUN_BASE_URL and GENRUN_API_KEY (or GENRUN_API_KEY_FILE) name the service.',
  'With neither, genrun rehearses against the embedded gateway: placeholders of',
  'the right size and length, nothing is paid. In CI that needs --local.',
]

/** One run is about one manifest; what looks like another was not meant as a job. */
export function secondManifest({ jobs }: { readonly jobs: readonly string[] }): Misused | undefined {
  const second = jobs.find(word => /\.(ya?ml|json)$/i.test(word))
  if (second === undefined) return undefined
  return {
    message: `${second} is a second manifest, and one run is about one`,
    hint: 'behind the manifest stand jobs; run genrun once for each manifest',
  }
}
