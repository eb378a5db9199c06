import { lastWords } from './io/bug.ts'

await start()

/** The whole of a command, from its words to its exit code. */
async function start(): Promise<void> {
  const cwd = whereItBegins()
  const giveUp = (bug: unknown): never => {
    const { text, code } = lastWords(bug, process.env, cwd)
    process.stderr.write(`${text}\n`)
    process.exit(code)
  }
  process.on('uncaughtException', giveUp)
  try {
    const [{ main }, { flushed, leave, processSurroundings }] = await Promise.all([
      import('./main.ts'),
      import('./io/process.ts'),
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
