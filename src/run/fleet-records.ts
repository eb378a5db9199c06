import { basename, join } from 'node:path'
import type { Diagnostic } from '../base/diagnostic.ts'
import { counted } from '../base/measure.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { writeAtomically } from '../store/files/atomic-write.ts'
import { digestOf } from '../store/files/digest.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Recorded, Setting } from '../workspace/workspace.ts'

/** All orders of one lineage of records are one batch. */
export function batchOf({ lock }: Pick<Recorded, 'lock'>): string {
  return lock.lineage
}

/** Whoever orders from a fleet leaves a mark beside the records, until all that was ordered stands in them: nobody buys past it. */
export async function markFleet(setting: Setting, batch: string): Promise<void> {
  await writeAtomically(setting.machine.disk, markOf(setting), `${JSON.stringify({ batch })}\n`)
}

/** It is there while a fleet may buy what the records do not know. */
export function markOf({ layout }: Pick<Setting, 'layout'>): string {
  return join(layout.state, 'fleet.json')
}

/** Why this cannot be run, with the fleet that was asked for or without one. Throws StorageError. */
export function fleetProblem(setting: Setting): Diagnostic | undefined {
  const { request, place, manifest, machine, cache, caps } = setting
  const problem = (message: string, hint: string) =>
    settingProblem({ name: 'manifest', value: basename(place.manifest) }, 'fleet', message, hint)
  const name = shellWord(manifest.file.name)
  if (!request.fleet) {
    if (!machine.disk.look(markOf(setting))) return undefined
    const message = 'workers of a fleet may be at work on it, and what they buy is not all in its lock'
    return problem(
      message,
      `genrun run ${name} --fleet; where the fleet’s store is gone for good, remove ${markOf(setting)}`,
    )
  }
  if (request.service.rehearsal) return problem('a rehearsal needs no fleet', 'leave --fleet out')
  if (setting.shard) return problem('a shard is run by itself', 'leave --shard or --fleet out')
  if (!cache || request.cache?.readOnly)
    return problem(
      'files of a fleet’s workers come through a cache, and there is none that they can write to',
      'name one that all of them reach: --cache s3://bucket or a shared folder (GENRUN_CACHE)',
    )
  const { tags = {}, services = {} } = { ...caps, tags: caps?.tags, services: caps?.services }
  if (Object.keys(tags ?? {}).length + Object.keys(services ?? {}).length > 0)
    return problem(
      'a fleet keeps no caps of single tags or services yet',
      'cap the whole: --max-cost, --max-paid',
    )
  return undefined
}

/** Who makes what is wanted of this manifest: workers that read the very same. */
export function queueOf({ manifest, place }: Pick<Setting, 'manifest' | 'place'>): string {
  const texts = (manifest.sources ?? []).map(({ text }) => text)
  const digest = digestOf([manifest.file.text, ...texts])
    .replace('sha256:', '')
    .slice(0, 12)
  return `${place.stem.replaceAll(/[^\w.-]/g, '_')}-${digest}`
}

/** What was handed out, and nobody makes. */
export interface LeftAlone {
  readonly queue: string
  /** Workers that are at work on something else. */
  readonly elsewhere: number
}

/** Says that it waits for a worker to be started. */
export function tellAlone({ queue, elsewhere }: LeftAlone, setting: Setting): void {
  const { request, manifest, machine } = setting
  const command = `genrun work ${shellWord(manifest.file.name)}`
  const others = elsewhere === 0 ? '' : `; ${counted(elsewhere, 'worker')} on other texts, or other manifests`
  const message =
    queue === queueOf(setting)
      ? `no worker is at work on this text of the manifest: start one with ${command}${others}`
      : `an earlier run handed out what another text of the manifest wants, and no worker is at work on that: go back to that text for ${command}${others}`
  request.emit({ at: machine.clock.now(), event: 'warned', message })
}
