import type { Json, JsonObject } from '../../base/names.ts'
import type { WireMode } from '../../base/state.ts'
import type { Model } from '../../catalog/index.ts'
import type { AuthRule } from './auth.ts'
import type { EndpointRules } from './endpoints.ts'
import { type Asked, type PerModel, ruleFor } from './per-model.ts'
import { fillText, type Template } from './template.ts'

/**
 * Everything the specification leaves open about the service ("Gaps in the interface"), as data. Places in an answer
 * are JSON pointers (RFC 6901); `''` is the whole answer. Read from YAML by `profile-file.ts`.
 */
export interface Profile {
  readonly name: string
  /** Where orders go, and where their results are asked for. */
  readonly endpoints: EndpointRules
  /** How the key travels. */
  readonly auth: readonly AuthRule[]
  /** The workflow of a model that is not called by the model's id. */
  readonly workflow: PerModel<Template>
  /** How models go over the wire that do not go as the specification describes them. */
  readonly mode: PerModel<WireMode>
  readonly request: RequestRules
  /** Where files go that do not fit into a body; undefined where there is no such place. */
  readonly upload: UploadRules | undefined
  readonly response: ResponseRules
  /** Statuses of a paid request that prove that nothing was billed. Every other status outside 2xx is doubt. */
  readonly refused: { readonly [status: number]: Proof }
  /** Words in an answer that prove the same, whatever its status: the first that fits counts. */
  readonly refusedWhen: readonly RefusalRule[]
  readonly idempotency: Idempotency
  /** Sent with every request to the service. Never holds a key. */
  readonly headers: { readonly [name: string]: string }
  /** What it was written from; for readers. */
  readonly source: ProfileSource | undefined
  /** Requests of the service's documentation: each has to come out as it stands there. */
  readonly examples: readonly ProfileExample[]
  /** Models that the user declares: their defaults count as those of the built-in ones. Absent where there are none. */
  readonly own?: readonly Model[]
}

/** What a profile was written from, and what it was tried against. */
interface ProfileSource {
  readonly documentation: string | undefined
  /** When that was read: `2026-11-25`. */
  readonly date: string | undefined
  /** Which answers prove that nothing was billed, in words. */
  readonly money: string | undefined
  readonly tried: TriedAgainst | undefined
}

/** A double is a program that plays the service; nothing is `nothing`. */
export const triedAgainst = ['service', 'double', 'nothing'] as const
type TriedAgainst = (typeof triedAgainst)[number]

/** One order, and the request that it makes. */
export interface ProfileExample {
  readonly model: string
  /** By the catalog's names. */
  readonly params: JsonObject
  /** `POST /v1/images`, below the base address; not compared when absent. */
  readonly order: string | undefined
  /** As JSON with its keys in order, or as text, byte for byte; of a form its fields, or the text with any boundary. */
  readonly body: Json
}

/** When a status proves that nothing was billed. */
export type Proof = 'always' | 'never' | 'with-retry-after'

/** What an answer to a paid request says when nothing was billed. */
export interface RefusalRule {
  /** Any when absent. */
  readonly status?: number
  /** Where the word stands. */
  readonly at: string
  /** One of these words stands there; numbers count by their digits. */
  readonly is: readonly string[]
  readonly means: RefusalMeaning
}

/** Busy may be sent again; the others stand as they are. */
export const refusalMeanings = ['refused', 'busy', 'unauthorized', 'no-credit'] as const
export type RefusalMeaning = (typeof refusalMeanings)[number]

/** How a body is written. */
export const bodyForms = ['json', 'form', 'multipart'] as const
export type BodyForm = (typeof bodyForms)[number]

/** How parameters become a body. `famc-v3` with a prompt is `{ "params": { "model": "famc-v3", "prompt": … } }`. */
export interface RequestRules extends BodyRules {
  /** What holds otherwise for some models. */
  readonly models: PerModel<Partial<BodyRules>>
  /** Whole bodies: then nothing of the above but `as` and `values` holds. */
  readonly body: PerModel<Template>
  readonly files: FileRules
}

/** Of how a body is made, what may differ from model to model. */
export interface BodyRules {
  /** Files stand in the parts of a multipart body as their bytes. */
  readonly as: BodyForm
  /** Keys of the objects that the parameters stand in, outermost first; empty for the body itself. */
  readonly envelope: readonly string[]
  /** The key beside the parameters that names the model; undefined where the workflow says enough. */
  readonly model: string | undefined
  /** How the catalog's camelCase names are written. */
  readonly case: 'camel' | 'snake' | 'kebab'
  /** Names as they are sent, by the catalog's name; not changed by `case`. `none` is not sent. */
  readonly rename: { readonly [param: string]: string }
  /** Values as they are sent, by the catalog's name. */
  readonly values: { readonly [param: string]: ValueRule }
  /** Whether defaults of the catalog are sent for what a job does not say; else the service fills them in. */
  readonly defaults: 'omit' | 'send'
  /** Sent beside the envelope, as they are. */
  readonly constants: { readonly [key: string]: Json }
}

