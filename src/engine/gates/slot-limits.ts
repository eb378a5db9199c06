/** Limits nest: work goes when every one of them has room. */
export interface SlotLimits {
  readonly execute: number
  readonly submit: number
  readonly download: number
  /** Both modes together. */
  readonly total?: number
  readonly families?: { readonly [family: string]: number }
  readonly models?: { readonly [model: string]: number }
  /** Orders that begin within any 60 s. */
  readonly perMinute?: number
}

/** Ceilings: how many are really used is found by trying, see `concurrency-window.ts`. */
export const usualLimits: SlotLimits = { execute: 64, submit: 200, download: 6 }
