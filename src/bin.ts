#!/usr/bin/env node
import { version } from './cli/io/version.ts'

// Asked often and by machines: answered before anything else is loaded.
if (process.argv[2] === '--version' || process.argv[2] === '-V') process.stdout.write(`${version()}\n`)
else await start()

async function start(): Promise<void> {
  const { lastWords } = await import('./cli/io/bug.ts')
  const cwd = whereItBegins()
  const giveUp = (bug: unknown): never => {
    const { text, code } = lastWords(bug, process.env, cwd)
    process.stderr.write(`${text}\n`)
    process.exit(code)
  }
  process.on('uncaughtException', giveUp)
  try {
    const [{ main }, { flushed, leave, processSurroundings }] = await Promise.all([
      import('./cli/main.ts'),
      import('./cli/io/process.ts'),
    ])
    const code = await main(process.argv.slice(2), processSurroundings())
    await flushed()
    leave(code)
  } catch (bug) {
    giveUp(bug)
  }
}

/** Empty in a folder that is gone already: there is no path to it either. */
function whereItBegins(): string {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}