/** Other words for values (`16:9` is `16x9`), every value as text or as a number, or a list's only item in place of the list. */
export type ValueRule = 'text' | 'number' | 'single' | { readonly [value: string]: Json }

/** How files travel inside a body. */
export interface FileRules {
  /** As a data URI, or as base64 and nothing else. */
  readonly as: 'data-uri' | 'base64'
  /** Larger ones are uploaded; 0 uploads all. In bytes. */
  readonly upTo: number
  /** What the service itself has made: as its own link while that is young, or as the bytes like every other file. */
  readonly made: 'link' | 'bytes'
}

/** An upload in two steps: an address is asked for, and the bytes are put there. */
export interface TicketRules {
  /** What the question says, as JSON; names of the file stand in it. */
  readonly body: Template
  /** Where the answer holds the address that takes the bytes. */
  readonly putAt: readonly string[]
  /** Sent with the bytes, beside their type. */
  readonly headers: { readonly [name: string]: string }
}

/** A multipart request for one file, or one for a ticket, whose answer names the link that stands for the file. */
export interface UploadRules {
  /** Relative to the base address, or at an origin that is named outside the checkout. */
  readonly url: string
  /** The form's field that holds the file. */
  readonly field: string
  /** Further fields, sent before the file. */
  readonly fields: { readonly [name: string]: string }
  /** Where the answer holds what is sent for the file: the first place that has a text. */
  readonly urlAt: readonly string[]
  /** Then there is no form: `field` and `fields` say nothing. */
  readonly ticket?: TicketRules | undefined
}

export interface ResponseRules {
  /** Where the id of a run stands: the first place that holds one. */
  readonly id: readonly string[]
  /** Places whose id must be the one asked for. An id of the exchange itself is none. */
  readonly identity: readonly string[]
  /**
   * Where the address stands at which the result is asked for: places, or names of headers. What is there is what the run is
   * known by, before any id.
   */
  readonly poll: readonly string[]
  /** Where a finished answer holds the address of the content. */
  readonly content: readonly string[]
  /** Where status words stand. All are read: failed before running before succeeded. */
  readonly status: readonly string[]
  readonly words: StatusWords
  /** Statuses of a result request that mean "not finished". */
  readonly pending: readonly number[]
  /** Where outputs stand: the first place that holds some. When none does, the answer is searched. */
  readonly outputs: readonly string[]
  readonly search: OutputSearch
  /** How long links to files work, in milliseconds. Absent where nobody says so. */
  readonly linksLastMs?: number
  /** Of a list of runs: the first place that holds one, and where its items say when they were ordered. */
  readonly runs: { readonly at: readonly string[]; readonly time: readonly string[] }
  readonly progress: readonly string[]
  readonly credits: readonly string[]
  /** Where the words of an error stand: the first are shown, all are searched for `rejectedContent`. */
  readonly error: readonly string[]
  /** Places that hold something only when the work failed, in answers without a status word. */
  readonly failure: readonly string[]
  /** Regular expressions, by any case, that tell a refusal of the content in an error's words. */
  readonly rejectedContent: readonly string[]
}

/** Known status words. Case counts for nothing, nor do `_`, `-` and space; a flag that is false is the word `false`. */
export interface StatusWords {
  readonly running: readonly string[]
  readonly succeeded: readonly string[]
  readonly failed: readonly string[]
  readonly canceled: readonly string[]
}

/** Keys by which outputs are found, written as `StatusWords` are compared, in order of preference. */
export interface OutputSearch {
  /** Objects around everything: they can hold an id and a link of their own beside the outputs. */
  readonly wrappers: readonly string[]
  /** Hold outputs: a link, base64, an object, or a list of those. */
  readonly outputs: readonly string[]
  /** Hold the link to one output. */
  readonly links: readonly string[]
  /** Hold one output's bytes. */
  readonly base64: readonly string[]
  /** Never looked into: what was sent, echoed back, and pictures about a picture. */
  readonly skip: readonly string[]
}

export interface Idempotency {
  /** Undefined where none is sent. */
  readonly header: string | undefined
  /** Whether the service promises that a second request with the same key is not a second order. */
  readonly honoured: boolean
  /** How long it promises so. */
  readonly ttlMs?: number
}

/** The workflow that serves a job: by the profile, else the model's id. */
export function workflowOf(profile: Profile, model: string, params: JsonObject = {}): string {
  const rule = ruleFor(profile.workflow, { model, params, own: profile.own })
  return rule === undefined ? model : fillText(rule, { model, mode: '', params, sent: params })
}

/** How a model goes over the wire when neither the job nor the specification's description is to decide. */
export function modeOf(profile: Profile, asked: Asked): WireMode | undefined {
  return ruleFor(profile.mode, { ...asked, own: profile.own })
}
