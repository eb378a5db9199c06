import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { executable, freshFolder } from '../e2e/executable.ts'

const root = join(import.meta.dirname, '../..')

interface Step {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: { readonly [name: string]: string }
  readonly with?: { readonly [name: string]: string }
}

interface Action {
  readonly inputs: { readonly [name: string]: { readonly default?: string; readonly required?: boolean } }
  readonly runs: { readonly steps: readonly Step[] }
}

const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action

/** What the action takes. */
export const inputs = Object.keys(action.inputs)

interface Comment {
  readonly id: number
  readonly user: { readonly login: string }
  body: string
}

/** The forge: comments of one pull request, as its API has them. */
export interface Forge {
  readonly url: string
  readonly comments: Comment[]
  /** Refuses to write, as it does for the token of a fork. */
  readOnly: boolean
}

export async function openForge(): Promise<Forge> {
  const comments: Comment[] = []
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body))
    const path = new URL(request.url ?? '', 'http://forge').pathname
    if (request.headers.authorization !== 'Bearer forge-token') return answer(401, {})
    if (request.method === 'GET') return answer(200, path.endsWith('/issues/7/comments') ? comments : [])
    if (forge.readOnly) return answer(403, {})
    const { body } = JSON.parse(await textOf(request)) as { body: string }
    const id = Number(/comments\/(\d+)$/.exec(path)?.[1])
    const known = comments.find(each => each.id === id)
    if (request.method === 'PATCH' && known) known.body = body
    else comments.push({ id: comments.length + 100, user: { login: 'github-actions[bot]' }, body })
    return answer(200, known ?? comments.at(-1))
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const forge: Forge = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    readOnly: false,
  }
  return forge
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += String(part)
  return text
}

/** A checkout of a repository on a runner; `play` does the steps of the action as a runner does. */
interface Runner {
  readonly folder: string
  play(inputs: { readonly [name: string]: string }): Promise<Played>
}

interface Played {
  readonly code: number
  readonly log: string
  /** Folders that were put into the cache, and artifacts, by their keys. */
  readonly kept: readonly string[]
  readonly outputs: { readonly [name: string]: string }
  /** What the programs of the steps had in their environment. */
  readonly summary: string
}

interface Place {
  readonly forge: Forge
  readonly files: { readonly [path: string]: string }
  /** `pull_request` of a fork or of the repository itself; without one it is a push. */
  readonly pull?: 'own' | 'fork'
}

export function openRunner({ forge, files, pull }: Place): Runner {
  const folder = freshFolder(files)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(dirname(dirname(executable)), join(folder, 'node_modules/genrun'), 'junction')
  const temp = freshFolder()
  const repository = { full_name: 'tea/house' }
  const head = { repo: pull === 'fork' ? { full_name: 'somebody/house' } : repository }
  writeFileSync(
    join(temp, 'event.json'),
    JSON.stringify(pull ? { pull_request: { number: 7, head, base: { repo: repository } } } : {}),
  )
  const github = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: root,
    GITHUB_API_URL: forge.url,
    GITHUB_EVENT_NAME: pull ? 'pull_request' : 'push',
    GITHUB_EVENT_PATH: join(temp, 'event.json'),
    GITHUB_REPOSITORY: 'tea/house',
    GITHUB_RUN_ID: '31',
    GITHUB_SERVER_URL: 'https://forge.example',
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
    RUNNER_TEMP: temp,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: temp,
  }
  return {
    folder,
    play: async inputs => {
      const steps: { [id: string]: { [name: string]: string } } = {}
      const kept: string[] = []
      let [code, log] = [0, '']
      for (const step of action.runs.steps) {
        const fill = (text: string) => filled(text, { inputs: withDefaults(inputs), steps })
        if (step.if ? !holds(step.if, steps) : code !== 0) continue
        if (step.uses) {
          kept.push(...stored(step, folder, temp, fill))
          const [, name] = /^artifact (.*)$/.exec(kept.at(-1) ?? '') ?? []
          if (step.id && name) steps[step.id] = { 'artifact-url': `https://forge.example/artifacts/${name}` }
        } else {
          const out = join(temp, 'output')
          writeFileSync(out, '')
          const env = Object.fromEntries(
            Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)]),
          )
          const ended = await bash(fill(step.run ?? ''), folder, { ...github, ...env, GITHUB_OUTPUT: out })
          // A step that goes well afterwards does not mend the run.
          code ||= ended.code
          log += ended.log
          if (step.id) steps[step.id] = outputsIn(readFileSync(out, 'utf8'))
        }
      }
      const summary = existsSync(github.GITHUB_STEP_SUMMARY)
        ? readFileSync(github.GITHUB_STEP_SUMMARY, 'utf8')
        : ''
      return { code, log, kept, outputs: steps.main ?? {}, summary }
    },
  }
}

function withDefaults(inputs: { readonly [name: string]: string }): { [name: string]: string } {
  for (const [name, { required }] of Object.entries(action.inputs))
    if (required && inputs[name] === undefined) throw new Error(`${name} is not given`)
  for (const name of Object.keys(inputs))
    if (!action.inputs[name]) throw new Error(`there is no input ${name}`)
  const usual = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''])
  return { ...Object.fromEntries(usual), ...inputs }
}

interface Known {
  readonly inputs: { readonly [name: string]: string }
  readonly steps: { readonly [id: string]: { readonly [name: string]: string } }
}

function filled(text: string, { inputs, steps }: Known): string {
  return text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, path: string) => {
    const [of, name = '', , last = ''] = path.split('.')
    if (of === 'inputs') return filled(inputs[name] ?? '', { inputs, steps })
    if (of === 'steps') return steps[name]?.[last] ?? ''
    const github: { [name: string]: string } = { token: 'forge-token', run_id: '31', run_attempt: '1' }
    return github[name] ?? ''
  })
}

/** `always() && steps.x.outputs.y != ''`: all that the action asks. */
function holds(condition: string, steps: Known['steps']): boolean {
  const [, id = '', name = ''] = /^always\(\) && steps\.(\w+)\.outputs\.(\w+) != ''$/.exec(condition) ?? []
  if (id === '') throw new Error(`a condition that is not understood: ${condition}`)
  return (steps[id]?.[name] ?? '') !== ''
}

/** Caches and artifacts are folders beside the runner. */
function stored(step: Step, folder: string, temp: string, fill: (text: string) => string): string[] {
  const path = join(folder, fill(step.with?.path ?? ''))
  const place = join(temp, 'cache', fill(step.with?.['restore-keys'] ?? step.with?.key ?? ''))
  if (step.uses?.startsWith('actions/cache/restore')) return []
  if (step.uses?.startsWith('actions/upload-artifact'))
    return existsSync(fill(step.with?.path ?? '')) ? [`artifact ${fill(step.with?.name ?? '')}`] : []
  if (!existsSync(path)) return []
  cpSync(path, place, { recursive: true })
  return [`cache ${fill(step.with?.key ?? '')}`]
}

function outputsIn(text: string): { [name: string]: string } {
  return Object.fromEntries([...text.matchAll(/^([^=\n]+)=(.*)$/gm)].map(match => [match[1], match[2]]))
}

function bash(
  script: string,
  cwd: string,
  env: { [name: string]: string },
): Promise<{ code: number; log: string }> {
  return new Promise(done => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, env })
    let log = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        log += part
      })
    child.on('close', code => done({ code: code ?? 1, log }))
  })
}
