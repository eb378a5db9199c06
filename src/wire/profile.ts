import type { Json } from '../base/names.ts'

/**
 * Everything the specification leaves open about the service ("Gaps in the interface"), as data. Places in an answer
 * are JSON pointers (RFC 6901); `''` is the whole answer. DESIGN.md section 6.
 */
export interface Profile {
  readonly name: string
  /** The workflow of a model that is not called by the model's id. */
  readonly workflows: { readonly [model: string]: string }
  readonly request: RequestRules
  readonly response: ResponseRules
  /** Statuses of a paid request that prove that nothing was billed. Every other status outside 2xx is doubt. */
  readonly refused: readonly number[]
  readonly idempotency: Idempotency
  /** Sent with every request to the service. `authorization` is never taken from here. */
  readonly headers: { readonly [name: string]: string }
}

/** How parameters become a body. `famc-v3` with a prompt is `{ "params": { "model": "famc-v3", "prompt": … } }`. */
export interface RequestRules {
  /** Keys of the objects that the parameters stand in, outermost first; empty for the body itself. */
  readonly envelope: readonly string[]
  /** The key beside the parameters that names the model; undefined where the workflow says enough. */
  readonly model: string | undefined
  /** How the catalog's camelCase names are written. */
  readonly case: 'camel' | 'snake' | 'kebab'
  /** Names as they are sent, by the catalog's name; not changed by `case`. */
  readonly rename: { readonly [param: string]: string }
  /** Sent beside the envelope, as they are. */
  readonly constants: { readonly [key: string]: Json }
}

export interface ResponseRules {
  /** Where the id of a run stands: the first place that holds one. */
  readonly id: readonly string[]
  /** Places whose id must be the one asked for. An id of the exchange itself is none. */
  readonly identity: readonly string[]
  /** Where status words stand. All are read: failed before running before succeeded. */
  readonly status: readonly string[]
  readonly words: StatusWords
  /** Statuses of a result request that mean "not finished". */
  readonly pending: readonly number[]
  /** Where outputs stand: the first place that holds some. When none does, the answer is searched. */
  readonly outputs: readonly string[]
  readonly search: OutputSearch
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
  readonly header: string
  /** Whether the service promises that a second request with the same key is not a second order. */
  readonly honoured: boolean
  /** How long it promises so. */
  readonly ttlMs?: number
}

/** The workflow that serves a model. */
export function workflowOf(profile: Profile, model: string): string {
  return profile.workflows[model] ?? model
}

/** Places and words are written apart by blanks. */
function listOf(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

const runIds = listOf(`
  /response/id /id /data/id /jobId /job_id /data/jobId /data/job_id /response/jobId
  /data/task_id /task_id /taskId /data/taskId /output/task_id /response/task_id
  /run_id /runId /data/run_id /data/runId /response/run_id /response/runId
  /job/id /task/id /run/id /prediction_id /generation_id
`)

// Last, because many services give every exchange such an id beside the run's own.
const exchangeIds = listOf(`
  /result/id /uuid /data/uuid /response/request_id /request_id /requestId /data/request_id /data/requestId
`)

/** The built-in profile: what is assumed about a service of which only the specification is known. */
export const gwV2: Profile = {
  name: 'gw-v2',
  workflows: {},
  request: { envelope: ['params'], model: 'model', case: 'camel', rename: {}, constants: {} },
  response: {
    id: [...runIds, ...exchangeIds],
    identity: runIds,
    status: listOf(`
      /response/status /status /data/status /state /response/state /data/state
      /data/task_status /task_status /output/task_status /result/status /output/status
      /job/status /task/status /run/status /job/state /task/state /run/state
      /status/state /status/status /success /ok
    `),
    words: {
      running: listOf(`
        accepted queued in_queue enqueued pending waiting scheduled created submitted received not_started new
        starting started initializing preparing processing in_progress progress running executing working
        generating rendering uploading active busy retrying delayed paused
      `),
      succeeded: listOf('completed complete succeeded success successful succeed done ready finished ok'),
      failed: listOf(`
        failed fail failure error errored rejected expired timeout timed_out false
        content_moderated request_moderated moderated blocked nsfw
      `),
      canceled: listOf('canceled cancelled aborted terminated stopped'),
    },
    pending: [202, 204, 425],
    outputs: [],
    search: {
      wrappers: listOf('response data payload body job task run prediction generation'),
      outputs: listOf(`
        outputs output results result task_result artifacts artifact assets asset generations generated
        samples sample predictions items files file media content generated_images generated_videos
        images videos audios image video audio sound speech
      `),
      links: listOf(`
        url uri link href src urls download_url signed_url file_url media_url output_url output_urls
        result_url result_urls audio_url audio_urls video_url video_urls image_url image_urls
      `),
      base64: listOf(
        'b64_json b64 base64 image_base64 audio_base64 video_base64 bytes_base64_encoded bytes data',
      ),
      skip: listOf(`
        params parameters param input inputs request arguments args options config settings prompt
        metadata meta metrics logs links _links webhook callback error errors
        thumbnail thumbnails thumbnail_url preview previews preview_url poster cover cover_url
        start_frame end_frame static_mask reference references source user account
        status_url response_url cancel_url webhook_url callback_url docs documentation
      `),
    },
    progress: listOf(`
      /progress /response/progress /data/progress /percent /data/percent /progress/percent
      /job/progress /task/progress
    `),
    credits: listOf(`
      /credits /response/credits /data/credits /credits_used /usage/credits /cost /response/cost /data/cost
    `),
    error: listOf(`
      /error/message /error/detail /error/msg /error/reason /error/description
      /response/error/message /response/error /data/error/message /data/error /result/error /output/error
      /job/error /task/error /run/error /errors/0/message /errors/0/detail /errors/0
      /detail/0/msg /detail/message /detail /failure_reason /failureReason /data/failure_reason
      /data/task_status_msg /data/message /response/message /output/message /message /error /reason
      /title /error/code /error/type /detail/0/type /code /data/code
    `),
    failure: listOf('/error /errors /response/error /data/error /result/error /output/error'),
    rejectedContent: [
      'content[ _-]?(policy|filter|moderation|moderated|violation|safety|restriction)',
      'moderat(ed|ion)',
      'safety[ _-]?(system|filter|check|polic|setting|violation)',
      '(unsafe|inappropriate|sensitive|prohibited|disallowed|restricted|explicit) (content|prompt|image|video|text|words?)',
      '\\bnsfw\\b',
      '(usage|acceptable use|community|responsible ai) (polic|guideline|practice)',
      'polic(y|ies) violation|violat\\w* (our|the|of) .{0,40}(polic|guideline|terms)',
      'flagged (as|by|for)',
    ],
  },
  // biome-ignore format: a list to compare with RELIABILITY.md section 2
  refused: [
    301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 413, 414, 415, 421, 422, 425, 428, 429,
    431, 451, 501,
  ],
  idempotency: { header: 'Idempotency-Key', honoured: false },
  headers: {},
}
