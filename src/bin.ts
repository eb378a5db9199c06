#!/usr/bin/env node
import { version } from './cli/io/version.ts'

// Asked often and by machines: answered before anything else is loaded.
if (process.argv[2] === '--version' || process.argv[2] === '-V') process.stdout.write(`${version()}\n`)
else await start()

async function start(): Promise<void> {
  const { bugExit, bugText } = await import('./cli/io/bug.ts')
  const giveUp = (bug: unknown): never => {
    process.stderr.write(`${bugText(bug, process.env)}\n`)
    process.exit(bugExit)
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
