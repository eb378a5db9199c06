import { cloning, deciding, naming, renaming } from './people.ts'
import type { Staging } from './scene.ts'

/** What histories can be about: by the name of the test that lives them. */
export type Kind = 'simulation' | 'keys' | 'counts' | 'wishes' | 'clones' | 'branches' | 'twins'

/** Of the seeds that a run has in all, the part that each kind gets; and how its stage is set. */
export const kinds: { readonly [kind in Kind]: { readonly share: number; readonly staging: Staging } } = {
  simulation: { share: 6 / 10, staging: {} },
  keys: { share: 2 / 10, staging: { keys: 'trusted' } },
  counts: { share: 1 / 10, staging: { isCounted: true, caches: 0.3 } },
  clones: { share: 1 / 20, staging: { acts: cloning, isChained: true, redoes: 0, caches: 0.5 } },
  branches: { share: 1 / 100, staging: { acts: naming, isChained: true, redoes: 0.4 } },
  twins: { share: 1 / 40, staging: { acts: renaming, isTwinned: true, redoes: 0, resubmits: 0 } },
  wishes: { share: 1 / 20, staging: { acts: deciding, redoes: 0.3, resubmits: 0.3 } },
}
