import { basename, dirname, join } from 'node:path'
import type { JobAddress } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import type { SavedFile } from '../../base/state.ts'
import { type PublishTo, publishedName } from '../../bucket/publish.ts'
import { ObjectStoreError } from '../../bucket/trouble.ts'
import { isJobStep, type Plan } from '../../plan/shapes/step.ts'
import { inParallel } from '../../store/cache/in-parallel.ts'
import { readTextOn, writeAtomically } from '../../store/files/atomic-write.ts'
import { digestBytes } from '../../store/files/digest.ts'
import { makeFolders } from '../../store/files/disk.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { refuseForeign } from '../../store/files/state-folder.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import type { Setting } from '../../workspace/workspace.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Copies, openCopies } from './published-copies.ts'

/**
 * Publishes what every job has now: its files by their digests, then one index, and then the links stand in the lock. A crash in
 * between leaves files that nothing names yet, and the next run goes on. Why not everything is there, in words.
 */
export async function publishResults(
  setting: Setting,
  plan: Plan,
  ledger: Ledger,
): Promise<string | undefined> {
  const to = publishingOf(setting)
  if (!to) return undefined
  const made = plan.steps.filter(isJobStep).flatMap(({ job }) => ledger.made(job.address) ?? [])
  const copies = openCopies(setting, to)
  const troubles: (ObjectStoreError | StorageError)[] = []
  try {
    const there = await putFiles(setting, { to, copies }, made, trouble => troubles.push(trouble))
    const isNews = (entry: DonePurchase) => entry.files.some(file => !isLinked(file, to, copies))
    const news = there.filter(isNews)
    await Promise.all(
      news.map(entry => ledger.stands({ ...entry, files: linked({ to, copies }, entry.files) })),
    )
  } catch (error) {
    if (!(error instanceof ObjectStoreError || error instanceof StorageError)) throw error
    troubles.unshift(error)
  }
  return troubles[0]?.message
}

/** Whether a run with nothing else to do has something to publish. */
export function owesPublishing(setting: Setting, { steps }: Plan): boolean {
  const to = publishingOf(setting)
  if (!to) return false
  const copies = openCopies(setting, to)
  const kept = steps.flatMap(step => (step.do === 'keep' ? [step.entry] : []))
  return (
    digestBytes(indexOf(kept, copies)) !== readTextOn(setting.machine.disk, noteOf(setting, to)) ||
    kept.some(({ files }) => files.some(file => !isLinked(file, to, copies)))
  )
}

/** A rehearsal's placeholders are nobody's to see. */
function publishingOf({ request, layout }: Setting): PublishTo | undefined {
  return layout.rehearsal ? undefined : request.publish
}

interface Publishing {
  readonly to: PublishTo
  readonly copies: Copies
}

/** Those whose files are all there, with the index of them. */
async function putFiles(
  setting: Setting,
  { to, copies }: Publishing,
  made: readonly DonePurchase[],
  tell: (trouble: ObjectStoreError | StorageError) => void,
): Promise<readonly DonePurchase[]> {
  const { request, layout, machine } = setting
  const { disk } = machine
  const publisher = await to.open({ disk, state: layout.state, stop: request.stop })
  const there = new Set<JobAddress>()
  let isDown = false
  try {
    await inParallel(made, 4, async ({ address, files }) => {
      try {
        for (const file of files) {
          if (isDown) return
          if (isLinked(file, to, copies)) continue
          const path = findPlace(disk, layout.output, file.path)
          // Told as missing by whoever wants it back.
          if (path === undefined || !disk.look(path)) return
          await copies.give(file, path, publisher.put)
        }
        there.add(address)
      } catch (error) {
        // One file that cannot be read is no reason to keep the others back; a store that is down would be asked for each.
        if (!(error instanceof ObjectStoreError || error instanceof StorageError)) throw error
        isDown ||= error instanceof ObjectStoreError
        tell(error)
      }
    })
    const present = made.filter(({ address }) => there.has(address))
    await copies.keep()
    await putIndex(setting, to, indexOf(present, copies), publisher.putText)
    return present
  } finally {
    await publisher.close()
  }
}

async function putIndex(
  setting: Setting,
  to: PublishTo,
  text: string,
  put: (name: string, text: string) => Promise<void>,
): Promise<void> {
  const { disk } = setting.machine
  const note = noteOf(setting, to)
  if (readTextOn(disk, note) === digestBytes(text)) return
  await put(`${basename(setting.layout.lock, '.lock.json')}.json`, text)
  refuseForeign(disk, dirname(note))
  await makeFolders(disk, dirname(note), 0o700)
  await writeAtomically(disk, note, digestBytes(text), { mode: 0o600 })
}

/** Which index was put there last. */
function noteOf({ layout }: Setting, { place }: PublishTo): string {
  return join(layout.state, 'published', digestBytes(place).slice('sha256:'.length))
}

/** From jobs to their files: their names here and there. */
function indexOf(made: readonly DonePurchase[], copies: Copies): string {
  const jobs = made.map(({ address, files }) => [
    address,
    files.map(file => {
      const copy = copies.of(file) ?? file
      const { path, bytes, type, width, height, seconds } = copy
      const mark = copies.markOf(file)
      return { path, file: publishedName(copy), bytes, type, width, height, seconds, mark }
    }),
  ])
  return `${JSON.stringify({ genrunIndex: 1, jobs: Object.fromEntries(jobs) }, undefined, 1)}\n`
}

function linkTo({ place }: PublishTo, file: SavedFile): string {
  return `${place}/${publishedName(file)}`
}

/** Whether its link leads to what is published of it. */
function isLinked(file: SavedFile, to: PublishTo, copies: Copies): boolean {
  const copy = copies.of(file)
  return copy !== undefined && file.link === linkTo(to, copy)
}

function linked({ to, copies }: Publishing, files: readonly SavedFile[]): SavedFile[] {
  return files.map(file => ({ ...file, link: linkTo(to, copies.of(file) ?? file) }))
}
