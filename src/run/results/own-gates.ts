import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { askProgram, findingOf } from '../../looks/own-gate.ts'
import type { Way } from '../../wire/http/dial.ts'
import { postToGate } from '../../wire/transfer/post-to-gate.ts'
import type { Looking } from './looking.ts'

interface GateTools {
  readonly clock: Clock
  readonly random: Random
  /** How the network is left. */
  readonly way: Way
}

/** Asks looks of a person's own, each by its program or at its address. */
export function gateAsker(tools: GateTools): Looking['ask'] {
  return async (gate, question, stop) => {
    const word =
      'url' in gate
        ? await postToGate(gate.url, question, { ...tools, stop })
        : await askProgram(gate.program, question, stop)
    return findingOf(gate.name, word)
  }
}
