import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { shellWords } from '../../src/text/shell.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'

/** What a line printed, in the order in which it came, and how it ended. */
interface Said {
  readonly text: string
  readonly code: number
}

/**
 * A shell for the lines of a page: genrun runs in this process, or as `program` has it, everything else in `sh`. It keeps what was
 * exported, and what runs in the background until it is closed.
 */
export class Shell {
  readonly #folder: string
  readonly #program: typeof main
  readonly #env: { [name: string]: string } = {}
  readonly #background: { readonly stop: () => void; readonly ended: Promise<void> }[] = []
  #served: string | undefined
  #code = 0

  constructor(folder: string, home: string, program = main) {
    this.#folder = folder
    this.#program = program
    this.#env.HOME = home
    this.#env.PATH = process.env.PATH ?? ''
  }

  async run(line: string): Promise<Said> {
    const said = await this.#run(line)
    this.#code = said.code
    return said
  }

  async close(): Promise<void> {
    for (const { stop } of this.#background) stop()
    await Promise.all(this.#background.map(({ ended }) => ended))
  }

  #run(line: string): Promise<Said> | Said {
    if (line === 'echo $?') return { text: `${this.#code}\n`, code: 0 }
    const exported = /^export (\w+)=(\S*)$/.exec(line)
    if (exported) return this.#export(exported[1] ?? '', exported[2] ?? '')
    const [, before = '', rest] = /^((?:\w+=\S+ )*)(?:npx )?genrun (.*)$/.exec(line) ?? []
    return rest === undefined ? this.#sh(line) : this.#genrun(rest, before)
  }

  /** The port of a page is taken or free as it happens: what is served in the background stands for it. */
  #export(name: string, value: string): Said {
    this.#env[name] = this.#served === undefined ? value : value.replace(':4040', `:${this.#served}`)
    return { text: '', code: 0 }
  }

  async #genrun(rest: string, before: string): Promise<Said> {
    const [, line = '', toFile, background] = /^(.*?)(?: > (\S+))?( &)?$/.exec(rest) ?? []
    const [words = []] = shellWords({ name: 'line', text: line })
    const set = Object.fromEntries(before.split(' ').flatMap(each => (each ? [each.split('=')] : [])))
    const both = fakeSink()
    const around = fakeSurroundings({
      cwd: this.#folder,
      env: { ...this.#env, ...set },
      clock: systemClock,
      stderr: both,
      stdout: toFile === undefined ? both : fakeSink(),
    })
    const argv = words.map(word => word.text)
    if (background) return this.#serve([...argv, '--port', '0'], around)
    const code = await this.#program(argv, around)
    if (toFile !== undefined) writeFileSync(join(this.#folder, toFile), around.stdout.text())
    return { text: both.text(), code }
  }

  async #serve(argv: readonly string[], around: ReturnType<typeof fakeSurroundings>): Promise<Said> {
    let code: number | undefined
    const ended = this.#program(argv, around).then(last => {
      code = last
    })
    this.#background.push({ stop: () => around.send('SIGINT'), ended })
    this.#served = undefined
    while (code === undefined && this.#served === undefined) {
      await new Promise(resolve => setTimeout(resolve, 5))
      this.#served = /:(\d+)\/gw-v2/.exec(around.stdout.text())?.[1]
    }
    return code === undefined ? { text: '', code: 0 } : { text: around.stderr.text(), code }
  }

  #sh(line: string): Promise<Said> {
    return new Promise(done => {
      const child = spawn('sh', ['-c', `exec 2>&1; ${line}`], { cwd: this.#folder, env: this.#env })
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      child.on('close', code => done({ text, code: code ?? 1 }))
    })
  }
}
