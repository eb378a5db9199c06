import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn, freshFolder, genrun } from './e2e/executable.ts'

const examples = join(import.meta.dirname, '..', 'examples')

/** What each example makes in a rehearsal. */
const made: { readonly [manifest: string]: readonly string[] } = {
  'campaign.yaml': [
    'clips/teapot_16x9.mp4',
    'clips/teapot_1x1.mp4',
    'key-visual.png',
    'stills/cup_1x1.png',
    'stills/teapot_16x9.png',
    'stills/teapot_1x1.png',
    'takes/key-visual.take2.png',
  ],
  'catalogue.yaml': ['bowl.png', 'cup.png', 'kettle.png'],
  'localisation.yaml': ['de', 'en', 'es', 'fr', 'it', 'ja'].map(language => `voice/${language}.wav`),
}

test.each(Object.keys(made))(
  '%s is valid without a warning, and a rehearsal makes what it says',
  async manifest => {
    const cwd = freshFolder()
    cpSync(examples, cwd, { recursive: true, filter: path => !/[/\\](out|\.genrun)$/.test(path) })
    const valid = await genrun(['validate', manifest, '--strict'], { cwd })
    expect(valid).toMatchObject({ code: 0 })
    const run = await genrun([manifest, '--local'], { cwd })
    expect({ code: run.code, trouble: run.code === 0 ? '' : run.stderr }).toEqual({ code: 0, trouble: '' })
    const stem = manifest.replace('.yaml', '')
    const files = filesIn(join(cwd, 'out', `${stem}.preview`)).filter(name => !name.startsWith('.genrun'))
    expect(files).toEqual(made[manifest])
  },
  120_000,
)

test('every example is run by a test', () => {
  const manifests = readdirSync(examples).filter(
    name => name.endsWith('.yaml') && !name.endsWith('.profile.yaml'),
  )
  // The quick start is run by test/e2e, the profile by test/profiles.
  expect(manifests.toSorted()).toEqual([...Object.keys(made), 'quickstart.yaml'].toSorted())
})
