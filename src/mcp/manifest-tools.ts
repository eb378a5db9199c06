import { join, resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import { hasErrors } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import { pickTake } from '../verbs/pick.ts'
import { planManifest } from '../verbs/plan.ts'
import { runManifest } from '../verbs/run.ts'
import { statusOf } from '../verbs/status.ts'
import type { JobReport, Report } from '../wording/report.ts'
import { type CheckResult, checkFile, checkText } from '../workspace/read/check.ts'
import { placeUnder } from '../workspace/read/place-under.ts'
import { spendInRun } from '../workspace/session-budget.ts'
import type { Listener } from './orders.ts'
import {
  type Call,
  type ManifestSettings,
  refused,
  type Session,
  said,
  type Tool,
  type ToolResult,
  withText,
  wrongCall,
} from './tool.ts'

const text = { type: 'string' } as const
const count = { type: 'integer' } as const
const path = { ...text, description: 'its path, in the folder of this server or below' }

const about = (more: { readonly [name: string]: JsonObject } = {}): JsonObject => ({
  type: 'object',
  properties: { manifest: path, ...more },
  required: ['manifest', ...Object.keys(more)],
})

/** What a run came to. */
const runSchema: JsonObject = {
  type: 'object',
  properties: {
    rehearsal: { type: 'boolean', description: 'placeholders were made, and nothing was paid' },
    counts: { type: 'object', description: 'jobs by how they ended', additionalProperties: count },
    paid: { ...count, description: 'requests that could cost money' },
    output: { ...text, description: 'the folder of the files' },
    jobs: {
      type: 'array',
      description: 'every job with its files',
      items: {
        type: 'object',
        properties: { address: text, ending: text, files: { type: 'array', items: text } },
        required: ['address', 'ending', 'files'],
      },
    },
    trouble: { type: 'array', description: 'what did not end well, and why', items: { type: 'object' } },
  },
  required: ['rehearsal', 'counts', 'paid', 'output', 'jobs', 'trouble'],
}

/** The tools around a manifest. */
export const manifestTools: readonly Tool[] = [
  {
    name: 'service_validate',
    description: 'Checks a manifest (YAML): every problem with its line. Costs nothing.',
    inputSchema: {
      type: 'object',
      properties: {
        manifest: { ...text, description: `${path.description}; or its text, in several lines` },
      },
      required: ['manifest'],
    },
    outputSchema: {
      type: 'object',
      properties: { ok: { type: 'boolean' }, jobs: count, warnings: { type: 'array', items: text } },
      required: ['ok', 'jobs', 'warnings'],
    },
    carryOut({ manifest }, session) {
      const given = String(manifest)
      return isText(given)
        ? checked(checkText({ name: 'manifest', text: given }, session.cwd, checkedBy(session)))
        : heeding(given, session, (options, { cwd }) => checked(checkFile(given, cwd, options)))
    },
  },
  {
    name: 'service_plan',
    description: 'What running a manifest would do, why, and at what cost. Costs nothing.',
    inputSchema: about(),
    outputSchema: {
      type: 'object',
      properties: {
        steps: { type: 'array', items: { type: 'object' } },
        paid: { ...count, description: 'requests that would cost money' },
        cost: { type: 'object' },
        obstacles: { type: 'array', description: 'what a run would refuse to begin with', items: text },
      },
      required: ['steps', 'paid', 'cost', 'obstacles'],
    },
    carryOut: planTool,
  },
  {
    name: 'service_status',
    description: 'How a manifest stands: what is done, open, failed or in doubt. Costs nothing.',
    inputSchema: about(),
    outputSchema: {
      type: 'object',
      properties: {
        jobs: count,
        done: count,
        toBuy: count,
        open: { type: 'array', items: { type: 'object' } },
      },
      required: ['jobs', 'done', 'toBuy', 'open'],
    },
    carryOut: statusTool,
  },
  {
    name: 'service_run',
    description: 'Makes what a manifest describes and is not made yet. Nothing is paid for twice.',
    inputSchema: about(),
    outputSchema: runSchema,
    makes: true,
    carryOut: ({ manifest }, session, call) => runTool(String(manifest), {}, session, call),
  },
  {
    name: 'service_redo',
    description: 'Orders jobs of a manifest again although nothing changed: another take, paid for again.',
    inputSchema: about({
      jobs: { type: 'array', items: text, description: 'their ids or addresses, or globs' },
    }),
    outputSchema: runSchema,
    makes: true,
    carryOut({ manifest, jobs }, session, call) {
      // Checked against the schema.
      const words = jobs as readonly string[]
      if (words.length === 0) return wrongCall('service_redo needs the jobs that are ordered again')
      return runTool(String(manifest), { redo: true, select: { words } }, session, call)
    },
  },
  {
    name: 'service_pick',
    description:
      'Chooses one take of a job: it becomes the result, and others are made from it. Costs nothing.',
    inputSchema: about({ take: { ...text, description: 'its address, such as hero#2' } }),
    outputSchema: {
      type: 'object',
      properties: {
        address: text,
        files: { type: 'array', items: text },
        stale: { type: 'array', description: 'jobs that the next run buys anew', items: text },
      },
      required: ['address', 'files', 'stale'],
    },
    makes: true,
    carryOut: pickTool,
  },
]

/** A manifest has several lines, or begins as JSON does or with its jobs; a path has neither. */
function isText(given: string): boolean {
  return /\n/.test(given.trim()) || /^\s*(\{|jobs\s*:)/.test(given)
}

/** Why no manifest is read there; undefined where one may be. */
function wrongPlace(manifest: string, cwd: string): ToolResult | undefined {
  if (isText(manifest)) return wrongCall(`this takes the path of a manifest: its lock lies beside it`)
  const place = placeUnder(cwd, manifest)
  return place.got === 'outside' ? wrongCall(place.message) : undefined
}

type Options = Extract<ManifestSettings, { got: 'settings' }>['options']

/** Carries out a tool as the settings around its manifest say. */
async function heeding(
  manifest: string,
  session: Session,
  work: (options: Options, session: Session) => ToolResult | Promise<ToolResult>,
): Promise<ToolResult> {
  const against = wrongPlace(manifest, session.cwd)
  if (against) return against
  const heeded = await session.heed?.(manifest)
  if (!heeded) return work(ofSession(session), session)
  if (heeded.got === 'refused') return wrongCall(heeded.message)
  const result = await work(heeded.options, {
    ...session,
    service: { ...session.service, ...heeded.service },
  })
  return heeded.told === '' ? result : withText(result, heeded.told)
}

function ofSession(session: Session): Options {
  const { output, outputs, profile, prices, catalog, gates } = session
  return defined({ output, outputs, profile, prices, catalog, gates })
}

function checkedBy({ catalog = [], gates = [] }: Session) {
  return { catalog, gates }
}

function checked({ jobs, problems }: CheckResult): ToolResult {
  return hasErrors(problems)
    ? refused(problems)
    : said({ ok: true, jobs, warnings: problems.map(each => each.message) })
}

/** What a verb needs to know that sends nothing. */
function workspaceOf(manifest: string, options: Options, { cwd, service }: Session) {
  return { ...options, cwd, manifest, rehearsal: service.rehearsal, service }
}

function planTool({ manifest }: JsonObject, session: Session): Promise<ToolResult> {
  const path = String(manifest)
  return heeding(path, session, (options, session) => {
    const caps = session.budget.left(options.caps)
    const result = planManifest({ ...workspaceOf(path, options, session), caps })
    if (result.got === 'refused') return refused(result.problems)
    if (result.got === 'damaged') return wrongCall(`${result.message}; ${result.hint}`)
    const told = said({ ...result.plan, obstacles: result.obstacles.map(({ message }) => message) })
    const reserved = session.budget.reserved()
    return result.plan.over && reserved !== undefined ? withText(told, reserved) : told
  })
}

function statusTool({ manifest }: JsonObject, session: Session): Promise<ToolResult> {
  const path = String(manifest)
  return heeding(path, session, (options, session) => {
    const result = statusOf(workspaceOf(path, options, session))
    if (result.got === 'refused') return refused(result.problems)
    if (result.got === 'damaged') return wrongCall(`${result.message}; ${result.hint}`)
    return said(result.status)
  })
}

function pickTool({ manifest, take }: JsonObject, session: Session, { runs }: Call): Promise<ToolResult> {
  const path = String(manifest)
  return heeding(path, session, async (options, session) => {
    const result = await pickTake({ ...workspaceOf(path, options, session), address: String(take) })
    if (result.got === 'refused') return refused(result.problems)
    if (result.got === 'busy' && runs.isAtWorkOn(resolve(session.cwd, path))) return wrongCall(atWorkText)
    if (result.got !== 'picked') return wrongCall(`${result.message}; ${result.hint}`)
    const { address, files, stale } = result
    return said({ address, files, stale })
  })
}

interface Choice {
  readonly redo?: true
  readonly select?: { readonly words: readonly string[] }
}

/** A manifest is carried out, with its lock and journal. */
async function runTool(manifest: string, choice: Choice, session: Session, call: Call): Promise<ToolResult> {
  const asked = { manifest: resolve(session.cwd, manifest), what: JSON.stringify(choice) }
  const attended = await call.runs.carryOut(asked, call, listener => run(manifest, choice, session, listener))
  switch (attended.got) {
    case 'at-work':
      return wrongCall(atWorkText)
    case 'begun':
      return attended.result
    case 'joined':
      return withText(attended.result, 'begun by an earlier call like this one; nothing was begun now')
  }
}

/** The other genrun is this very process: nobody should stop it. */
const atWorkText = 'this server is at work on this manifest by an earlier call; call again when that is over'

function run(
  manifest: string,
  choice: Choice,
  session: Session,
  { stop, emit }: Listener,
): Promise<ToolResult> {
  return heeding(manifest, session, async (options, { cwd, service, budget }) => {
    const reserved = budget.reserved()
    const result = await spendInRun(
      budget,
      options.caps ?? {},
      caps => runManifest({ manifest, cwd, service, ...choice, ...options, caps, stop, emit }),
      ran => (ran.got === 'report' ? ran.report : undefined),
    )
    if (result.got === 'refused') return refused(result.problems)
    if (result.got !== 'report') return wrongCall(`${result.message}; ${result.hint}`)
    const report = said(ranRecord(result.report, reserved))
    return result.report.exit === 0 ? report : { ...report, isError: true }
  })
}

/** Of a rehearsal nothing was paid, whatever was asked of the gateway. `reserved`: by other runs, when it began. */
function ranRecord({ counts, paid, jobs, output, rehearsal }: Report, reserved: string | undefined) {
  const hintOf = ({ failure, hint }: JobReport) =>
    failure?.why === 'budget' && reserved !== undefined ? reserved : hint
  const trouble = jobs.flatMap(job =>
    job.message ? [{ address: job.address, message: job.message, hint: hintOf(job) }] : [],
  )
  return {
    rehearsal,
    ...(rehearsal && { note: 'a rehearsal: placeholders, nothing was paid' }),
    counts,
    paid: rehearsal ? 0 : paid,
    output,
    jobs: jobs.map(job => ({ address: job.address, ending: job.ending, files: filesOf(job, output) })),
    trouble,
  }
}

function filesOf({ files }: JobReport, output: string): string[] {
  return files.map(({ path: name }) => join(output, name))
}
