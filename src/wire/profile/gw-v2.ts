import type { Expression } from '../../text/expression.ts'
import type { Profile } from './profile.ts'

const name = (name: string): Expression => ({ is: 'name', name, start: 0, end: 0 })

// biome-ignore format: by the row
const runIds = [
  '/response/id', '/id', '/data/id', '/jobId', '/job_id', '/data/jobId', '/data/job_id', '/response/jobId',
  '/data/task_id', '/task_id', '/taskId', '/data/taskId', '/output/task_id', '/response/task_id',
  '/run_id', '/runId', '/data/run_id', '/data/runId', '/response/run_id', '/response/runId', '/job/id',
  '/task/id', '/run/id', '/prediction_id', '/generation_id',
]
// Looked at last: many services give every exchange an id of its own beside the run's.
// biome-ignore format: by the row
const exchangeIds = [
  '/result/id', '/uuid', '/data/uuid', '/response/request_id', '/request_id', '/requestId',
  '/data/request_id', '/data/requestId',
]

/**
 * The built-in profile: what is assumed about a service of which only the specification is known. Other profiles take
 * from it what they leave out. The workflow of a model is its id; images execute, all else submits; there is no place
 * for uploads.
 */
// biome-ignore format: by the row
export const gwV2: Profile = {
  name: 'gw-v2',
  endpoints: {
    order: { method: 'POST', path: ['/workflows/', name('workflow'), '/', name('mode')], query: [] },
    result: { method: 'GET', path: ['/workflows/', name('workflow'), '/', name('id'), '/result'], query: [] },
    content: undefined,
    cancel: undefined,
    list: undefined,
  },
  auth: [{ header: 'authorization', scheme: 'Bearer' }],
  workflow: [],
  mode: [],
  request: {
    as: 'json',
    models: [],
    envelope: ['params'],
    model: 'model',
    case: 'camel',
    rename: {},
    values: {},
    defaults: 'omit',
    constants: {},
    body: [],
    files: { as: 'data-uri', upTo: 10 * 1024 * 1024, made: 'link' },
  },
  upload: undefined,
  response: {
    id: [...runIds, ...exchangeIds],
    identity: runIds,
    poll: [],
    content: [],
    status: [
      '/response/status', '/status', '/data/status', '/state', '/response/state', '/data/state',
      '/data/task_status', '/task_status', '/output/task_status', '/result/status', '/output/status',
      '/job/status', '/task/status', '/run/status', '/job/state', '/task/state', '/run/state',
      '/status/state', '/status/status', '/success', '/ok',
    ],
    words: {
      running: [
        'accepted', 'queued', 'in_queue', 'enqueued', 'pending', 'waiting', 'scheduled', 'created',
        'submitted', 'received', 'not_started', 'new', 'starting', 'started', 'initializing', 'preparing',
        'processing', 'in_progress', 'progress', 'running', 'executing', 'working', 'generating',
        'rendering', 'uploading', 'active', 'busy', 'retrying', 'delayed', 'paused',
      ],
      succeeded: [
        'completed', 'complete', 'succeeded', 'success', 'successful', 'succeed', 'done', 'ready',
        'finished', 'ok',
      ],
      failed: [
        'failed', 'fail', 'failure', 'error', 'errored', 'rejected', 'expired', 'timeout', 'timed_out',
        'false', 'content_moderated', 'request_moderated', 'moderated', 'blocked', 'nsfw',
      ],
      canceled: ['canceled', 'cancelled', 'aborted', 'terminated', 'stopped'],
    },
    pending: [202, 204, 425],
    outputs: [],
    search: {
      wrappers: ['response', 'data', 'payload', 'body', 'job', 'task', 'run', 'prediction', 'generation'],
      outputs: [
        'outputs', 'output', 'results', 'result', 'task_result', 'artifacts', 'artifact', 'assets',
        'asset', 'generations', 'generated', 'samples', 'sample', 'predictions', 'items', 'files', 'file',
        'media', 'content', 'generated_images', 'generated_videos', 'images', 'videos', 'audios', 'image',
        'video', 'audio', 'sound', 'speech',
      ],
      links: [
        'url', 'uri', 'link', 'href', 'src', 'urls', 'download_url', 'signed_url', 'file_url', 'media_url',
        'output_url', 'output_urls', 'result_url', 'result_urls', 'audio_url', 'audio_urls', 'video_url',
        'video_urls', 'image_url', 'image_urls',
      ],
      base64: [
        'b64_json', 'b64', 'base64', 'image_base64', 'audio_base64', 'video_base64',
        'bytes_base64_encoded', 'bytes', 'data',
      ],
      skip: [
        'params', 'parameters', 'param', 'input', 'inputs', 'request', 'arguments', 'args', 'options',
        'config', 'settings', 'prompt', 'metadata', 'meta', 'metrics', 'logs', 'links', '_links',
        'webhook', 'callback', 'error', 'errors', 'thumbnail', 'thumbnails', 'thumbnail_url', 'preview',
        'previews', 'preview_url', 'poster', 'cover', 'cover_url', 'start_frame', 'end_frame',
        'static_mask', 'reference', 'references', 'source', 'user', 'account', 'status_url',
        'response_url', 'cancel_url', 'webhook_url', 'callback_url', 'docs', 'documentation',
      ],
    },
    runs: {
      at: ['', '/data', '/runs', '/items', '/results', '/tasks', '/jobs', '/predictions', '/data/items', '/response'],
      time: [
        '/created_at', '/createdAt', '/created', '/submitted_at', '/submittedAt', '/create_time', '/createTime',
        '/started_at', '/startedAt', '/timestamp',
      ],
    },
    progress: [
      '/progress', '/response/progress', '/data/progress', '/percent', '/data/percent',
      '/progress/percent', '/job/progress', '/task/progress',
    ],
    credits: [
      '/credits', '/response/credits', '/data/credits', '/credits_used', '/usage/credits', '/cost',
      '/response/cost', '/data/cost',
    ],
    error: [
      '/error/message', '/error/detail', '/error/msg', '/error/reason', '/error/description',
      '/response/error/message', '/response/error', '/data/error/message', '/data/error', '/result/error',
      '/output/error', '/job/error', '/task/error', '/run/error', '/errors/0/message', '/errors/0/detail',
      '/errors/0', '/detail/0/msg', '/detail/message', '/detail', '/failure_reason', '/failureReason',
      '/data/failure_reason', '/data/task_status_msg', '/data/message', '/response/message',
      '/output/message', '/message', '/error', '/reason', '/title', '/error/code', '/error/type',
      '/detail/0/type', '/code', '/data/code',
    ],
    failure: ['/error', '/errors', '/response/error', '/data/error', '/result/error', '/output/error'],
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
  // Statuses of a paid request that prove that nothing was billed.
  refused: {
    301: 'always', 302: 'always', 307: 'always', 308: 'always', 400: 'always', 401: 'always',
    402: 'always', 403: 'always', 404: 'always', 405: 'always', 406: 'always', 409: 'always',
    410: 'always', 411: 'always', 413: 'always', 414: 'always', 415: 'always', 421: 'always',
    422: 'always', 425: 'always', 428: 'always', 429: 'always', 431: 'always', 451: 'always',
    501: 'always',
  },
  refusedWhen: [],
  idempotency: { header: 'Idempotency-Key', honoured: false },
  headers: {},
  source: undefined,
  examples: [],
}
