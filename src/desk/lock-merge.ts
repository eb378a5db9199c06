import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Merged, mergeLocks } from '../store/lock-merge.ts'

export type LockMergeResult =
  | Merged
  | { readonly got: 'trouble'; readonly message: string; readonly hint: string }

/** Merges the locks in three files, as git names them (`%O %A %B`), into the second. */
export function mergeLockFiles(files: readonly string[], cwd: string): LockMergeResult {
  const [base, ours, theirs] = files.map(file => resolve(cwd, file))
  if (base === undefined || ours === undefined || theirs === undefined || files.length !== 3) {
    const hint = 'git calls it with three: `genrun lock merge %O %A %B`; --install sets that up'
    return { got: 'trouble', message: 'three files are merged: base, ours and theirs', hint }
  }
  try {
    const [a, b, c] = [base, ours, theirs].map(file => readFileSync(file, 'utf8'))
    const merged = mergeLocks({ base: a ?? '', ours: b ?? '', theirs: c ?? '' })
    if (merged.got === 'merged') writeFileSync(ours, merged.text)
    return merged
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    return { got: 'trouble', message, hint: 'merge the lock by hand' }
  }
}

const attributes = '*.lock.json merge=genrun-lock'

/** Tells git, in this repository only, to merge locks by genrun. Returns what it did, in words. */
export function installLockMerge(
  cwd: string,
): { readonly did: readonly string[] } | { readonly message: string } {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    const top = git('rev-parse', '--show-toplevel').trim()
    git('config', 'merge.genrun-lock.name', 'genrun lock, merged job by job')
    git('config', 'merge.genrun-lock.driver', 'genrun lock merge %O %A %B')
    const file = join(top, '.gitattributes')
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (!text.split(/\r?\n/).includes(attributes))
      appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${attributes}\n`)
    return { did: [`git merges locks by genrun in ${top}`, `.gitattributes has ${attributes}`] }
  } catch (cause) {
    return { message: cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause) }
  }
}
