import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { genrunHere } from './built-main.ts'
import { type Ended, filesIn, freshFolder, genrun, type Running, startGenrun } from './executable.ts'
import type { Shop } from './shop.ts'
import { textIn } from './sound.ts'

/** What a manifest asks for: each job's prompt. */
export interface Jobs {
  readonly [name: string]: string
}

/** A folder with the manifest `m.yaml`, and the executable at work in it. */
interface Project {
  readonly folder: string
  readonly shop: Shop
  /** The same folder with another service. */
  at(shop: Shop): Project
  /** A copy of everything in another folder, as a clone or a branch has it. */
  copy(): Project
  /** Writes the manifest anew. `top` is further text before the jobs. */
  write(jobs: Jobs, top?: string): void
  start(...words: readonly string[]): Running
  /** Runs the executable to its end, and expects this exit code. */
  exits(code: number, ...words: readonly string[]): Promise<Ended>
  /** Expects that `verify` agrees, and that another run makes no request at all. */
  isAtRest(manifest?: string): Promise<void>
  path(name: string): string
  has(name: string): boolean
  text(name: string): string
  /** The file of a job, in `out/m` if not told; `says` is the text in it. */
  bytes(job: string, out?: string): Buffer
  says(job: string, out?: string): string
  /** Every finished file: `a.wav`. */
  outputs(out?: string): string[]
  /** Whether a file with this text in it is anywhere in the project, genrun's own folders included. */
  keeps(text: string): boolean
  /** Every file by its content. */
  snapshot(): { readonly [name: string]: string }
}

export function openProject(shop: Shop, jobs: Jobs): Project {
  const project = projectIn(freshFolder(), shop)
  project.write(jobs)
  return project
}

/** Starts a run, and stops it when the service has taken so many orders and genrun has told their ids. */
export async function stopUnderWay(
  project: Project,
  count = 1,
  signal: 'SIGINT' | 'SIGKILL' = 'SIGKILL',
): Promise<string[]> {
  const running = project.start('m.yaml')
  const ids = await underWay(project, running, count)
  running.child.kill(signal)
  const { code, stderr } = await running.ended
  expect(code, stderr).toBe(signal === 'SIGINT' ? 130 : null)
  return ids
}

/** The ids of so many orders that the service took just now, keeps under way, and genrun has told. */
export async function underWay({ shop }: Project, running: Running, count: number): Promise<string[]> {
  shop.hold()
  const before = shop.orders.length
  await expect.poll(() => shop.orders.length, { timeout: 20_000 }).toBe(before + count)
  const ids = shop.orders.slice(before).map(({ id }) => id)
  for (const id of ids) await running.shows('stderr', id)
  return ids
}

/** A copy of one project's state folder takes the place of another's. */
export function copyState(from: Project, to: Project): void {
  rmSync(to.path('.genrun'), { recursive: true })
  cpSync(from.path('.genrun'), to.path('.genrun'), { recursive: true })
}

/** What only looks writes nothing that the next process could miss: it needs none of its own. */
const looks = new Set(['journal', 'plan', 'report', 'status', 'verify', 'why'])

function projectIn(folder: string, shop: Shop): Project {
  const path = (name: string) => join(folder, name)
  const has = (name: string) => existsSync(path(name))
  const bytes = (job: string, out = 'out/m') => readFileSync(path(`${out}/${job}.wav`))
  const exits: Project['exits'] = async (code, ...words) => {
    const done = looks.has(words[0] ?? '') ? genrunHere : genrun
    const ended = await done(words, { cwd: folder, env: shop.env })
    expect(ended.code, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(code)
    return ended
  }
  const all = () => filesIn(folder).map(name => [name, readFileSync(path(name))] as const)
  return {
    folder,
    shop,
    at: other => projectIn(folder, other),
    copy() {
      const other = freshFolder()
      cpSync(folder, other, { recursive: true })
      return projectIn(other, shop)
    },
    write(jobs, top = '') {
      const lines = Object.entries(jobs).map(([name, prompt]) => `  ${name}: { prompt: ${prompt} }\n`)
      const defaults = 'defaults: { model: famc-t2a, duration: 3 }\n'
      writeFileSync(path('m.yaml'), `${top}${defaults}jobs:\n${lines.join('')}`)
    },
    start: (...words) => startGenrun(words, { cwd: folder, env: shop.env }),
    exits,
    async isAtRest(manifest = 'm.yaml') {
      await exits(0, 'verify', manifest)
      const before = shop.requests()
      await exits(0, manifest)
      expect(shop.requests()).toBe(before)
    },
    path,
    has,
    text: name => readFileSync(path(name), 'utf8'),
    bytes,
    says: (job, out) => textIn(bytes(job, out)),
    outputs: (out = 'out/m') =>
      (has(out) ? filesIn(path(out)) : []).filter(name => !name.startsWith('.genrun/')),
    keeps: text => all().some(([, content]) => content.includes('WAVEfmt') && textIn(content) === text),
    snapshot: () =>
      Object.fromEntries(
        all().map(([name, content]) => [name, createHash('sha256').update(content).digest('hex')]),
      ),
  }
}
