import type { Clock } from '../../base/clock.ts'
import type { Digest } from '../../base/names.ts'
import type { Random } from '../../base/random.ts'
import {
  askProgram,
  findingOf,
  type GateQuestion,
  type GateWord,
  type OwnGate,
} from '../../looks/own-gate.ts'
import { digestBytes } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import { ifReadable } from '../../store/files/storage-error.ts'
import type { Way } from '../../wire/http/dial.ts'
import { digestOfProgram } from '../../workspace/read/gate-trust.ts'
import { openGateAnswers } from './gate-answers.ts'
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
  const answers = openGateAnswers(state, disk, tools.random)
  return async (gate, question, stop) => {
    if ('barred' in gate) return findingOf(gate.name, { unseen: gate.barred })
    const { digest } = question
    const asked = gate.secret && { digest, question: questionKey(gate, question, disk), secret: gate.secret }
    const known = asked && answers.known(asked)
    const before = known ? { found: findingOf(gate.name, { text: known }) } : undefined
    if (before && isAnswer(before.found)) return before.found
    const word = await wordOf(gate, question, { ...tools, stop })
    const found = findingOf(gate.name, word)
    if (asked && 'text' in word && isAnswer(found)) await answers.keep(asked, word.text)
    return found
  }
}

type Asking = GateTools & { readonly stop: AbortSignal }
type Askable = Exclude<OwnGate, { readonly barred: string }>

async function wordOf(gate: Askable, question: GateQuestion, how: Asking): Promise<GateWord> {
  if ('program' in gate) {
    const { program, digest } = gate
    const isRead = digest === undefined || digest === digestOfProgram(program)
    return isRead
      ? askProgram(program, question, how.stop)
      : { unseen: 'its program is not the one that was read' }
  }
  // What goes over the network is loaded where something does.
  const { postToGate } = await import('../../wire/transfer/post-to-gate.ts')
  return postToGate(gate.url, question, how)
}

/** That it has not looked says nothing of the file, and it is asked again. */
function isAnswer(found: ReturnType<typeof findingOf>): boolean {
  return found?.verdict !== 'not looked at'
}

/** Everything that an answer hangs on: a program that was written anew is another one. */
function questionKey(gate: Askable, question: GateQuestion, disk: Disk): Digest {
  const by = 'url' in gate ? { url: gate.url } : programKey(gate.program, disk)
  return digestBytes(JSON.stringify({ ...question, by, file: undefined }))
}

function programKey(program: string, disk: Disk) {
  const found = ifReadable(() => disk.look(program))
  return { program, bytes: found?.bytes ?? 0, changed: found?.changed ?? 0 }
}
