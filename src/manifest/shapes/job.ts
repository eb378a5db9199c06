import type { JobAddress, JsonObject, Pointer } from '../../base/names.ts'
import type { SourceFile, Span } from '../../base/source.ts'
import type { WireMode } from '../../base/state.ts'
import type { Model } from '../../catalog/model.ts'
import type { GatePolicy } from '../../looks/names.ts'

/** A place inside a job: parameter names and list indexes. The empty path is the job itself. */
export type Path = readonly (string | number)[]

/**
 * Where one input file comes from. `nth` counts from 0 among the producer's outputs; `pick` is the file of the take that a
 * person marked, and until somebody has the job is held.
 */
export type FileRef =
  | { readonly from: 'path'; readonly path: string }
  | { readonly from: 'url'; readonly url: string }
  | { readonly from: 'job'; readonly address: JobAddress; readonly nth: number | 'pick' }

/** Where a value of a job came from. */
export interface Origin {
  /** Who gave it: the job, one of its overrides, the defaults. `built-in` is the catalog's, filled in by the service. */
  readonly by: 'job' | 'override' | 'defaults' | 'built-in'
  /** Where it is written; absent for what is built in. */
  readonly at?: Span
  /** What its expressions read, each once; a variable stands before what it reads itself. */
  readonly reads: readonly ReadName[]
}

/** A name that an expression reads: `vars.brand`, `matrix.product.name`, `item.text`, or the path of a `file()`. */
export interface ReadName {
  readonly from: 'vars' | 'matrix' | 'item' | 'file'
  readonly name: string
  /** Where its value stands: in the manifest, in a table, on the command line. */
  readonly at: Span
}

/**
 * What it means when fewer files come than were ordered: they are taken as they are, the job counts as failed until somebody
 * has decided, or what is missing is ordered.
 */
export type ShortDelivery = 'accept' | 'fail' | 'top-up'

/** Which of a job's files one order brings, where several orders bring them together. */
export interface Share {
  /** The first of them, from 0. */
  readonly from: number
  /** So many files are asked for in all. */
  readonly of: number
  /** The first file behind those that another order brings. */
  readonly until?: number
  /** Other orders brought files behind all that is asked for: the next plan moves them up to where something did not come. */
  readonly hasMore?: true
  /** Where the order stands that moves up to here. */
  readonly was?: JobAddress
  /** So many of those that this order was to bring came by none: of the first order, where others brought what lies between. */
  readonly lacks?: number
}

/** Where a job is written, for whoever has to point at it. */
export interface WrittenJob {
  /** Finds the text a value came from. `key` is its name, `value` (the default) its value; the job when there is neither. */
  locate(path: Path, part?: 'key' | 'value'): Span
  /** Where the value of a parameter or of an own key (`model`) came from. Only jobs of a manifest that was not let go can tell. */
  originOf?(name: string): Origin | undefined
}

/** One expanded job, checked: ready to be planned. */
export interface Job {
  readonly address: JobAddress
  /** The names of the axes whose keys its address has, in their order; absent where there are none. */
  readonly axes?: readonly string[]
  readonly model: Model
  readonly mode: WireMode
  /** Canonical parameters, file inputs excepted. Defaults of the catalog are not filled in. */
  readonly params: JsonObject
  /**
   * Input files by their place in the parameters: `/startFrame`, `/imageUrls` (all of the list in order),
   * `/omniImageList/0/image_url`.
   */
  readonly files: { readonly [at: Pointer]: readonly FileRef[] }
  /** Jobs that must be done before this one is sent: those its files come from, and those named by `needs`. */
  readonly needs: readonly JobAddress[]
  /**
   * Output path without extension, relative to the output folder, forward slashes; numbered when several files come, at
   * its end or where `<n>` stands.
   */
  readonly output: string
  /** The output of every take, where `<take>` stands in it: then a pick changes no names. */
  readonly outputPattern?: string
  /** How many files one run yields. */
  readonly count: number
  readonly take: number
  readonly tags: readonly string[]
  readonly workflow?: string
  /** The service that it is ordered from, by its name in the person's own settings; the usual one when absent. */
  readonly service?: string
  readonly timeoutMs?: number
  /** How often a run that failed at the service may be ordered again. It may cost money each time. */
  readonly retries: number
  /** `fail` when absent. */
  readonly shortDelivery?: ShortDelivery
  /** Whatever needs it waits until a person has approved the files that are there. */
  readonly isApprovalRequired?: true
  /** What it means that what came looks broken; what the command line or the settings say when absent. */
  readonly gate?: GatePolicy
  /**
   * How many takes more may be ordered, one a run, while everything that came fails its looks; when none is left, 0 from the start, a
   * person decides about what failed. Absent: none, and only the run that brings it makes nothing from it.
   */
  readonly retakes?: number
  /** Only of jobs as planned. */
  readonly share?: Share
  readonly at: Span
  readonly written: WrittenJob
}

