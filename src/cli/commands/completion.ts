import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { nearest, offered } from '../../base/nearest.ts'
import { builtIn } from '../../catalog/model-set.ts'
import { shellWords } from '../../text/shell.ts'
import { explainedWords } from '../../verbs/explain.ts'
import { checkFile } from '../../workspace/read/check.ts'
import { openModelSet } from '../../workspace/read/model-set.ts'
import { type Candidate, candidates, shells } from '../completion/candidates.ts'
import { scripts } from '../completion/scripts.ts'
import type { Usage } from '../flags/command.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { troubleText } from '../words/problems.ts'

/** `genrun completion bash`: the script is the result. */
export function showCompletion({ shell }: { readonly shell: string }, out: Out): number {
  const known = shells.find(each => each === shell)
  if (known) {
    out.result(scripts[known])
    return exit.ok
  }
  const near = nearest(shell, shells)
  const hint = near ? `did you mean ${near}?` : offered(shells)
  out.talk(troubleText({ code: 'usage', message: `there is no completion for ${shell}`, hint }, out.paint))
  return exit.refused
}

interface CompleteArgs extends Given<'catalog'> {
  /** The shell, and what was typed behind `genrun`; the last word is the one that is not finished. */
  readonly words: readonly string[]
  readonly commands: readonly Usage[]
}

/** `genrun __complete <shell> words…`: one candidate a line, in the shell's own form. Whatever is wrong, it is quiet. */
export function complete(
  { words: [shell = '', ...given], catalog, commands }: CompleteArgs,
  around: Surroundings,
  out: Out,
): number {
  const words = shell === 'bash' ? wordsOf(given[0] ?? '') : given
  const { cwd } = around
  const files = [...catalog, ...namedFiles(words)]
  const found = candidates(words, {
    commands,
    jobs: manifest => jobsOf(manifest, cwd, files),
    modelSet: openModelSet(files, cwd).value ?? builtIn,
    codes: explainedWords,
  })
  if (found.length > 0) out.result(found.map(each => lineFor(shell, each, words.at(-1) ?? '')).join('\n'))
  return exit.ok
}

/** The words of a line behind the program's name; the last is not finished. */
function wordsOf(line: string): string[] {
  const words = shellWords({ name: 'line', text: line }).flat()
  const last = words.at(-1)
  const isOpen = last !== undefined && last.end === line.length
  return [...words.slice(1).map(({ text }) => text), ...(isOpen && words.length > 1 ? [] : [''])]
}

function lineFor(shell: string, { word, says }: Candidate, current: string): string {
  const shown = display(word, Number.POSITIVE_INFINITY)
  switch (shell) {
    case 'bash':
      // It puts the word behind the last sign at which it broke the one that is typed.
      return shown.slice(Math.max(current.lastIndexOf(':'), current.lastIndexOf('=')) + 1)
    case 'zsh':
      return `${shown.replaceAll(':', '\\:')}${says && `:${says}`}`
    default:
      // The script makes a tab of the gap: no control character passes stdout.
      return says ? `${shown}  ${says}` : shown
  }
}

/** Files of models that the line itself names; the last word is not finished. */
function namedFiles(words: readonly string[]): string[] {
  return words.slice(0, -1).flatMap((word, nth, all) => {
    if (word.startsWith('--catalog=')) return word.slice('--catalog='.length)
    return all[nth - 1] === '--catalog' ? word : []
  })
}

const mostJobs = 500

/** Ids first: they stand for all their cells. A manifest with mistakes has none. */
function jobsOf(manifest: string, cwd: string, catalog: readonly string[]): string[] {
  const addresses =
    checkFile(manifest, cwd, { catalog, isForShow: true }).manifest?.jobs.map(job => String(job.address)) ??
    []
  const ids = addresses.map(address => address.replace(/[[#].*$/s, ''))
  return [...new Set([...ids, ...addresses])].slice(0, mostJobs)
}
