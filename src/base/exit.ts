/** Exit codes; the README lists them. */
export const exit = {
  ok: 0,
  failed: 1,
  refused: 2,
  doubt: 3,
  unfinished: 4,
  claimed: 5,
  budget: 6,
  damaged: 7,
  drift: 8,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof exit)[keyof typeof exit]

const gravest: readonly ExitCode[] = [
  exit.damaged,
  exit.doubt,
  exit.interrupted,
  exit.terminated,
  exit.budget,
  exit.failed,
  exit.unfinished,
]

/** Of several codes, the one a script must know first. Codes outside the order (2, 5, 8) win: they come alone. */
export function gravestExit(codes: Iterable<ExitCode>): ExitCode {
  const all = new Set(codes)
  all.delete(exit.ok)
  for (const code of all) if (!gravest.includes(code)) return code
  return gravest.find(code => all.has(code)) ?? exit.ok
}
