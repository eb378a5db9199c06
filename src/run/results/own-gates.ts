import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { askProgram, findingOf, type GateQuestion, type OwnGate } from '../../looks/own-gate.ts'
import { readTextOn, writeAtomically } from '../../store/files/atomic-write.ts'
import { digestBytes } from '../../store/files/digest.ts'
import { type Disk, makeFolders } from '../../store/files/disk.ts'
import { isOthersFolder, refuseForeign } from '../../store/files/state-folder.ts'
import { ifReadable, StorageError } from '../../store/files/storage-error.ts'
import type { Way } from '../../wire/http/dial.ts'
import type { Looking } from './looking.ts'

interface GateTools {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  /** The folder of the manifest's state, where answers are kept. */
  readonly state: string
  /** How the network is left. */
  readonly way: Way
}

/**
 * Asks looks of a person's own, each by its program or at its address, and once for the same: what it answered to the same words about the
 * same bytes is known from then on.
 */
export function gateAsker(tools: GateTools): Looking['ask'] {
  const { disk, state } = tools
  const folder = join(state, 'gates')
  return async (gate, question, stop) => {
    const answer = join(folder, `${answerKey(gate, question, disk)}.json`)
    const known = answerAt(answer, folder, disk)
    const before = known === undefined ? undefined : { found: findingOf(gate.name, { text: known }) }
    if (before && isAnswer(before.found)) return before.found
    const word =
      'url' in gate
        ? await asked(gate.url, question, { ...tools, stop })
        : await askProgram(gate.program, question, stop)
    const found = findingOf(gate.name, word)
    if ('text' in word && isAnswer(found)) await keepAnswer(answer, word.text, tools)
    return found
  }
}

/** What goes over the network is loaded where something does. */
async function asked(url: string, question: GateQuestion, how: GateTools & { readonly stop: AbortSignal }) {
  const { postToGate } = await import('../../wire/transfer/post-to-gate.ts')
  return postToGate(url, question, how)
}

/** That it has not looked says nothing of the file, and it is asked again. */
function isAnswer(found: ReturnType<typeof findingOf>): boolean {
  return found?.verdict !== 'not looked at'
}

/** Everything that an answer hangs on: a program that was written anew is another one. */
function answerKey(gate: OwnGate, question: GateQuestion, disk: Disk): string {
  const by = 'url' in gate ? { url: gate.url } : programKey(gate.program, disk)
  return digestBytes(JSON.stringify({ ...question, by, file: undefined })).slice('sha256:'.length)
}

function programKey(program: string, disk: Disk) {
  const found = ifReadable(() => disk.look(program))
  return { program, bytes: found?.bytes ?? 0, changed: found?.changed ?? 0 }
}

function answerAt(path: string, folder: string, disk: Disk): string | undefined {
  return ifReadable(() => (isOthersFolder(disk, folder) ? undefined : readTextOn(disk, path)))
}

/** What cannot be kept is asked for again. */
async function keepAnswer(path: string, text: string, { disk, state }: GateTools): Promise<void> {
  const folder = join(state, 'gates')
  try {
    refuseForeign(disk, folder)
    await makeFolders(disk, folder, 0o700)
    await writeAtomically(disk, path, text, { mode: 0o600 })
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
  }
}
