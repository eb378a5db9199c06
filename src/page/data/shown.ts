/** What the page of results shows, as JSON: the server of a review sends it, and a report has it in itself. */

/** How a result stands; `made` covers what was kept, fetched and moved. */
export type ShownStanding = 'made' | 'failed' | 'held' | 'doubt' | 'under way' | 'not made'

export interface ShownFile {
  /** Its digest in hexadecimal: by it the server finds file and thumbnail. */
  readonly key: string
  /** Relative to the output folder. */
  readonly path: string
  /** The media type, by the bytes. */
  readonly type: string
  readonly bytes: number
  readonly width?: number
  readonly height?: number
  readonly seconds?: number
  /** Where a page without a server finds it: relative, or with all its bytes. */
  readonly url?: string
  /** The same of its thumbnail. */
  readonly thumb?: string
  /** `url` is only a picture of it, as it is too large to be here whole; without `url` there is nothing to play. */
  readonly isStill?: true
  /** How loud a sound is, from 0 to 1, where a page without a server has been told. */
  readonly peaks?: readonly number[]
}

/** What was found by looking at a file when it came. */
export interface ShownLook {
  /** What it was looked at for: `blank`. */
  readonly look: string
  readonly verdict: 'ok' | 'warn' | 'fail' | 'not looked at'
  readonly why?: string
}

export interface Shown {
  readonly address: string
  /** The address of its first take: takes of one job have it in common. */
  readonly job: string
  /** The id of the job in the manifest: its cells have it in common. */
  readonly family: string
  readonly take: number
  readonly model: string
  readonly kind: 'image' | 'video' | 'audio' | 'speech' | 'file'
  readonly standing: ShownStanding
  readonly files: readonly ShownFile[]
  /** Files that should be there and are not. */
  readonly missing?: readonly string[]
  /** Files that somebody altered since they were made: they are no result, and nothing is decided while they are there. */
  readonly altered?: readonly string[]
  /** What it was made from, or will be. */
  readonly prompt?: string
  /** The prompt that the manifest has by now, where it is another. */
  readonly asked?: string
  /** The manifest asks for something else by now: the next run makes it anew, or puts this take aside. */
  readonly outdated?: 'anew' | 'aside'
  readonly params: readonly (readonly [name: string, value: string])[]
  /** Of the catalog, where nothing was written. */
  readonly defaults: readonly (readonly [name: string, value: string])[]
  /** Where its input files come from, by their parameter. */
  readonly inputs: readonly (readonly [name: string, from: string])[]
  /** The addresses of results that it is made from. */
  readonly uses: readonly string[]
  readonly cell: { readonly [axis: string]: string }
  readonly tags: readonly string[]
  readonly picked?: true
  /** A person picked it. */
  readonly byHand?: true
  /** It is to be picked, or picked again as a run had it, or none of its job is: as soon as nobody else has the manifest. */
  readonly waits?: 'take' | 'as-before' | 'none'
  /** By the prices; absent where they are not known. */
  readonly cost?: number
  /** As the service told. */
  readonly credits?: number
  /** `tea.yaml:12`. */
  readonly place: string
  readonly message?: string
  readonly hint?: string
  /** Absent where nobody asked for it; empty where nothing was found. */
  readonly looks?: readonly ShownLook[]
  /** In milliseconds since 1970. */
  readonly orderedAt?: number
  /** The id of what its files were bought by. */
  readonly of?: string
}

export interface ShownVerdict {
  readonly address: string
  readonly is?: 'approved' | 'rejected'
  readonly stars?: number
  readonly note?: string
  readonly who: string
  readonly when: string
  /** `sha256:…` of each file that was seen. */
  readonly seen: readonly string[]
  /** The id of the purchase that was seen, by which a verdict goes along with it. */
  readonly of?: string
}

/** A genrun at work on the manifest meanwhile. */
export interface ShownRun {
  readonly made?: number
  readonly left?: number
  readonly secondsLeft?: number
}

export interface ShownPage {
  readonly name: string
  /** The manifest, as it was named. */
  readonly manifest: string
  readonly isRehearsal: boolean
  readonly currency?: string
  /** Axes by the families that have them, in written order. */
  readonly axes: { readonly [family: string]: readonly string[] }
  readonly results: readonly Shown[]
  /** How many results there are, where these are only the first of them: to be painted while the others are on their way. */
  readonly of?: number
  readonly verdicts: readonly ShownVerdict[]
  /** After how many writes of verdicts that is, where a server counts them. */
  readonly writes?: number
  /** After which change of a server that is; it begins its stream of changes with whether there are newer ones. */
  readonly serial?: string
  readonly run?: ShownRun
  /** What keeps the manifest from being read at present: this is how it stood before. */
  readonly trouble?: string
  /** What can be done here; a report can only be looked at. */
  readonly can: {
    readonly judge: boolean
    /** What is decided goes into a file, for whoever sent the page. */
    readonly sends?: true
    /** Why nothing can be bought; absent where it can. */
    readonly notBuy?: string
  }
  /** Who judges here. */
  readonly who: string
}

/** What changed since the page was sent: whole results by their addresses, and the order of all where it is another. */
export interface ShownChange {
  readonly results?: readonly Shown[]
  /** All addresses in their order, where some came or went. */
  readonly order?: readonly string[]
  readonly verdicts?: readonly ShownVerdict[]
  /** Written down a moment ago, on this page or another; those that say nothing are taken back. */
  readonly given?: readonly ShownVerdict[]
  /** How often verdicts had been written down by then. Absent: the page is told everything anew. */
  readonly writes?: number
  /** Absent: none is at work. */
  readonly run?: ShownRun
  /** What keeps the manifest from being read at present. */
  readonly trouble?: string
}

/** An order with its amount, to say yes or no to. */
export interface ShownQuote {
  /** By which it is ordered. */
  readonly id: string
  /** A digest of all that would be done, and of what is against it: another where the same words come to another order. */
  readonly plan: string
  readonly buys: readonly { readonly address: string; readonly model: string; readonly cost?: number }[]
  /** `0.42 USD`, `0.40 USD and 1 of unknown cost`, `of unknown cost: no prices are given`. */
  readonly amount: string
  readonly isFree: boolean
  /** It can be tried with placeholders first. */
  readonly canRehearse: boolean
  readonly stale: readonly string[]
  /** What is paid for already and comes with it. */
  readonly free: readonly string[]
  /** What is not ordered with it, as it waits for something else: `clip: it waits until a take of hero is picked`. */
  readonly held: readonly string[]
  /** What its run may spend at most, by whatever says so: `5 USD`, `3 paid requests`, `2 USD for what is tagged shop`. */
  readonly limits: readonly string[]
  /** It would spend more: what is beyond them is left out. */
  readonly isBeyond: boolean
  /** Why it cannot be ordered; empty where it can. */
  readonly against: readonly string[]
}

/** How an order that was given here goes. */
export type ShownOrder =
  | { readonly is: 'under way'; readonly made: number; readonly of: number }
  | { readonly is: 'over'; readonly text: string; readonly isWell: boolean }
