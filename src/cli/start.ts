import { lastWords } from './io/bug.ts'
import { manifestOfRun } from './io/run-line.ts'
import { lossOfStdout } from './io/sinks.ts'
import type { Surroundings } from './io/surroundings.ts'

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
    const [{ main }, { exposeCollector, flushed, leave, processSurroundings }] = await Promise.all([
      import('./main.ts'),
      import('./io/process.ts'),
    ])
    exposeCollector()
    const words = process.argv.slice(2)
    const around = processSurroundings()
    const code = await main(words, { ...around, ...(await heardBy(words, around)) })
    const loss = lossOfStdout()
    const told = loss === undefined ? code : await tellLost(loss, code, around)
    await flushed()
    leave(told)
  } catch (bug) {
    giveUp(bug)
  }
}

async function tellLost(loss: unknown, code: number, around: Surroundings): Promise<number> {
  const { tellLostStdout } = await import('./lost-stdout.ts')
  return tellLostStdout(loss, code, around)
}

/** Only of a run it is remembered what its words came to. */
async function heardBy(words: readonly string[], around: Surroundings): Promise<Pick<Surroundings, 'heard'>> {
  if (manifestOfRun(words) === undefined) return {}
  const { heardWords } = await import('./hear.ts')
  return { heard: heardWords(words, around) }
}

/** Empty in a folder that is gone already: there is no path to it either. */
function whereItBegins(): string {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}