export interface Limits {
  readonly execute?: number
  readonly submit?: number
  /** Both together. */
  readonly total?: number
  /** Jobs at the service at once, by family and by model. */
  readonly families?: { readonly [family: string]: number }
  readonly models?: { readonly [model: string]: number }
  /** Orders within any minute. */
  readonly perMinute?: number
  readonly maxCost?: number
  /** Paid requests of one run. */
  readonly maxPaid?: number
  /** Paid orders in a row without a usable file that end the buying. */
  readonly maxUseless?: number
  /** Jobs that failed, after which nothing more is bought. */
  readonly maxFailures?: number
  /** What the jobs of a tag may cost together. */
  readonly tags?: { readonly [tag: string]: number }
}

/** A checked manifest. Jobs stand in written order; needs form no cycle. */
export interface Manifest {
  readonly name: string
  readonly file: SourceFile
  /** The output folder as written, relative to the manifest's folder. */
  readonly output: string
  /** Where it is written; absent when it is the usual one. */
  readonly outputAt?: Span
  readonly limits: Limits
  /** The models that it declares, whether a job uses them or not. */
  readonly own?: readonly Model[]
  /** The files of its own that declare them. */
  readonly catalogs?: readonly SourceFile[]
  /** Every other text that it is made from: included files, tables, prompts. */
  readonly sources?: readonly SourceFile[]
  /** Codes of warnings that it silences wherever they come from. */
  readonly silenced?: readonly string[]
  readonly jobs: readonly Job[]
  /**
   * Forgets where the values of its jobs are written, which takes as much memory as the jobs: for a run that has begun to order. Each
   * points at its beginning from then on.
   */
  readonly letGo?: () => void
}

/** The disk as the manifest sees it: reading only, and only inside the project. The workspace gives the real one, tests a table. */
export interface Project {
  /** Resolves `path` against the manifest's folder and looks, without reading all of it. */
  look(path: string): InputLook
  /** A text of the project, read whole. `name` of its file is for problems. */
  read(path: string): TextRead
  /** Files that a glob fits, by paths from the manifest's folder with forward slashes, in code point order; none hidden. */
  glob(pattern: string): readonly string[]
  /** A local input that is not there keeps nobody from reading the rest. */
  readonly mayLackInputs?: boolean
  /** How long a local video or sound lasts; undefined when it cannot be said. */
  seconds?(path: string): number | undefined
  /** The pixels of a local picture, as it is shown; undefined when they cannot be said. */
  pixels?(path: string): { readonly width: number; readonly height: number } | undefined
}

export type InputLook =
  | { readonly is: 'file'; readonly bytes: number; readonly head: Uint8Array }
  | { readonly is: 'folder' | 'missing' | 'outside' | 'hidden' | 'unreadable' | 'special' }

export type TextRead =
  | { readonly is: 'text'; readonly file: SourceFile }
  | { readonly is: Exclude<InputLook['is'], 'file'> | 'large' | 'binary' }
