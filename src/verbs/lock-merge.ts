import { execFileSync, spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { isThere } from '../disk/look.ts'
import { readRegular } from '../disk/open.ts'
import { appendText, replaceFile } from '../disk/write.ts'
import { type Merged, mergeLocks } from '../store/lock/lock-merge.ts'
import { areVerdicts } from '../store/verdicts/verdicts-lines.ts'
import { mergeVerdicts } from '../store/verdicts/verdicts-merge.ts'
import { leadsAway } from '../workspace/read/guarded.ts'

type LockMergeResult =
  | Extract<Merged, { got: 'merged' }>
  /** One side is no whole lock of genrun: merged as any text is, with conflicts. */
  | { readonly got: 'as-text'; readonly side: string; readonly why: string }
  | { readonly got: 'trouble'; readonly message: string; readonly hint: string }

/** Merges the locks in three files, or the verdicts, as git names them (`%O %A %B`), into the second. */
export function mergeLockFiles(files: readonly string[], cwd: string): LockMergeResult {
  const [base, ours, theirs] = files.map(file => resolve(cwd, file))
  if (base === undefined || ours === undefined || theirs === undefined || files.length !== 3) {
    const hint = 'git calls it with three: `genrun lock merge %O %A %B`; --install sets that up'
    return { got: 'trouble', message: 'three files are merged: base, ours and theirs', hint }
  }
  try {
    const [a = '', b = '', c = ''] = [base, ours, theirs].map(textAt)
    const sides = { base: a, ours: b, theirs: c }
    const merged = areVerdicts(b) || areVerdicts(c) ? mergeVerdicts(sides) : mergeLocks(sides)
    if (merged.got === 'damaged')
      return mergeAsText({ base, ours, theirs, side: merged.side, why: merged.why })
    replaceFile(ours, merged.text)
    return merged
  } catch (cause) {
    return {
      got: 'trouble',
      message: `a lock cannot be read or written: ${reasonOf(cause)}`,
      hint: 'merge the lock by hand',
    }
  }
}

/** What git names, and its attributes: no pipe and no device, and nothing that fills memory. */
function textAt(path: string): string {
  return Buffer.from(readRegular(path, { mostBytes: longest })).toString('utf8')
}

const longest = 512 * 1024 * 1024

interface Texts {
  readonly base: string
  readonly ours: string
  readonly theirs: string
  readonly side: string
  readonly why: string
}

/**
 * What is no lock, or no whole one, is merged line by line, as git would have done: a conflict must be seen. Where there is
 * none, the lines of one side would be gone without a word: ours stays as it is, and git has the conflict.
 */
function mergeAsText({ base, ours, theirs, side, why }: Texts): LockMergeResult {
  const labels = ['ours', 'base', 'theirs'].flatMap(label => ['-L', label])
  const command = ['merge-file', '-p', ...labels, ours, base, theirs]
  const { status, stdout, error: cause } = spawnSync('git', command, { maxBuffer: 2 * longest })
  if (cause || status === null || status > 127) {
    const message = `the lock (${side}): ${why}, and git cannot merge it as text`
    return { got: 'trouble', message, hint: 'merge the lock by hand' }
  }
  if (status === 0) {
    const hint = 'ours is left as it was: `git checkout --ours` or `--theirs` takes the side that is whole'
    return { got: 'trouble', message: `the lock (${side}): ${why}`, hint }
  }
  replaceFile(ours, stdout.toString('utf8'))
  return { got: 'as-text', side, why }
}

const attributes = ['*.lock.json merge=genrun-lock', '*.review.json merge=genrun-lock']

/** The executable that git is to call, by absolute paths: git's own PATH may not have it. */
interface Program {
  readonly node: string
  readonly script: string
}

/** Tells git, in this repository only, to merge locks by genrun. Returns what it did, in words. */
export function installLockMerge(
  cwd: string,
  program: Program | undefined,
): { readonly did: readonly string[] } | { readonly message: string } {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    const top = git('rev-parse', '--show-toplevel').trim()
    const file = join(top, '.gitattributes')
    if (leadsAway(file, top)) return { message: '.gitattributes is a link that leads out of the project' }
    git('config', 'merge.genrun-lock.name', 'genrun lock, merged job by job')
    git('config', 'merge.genrun-lock.driver', driver(program))
    const text = isThere(file) ? textAt(file) : ''
    const missing = attributes.filter(line => !text.split(/\r?\n/).includes(line))
    if (missing.length > 0)
      appendText(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`)
    return {
      did: [
        `git merges locks by genrun in ${top}`,
        `.gitattributes has ${attributes.join(' and ')}: commit it; every other checkout needs its own --install`,
      ],
    }
  } catch (cause) {
    return { message: `git cannot be told: ${reasonOf(cause)}` }
  }
}

/** What git itself says comes on its stderr. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const said = 'stderr' in cause ? String(cause.stderr).trim().split('\n')[0] : undefined
  return said?.replace(/^fatal: /, '') || cause.message.replace(/^ENOENT: /, '')
}

/** Should the executable be gone one day, git merges as it always did: it must never keep one side in silence. */
function driver(program: Program | undefined): string {
  if (!program) return 'genrun lock merge %O %A %B'
  const [node, script] = [program.node, program.script].map(quoted)
  const text = 'git merge-file -L ours -L base -L theirs %A %O %B'
  return `if [ -x ${node} ] && [ -f ${script} ]; then ${node} ${script} lock merge %O %A %B; else ${text}; fi`
}

/** For a shell, and for git, which reads `%` itself. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
}
