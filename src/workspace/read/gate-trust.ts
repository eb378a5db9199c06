import { relative } from 'node:path'
import { type Diagnostic, error, warning } from '../../base/diagnostic.ts'
import type { Digest } from '../../base/names.ts'
import { listed } from '../../base/nearest.ts'
import type { Span } from '../../base/source.ts'
import { realPathAt } from '../../disk/look.ts'
import { isBelow, readRegular } from '../../disk/open.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import { digestBytes, digestOf } from '../../store/files/digest.ts'
import { storageErrorOf } from '../../store/files/storage-error.ts'
import type { Trust } from './trust.ts'

/** Looks that the settings of a checkout name: nothing of them is started or asked before a person has read them. */
export interface CheckoutGates {
  readonly gates: readonly OwnGate[]
  /** Where they are named. */
  readonly at: Span
  /** The folder of these settings, and that out of which no path leads. Absolute. */
  readonly folder: string
  readonly root: string
}

/** As they are now: programs by their contents. */
interface ReadGates {
  readonly gates: readonly OwnGate[]
  /** By which a person takes them as they are. */
  readonly digest: Digest
}

/** More is no program that somebody has read. */
const mostBytes = 64 * 1024 * 1024

export function readCheckoutGates({ gates, folder, root }: CheckoutGates): ReadGates {
  const read = gates.map(gate => ('program' in gate ? asRead(gate, root) : gate))
  const told = read.map(gate => ({
    name: gate.name,
    ...('url' in gate && { url: gate.url }),
    ...('program' in gate && { program: relative(folder, gate.program), digest: gate.digest ?? '' }),
  }))
  return { gates: read, digest: digestOf(told) }
}

function asRead(gate: OwnGate & { readonly program: string }, root: string): OwnGate {
  const barred = (why: string) => ({ name: gate.name, barred: `its program ${why}` })
  try {
    const real = realPathAt(gate.program)
    if (!isBelow(real, realPathAt(root))) return barred('leads out of the project')
    return { ...gate, digest: digestBytes(readRegular(real, { mostBytes, at: real })) }
  } catch (cause) {
    return barred(`cannot be read: ${storageErrorOf(gate.program, 'read', cause).detail}`)
  }
}

/** Of a program as it is now; undefined where it cannot be read. */
export function digestOfProgram(program: string): Digest | undefined {
  try {
    return digestBytes(readRegular(program, { mostBytes }))
  } catch {
    return undefined
  }
}

/** As they may be asked here. `isLooking`: nothing comes that could be looked at, or nothing is paid for it. */
export function trustedGates(
  found: CheckoutGates,
  { digests }: Pick<Trust, 'digests'>,
  isLooking: boolean,
): { readonly gates: readonly OwnGate[]; readonly problem?: Diagnostic } {
  const { gates, digest } = readCheckoutGates(found)
  if (gates.length === 0 || digests.includes(digest)) return { gates }
  const names = listed(gates.map(({ name }) => name))
  const message = `the project's own gates (${names}) are programs that are started and addresses that files are sent to`
  const hint = `read them, and what they call; --trust takes them as they are now, and in CI GENRUN_TRUST=${digest}`
  return {
    gates: gates.map(({ name }) => ({
      name,
      barred: 'it is the project’s own, and nobody here has read it',
    })),
    problem: (isLooking ? warning : error)('untrusted-gates', found.at, message, hint),
  }
}
