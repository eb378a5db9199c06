import pc from 'picocolors'
import type { Paint } from '../../base/excerpt.ts'
import { type Env, type Sink, variable } from './surroundings.ts'

/** How text is coloured; without colour every function returns its text unchanged. */
export interface Colours extends Paint {
  readonly good: (text: string) => string
  readonly strong: (text: string) => string
}

export function colours(isWanted: boolean): Colours {
  const { red, yellow, bold, dim, green } = pc.createColors(isWanted)
  return {
    error: text => bold(red(text)),
    warning: text => bold(yellow(text)),
    place: bold,
    dim,
    good: green,
    strong: bold,
  }
}

/** NO_COLOR and FORCE_COLOR decide before the terminal does, and `--no-color` before all of them. */
export function wantsColour(sink: Sink, env: Env, isSwitchedOff: boolean): boolean {
  if (isSwitchedOff || variable(env, 'NO_COLOR')) return false
  const forced = variable(env, 'FORCE_COLOR')
  if (forced) return forced !== '0' && forced !== 'false'
  return sink.isTerminal && env.TERM !== 'dumb'
}
