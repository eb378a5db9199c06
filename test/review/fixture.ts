import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import type { Env } from '../../src/cli/io/surroundings.ts'
import { main } from '../../src/cli/main.ts'
import type { ShownPage, ShownQuote } from '../../src/page/data/shown.ts'
import { type FakeSurroundings, fakeSurroundings } from '../cli/fake.ts'

/** A project with four takes, a clip that waits for a pick, and one picture of another job. */
export const teapots = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A celadon teapot
    takes: 4
  cup:
    model: fama-imagine-image
    prompt: A cup <img src=x onerror="document.title='evil'">
  clip:
    model: famc-v3
    prompt: Steam rising
    startFrame: \${{ jobs.hero.pick }}
    duration: 3
`

const prices =
  'currency: USD\nmodels:\n  fama-imagine-image: { perImage: 0.04 }\n  famc-v3: { perSecond: 0.1 }\n'

interface Project {
  readonly folder: string
  path(name: string): string
  read(name: string): string
  /** One line of the command line, to its end. */
  ran(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }>
  /** `genrun review tea.yaml …`, until the test ends or it is stopped. */
  review(...words: string[]): Promise<Serving>
}

export interface Serving {
  /** With the token, and a slash at its end. */
  readonly url: string
  readonly around: FakeSurroundings
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  data(): Promise<ShownPage>
  quote(wish: object): Promise<ShownQuote>
  stop(): Promise<number>
}

interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly bytes: Buffer
  json(): unknown
}

let template: Promise<string> | undefined

/** A fresh folder in which all is made but the clip, which waits for a pick: made once, and copied. */
export async function made(): Promise<Project> {
  template ??= makeTemplate()
  const from = await template
  return project(folder => cpSync(from, folder, { recursive: true }))
}

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'genrun review template '))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  begin(folder)
  const { code } = await ranIn(folder, ['tea.yaml', '--local', '--quiet'])
  if (code !== 4) throw new Error(`the clip has to wait for a pick: ${code}`)
  return folder
}

function begin(folder: string): void {
  writeFileSync(join(folder, 'tea.yaml'), teapots)
  writeFileSync(join(folder, 'prices.yaml'), prices)
}

/** A fresh folder with the manifest, nothing made yet; at a service where its environment names one. */
export function project(fill: (folder: string) => void = begin, env: Env = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), 'genrun review #1 '))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  fill(folder)
  const path = (name: string) => join(folder, name)
  return {
    folder,
    path,
    read: name => readFileSync(path(name), 'utf8'),
    ran: (...words) => ranIn(folder, words, env),
    review: (...words) => served(folder, words, env),
  }
}

async function ranIn(cwd: string, words: readonly string[], env: Env = {}): ReturnType<Project['ran']> {
  const around = fakeSurroundings({ cwd, clock: systemClock, env })
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

async function served(folder: string, words: readonly string[], env: Env): Promise<Serving> {
  const around = fakeSurroundings({ cwd: folder, clock: systemClock, env })
  const ended = main(['review', 'tea.yaml', '--port', '0', '--as', 'Lead', ...words], around)
  let isOver = false
  void ended.then(() => (isOver = true))
  while (!around.stdout.text().endsWith('/\n')) {
    if (isOver) throw new Error(around.stderr.text())
    await systemClock.until(systemClock.now() + 10)
  }
  const url = around.stdout.text().trim()
  const stop = () => {
    if (!isOver) around.send('SIGINT')
    return ended
  }
  onTestFinished(async () => void (await stop()))
  const { origin } = new URL(url)
  const get = (path: string, headers = {}) => ask('GET', new URL(path, url), headers)
  const post = (path: string, body: unknown, headers = {}) =>
    ask(
      'POST',
      new URL(path, url),
      { origin, 'content-type': 'application/json', ...headers },
      JSON.stringify(body),
    )
  return {
    url,
    around,
    get,
    post,
    data: async () => (await get('data')).json() as ShownPage,
    quote: async wish => (await post('quote', wish)).json() as ShownQuote,
    stop,
  }
}

/** Not `fetch`, which lets nobody name a host or an origin. */
function ask(method: string, url: URL, headers: Record<string, string>, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, answer => {
      const pieces: Buffer[] = []
      answer.on('data', piece => pieces.push(piece))
      answer.on('end', () => {
        const bytes = Buffer.concat(pieces)
        const { statusCode: status = 0 } = answer
        resolve({ status, headers: answer.headers, bytes, json: () => JSON.parse(String(bytes)) })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** Asks again and again until something holds. */
export async function until<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await look()
    if (holds(found)) return found
    await systemClock.until(systemClock.now() + 50)
  }
  throw new Error('it never came to that')
}
