/** Options that several commands have, by what they are about. */

/** Of every command that takes its time: how much it says meanwhile. */
export const talkFlags = ['quiet', 'verbose', 'debug'] as const

/** Of every command that reads a manifest: what it cannot say itself. */
export const manifestFlags = ['vars', 'catalog'] as const

/** Which jobs. */
export const selectFlags = [...manifestFlags, 'strict', 'tags', 'models', 'changed'] as const

/** Of commands that buy: what of the checkout is believed. */
export const trustFlags = ['trust', 'untrusted'] as const

/** What it costs and may cost. */
export const moneyFlags = ['prices', 'maxPaid', 'maxCost'] as const

/** When a run buys nothing more. */
export const stopFlags = ['maxUseless', 'maxFailures', 'failFast'] as const

export const cacheFlags = ['cache', 'cacheReadOnly', 'cacheSize'] as const

/** Reports of a run for other programs, by the files they go to. */
export const reportFlags = ['events', 'junitFile', 'sarifFile', 'summaryFile'] as const

/** What decides where everything lies and what the jobs are, as for a run. */
export const workspaceFlags = ['output', ...manifestFlags, 'profile'] as const

/** What `--local` says of commands that look at what was made. */
export const looking = { local: "the rehearsal's files and lock, not the real" }

/** How jobs are named, for the end of a help screen. */
export const selectNotes = [
  'Jobs are named by id, address or glob: still, still[fox,front], still[*,front],',
  'hero#2, or by axes: still[view=front]; !still leaves out. What they need comes',
  'along.',
]
