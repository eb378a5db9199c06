import { foldJournal } from '../../src/store/journal/fold.ts'
import { lineageOf, readJournal } from '../../src/store/journal/journal.ts'
import { readLock, writeLock } from '../../src/store/lock/lock-text.ts'
import { livesUntil } from './life.ts'
import type { Scene } from './scene.ts'

/**
 * A hand writes into the lock that something else was ordered, of what the journal knows better. Whoever does more than run after that puts it
 * back first: without the journal it would be believed.
 */
export function forgeLock(scene: Scene): void {
  const { medium, layout, folders, present, chance } = scene
  const before = medium.read(layout.lock)
  const reading = readLock(before?.toString() ?? '')
  const journal = readJournal(folders.journal, medium.use(livesUntil()))
  if (!before || reading.got !== 'lock' || journal.got !== 'records') return
  const { lock } = reading
  if (lineageOf(journal.entries) !== lock.lineage) return
  const known = foldJournal(journal.entries)
  const jobs = lock.jobs.map(each => {
    if (!known.get(each.id)?.order || !chance.hits(0.7)) return each
    const { params } = each.recipe
    const prompt = String(params.prompt)
    const other = prompt.endsWith(' at night') ? prompt.replace(/ at night$/, '') : `${prompt} at night`
    return { ...each, recipe: { ...each.recipe, params: { ...params, prompt: other } } }
  })
  const text = writeLock({ ...lock, jobs })
  present.forged = { text, before }
  medium.put(layout.lock, Buffer.from(text))
}

/** The lock, or as it was before a hand changed it. */
export function lockBefore({ medium, layout, present: { forged } }: Scene): Buffer | undefined {
  const lock = medium.read(layout.lock)
  return forged && lock?.toString() === forged.text ? forged.before : lock
}

export function takeBackForged(scene: Scene): void {
  const { medium, layout, present } = scene
  const before = lockBefore(scene)
  if (before && present.forged && medium.read(layout.lock) !== before) medium.put(layout.lock, before)
  present.forged = undefined
}
