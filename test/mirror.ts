/** Folders of `test` that are about the whole of genrun, seen from outside, and not about a room of `src`. */
const outside = 'action bench docs e2e faults fixtures golden pack profiles services threats'.split(' ')

/** Tests about what several files of a room do together. Every other test has the name and the place of its file. */
const aboutSeveral = {
  catalog: 'types',
  cli: 'debug forgotten gen-ai hints own-models strict transcripts unchanged verb-commands',
  'cli/declared': 'declarations',
  'cli/summary': 'summary',
  convert: 'round-trips',
  engine: 'fetch gone journaled numbers outage polls-processes resend set-clock shut',
  'engine/gates': 'behind-first found-limits minute stop-rules',
  forms: 'conformance editor',
  gateway: 'browser curl interface models sheet',
  'gateway/render': 'golden',
  manifest: 'problems round-trip',
  'page/client': 'sitting',
  plan: 'golden matching',
  planning: 'approval cell-edits edits takes',
  'planning/up-to-date': 'up-to-date',
  reports: 'problems run-reports',
  run: `adopted altered failed-again gone left-open lock-at-end money older-lock owners pace picked-again pulled put-back recovery
    redo-again redo-clones redo-short retakes revoked set-clock short skipped standing trouble unread-lines`,
  'run/one-shot': 'leftovers note-known',
  sdk: 'faces hover sdk types',
  store: 'decisions life',
  verbs: 'continue continue-verdicts other-account verbs',
  wire: 'hostile large verdicts',
  'wire/answers': 'other-services',
  workspace: 'stranger',
} as const

/** Where tests stand, by paths below `test` and `src`, in words that say what to do. */
export function misplaced(tests: readonly string[], sources: readonly string[]): string[] {
  const files = new Set(sources)
  const several = new Set(
    Object.entries(aboutSeveral).flatMap(([room, names]) =>
      names.split(/\s+/).map(name => `${room}/${name}.test.ts`),
    ),
  )
  const inRooms = tests.filter(path => path.includes('/') && !outside.includes(path.split('/')[0] ?? ''))
  const homeless = inRooms.filter(path => !files.has(sourceOf(path)) && !several.has(path))
  const stale = [...several].filter(path => !inRooms.includes(path) || files.has(sourceOf(path)))
  return [
    ...homeless.map(
      path => `${path}: give it the name of the file that it is about, or list it in test/mirror.ts`,
    ),
    ...stale.map(path => `${path}: take it out of the list in test/mirror.ts`),
  ]
}

function sourceOf(test: string): string {
  return test.replace(/\.test\.ts$/, '.ts')
}
