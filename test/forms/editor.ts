import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What a document is, by the schema that its first line names. */
type Of = 'manifest' | 'profile' | 'catalog' | 'prices' | 'settings'

/** The editor server that people's editors run for YAML, over stdio, with one document open at a time: a manifest if nothing is said. */
export interface Editor {
  /** `|` is the cursor. Labels in the order that an editor shows them. */
  complete(text: string, of?: Of): Promise<readonly Completion[]>
  /** What a person sees over the cursor, as Markdown; empty for nothing. */
  hover(text: string, of?: Of): Promise<string>
  /** What is underlined: `3:13 message`, line and column counted from 1. */
  problems(text: string, of?: Of): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Completion {
  readonly label: string
  readonly insertText?: string
  readonly documentation?: string | { readonly value: string }
  readonly sortText?: string
  readonly kind?: number
}

interface Problem {
  readonly message: string
  readonly range: { readonly start: { readonly line: number; readonly character: number } }
}

const root = join(import.meta.dirname, '..', '..')
const server = join(
  createRequire(import.meta.url).resolve('yaml-language-server'),
  '../../../../bin/yaml-language-server',
)

export async function openEditor(): Promise<Editor> {
  const child = spawn(process.execPath, [server, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const rpc = connect(child)
  await rpc.ask('initialize', { processId: null, rootUri: pathToFileURL(root).href, capabilities })
  rpc.report('initialized', {})
  rpc.report('workspace/didChangeConfiguration', { settings })
  let count = 0

  function show(text: string, of: Of = 'manifest', at = text.indexOf('|')) {
    const head = `# yaml-language-server: $schema=${pathToFileURL(join(root, `schemas/${of}.schema.json`)).href}\n`
    const uri = pathToFileURL(join(root, `editor-${count++}.yaml`)).href
    const whole = head + (at < 0 ? text : text.slice(0, at) + text.slice(at + 1))
    rpc.report('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text: whole } })
    const before = (head + text.slice(0, Math.max(at, 0))).split('\n')
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
    return { uri, place: { textDocument: { uri }, position } }
  }

  return {
    async complete(text, of) {
      const { items } = (await rpc.ask('textDocument/completion', show(text, of).place)) as {
        items: Completion[]
      }
      return items.toSorted((a, b) => ((a.sortText ?? a.label) < (b.sortText ?? b.label) ? -1 : 1))
    },
    async hover(text, of) {
      const found = (await rpc.ask('textDocument/hover', show(text, of).place)) as {
        contents: { value: string }
      } | null
      return found?.contents.value ?? ''
    },
    async problems(text, of) {
      const { uri } = show(text, of, -1)
      const told = await rpc.told(uri)
      // The line of the schema stands above the text, so the server's count from 0 is ours from 1.
      return told.map(({ message, range }) => `${range.start.line}:${range.start.character + 1} ${message}`)
    },
    async close() {
      await rpc.ask('shutdown', null)
      rpc.report('exit', null)
      await new Promise(done => child.once('exit', done))
    },
  }
}

const capabilities = {
  textDocument: {
    completion: { completionItem: { documentationFormat: ['markdown'], snippetSupport: true } },
    hover: { contentFormat: ['markdown'] },
  },
}
// Without a store of schemas the server asks nobody.
const settings = {
  yaml: {
    schemaStore: { enable: false },
    completion: true,
    hover: true,
    validate: true,
    format: { enable: false },
  },
  http: {},
}

/** JSON-RPC as editors speak it: a header with the length, a blank line, the message. */
function connect(child: ChildProcess) {
  const answers = new Map<number, (result: unknown) => void>()
  const diagnostics = new Map<string, (problems: readonly Problem[]) => void>()
  let received = Buffer.alloc(0)
  let id = 0
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  child.stdout?.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    for (;;) {
      const end = received.indexOf('\r\n\r\n')
      const length = Number(
        /Content-Length: (\d+)/i.exec(received.subarray(0, Math.max(end, 0)).toString())?.[1],
      )
      if (end < 0 || received.length < end + 4 + length) return
      take(JSON.parse(received.subarray(end + 4, end + 4 + length).toString()))
      received = received.subarray(end + 4 + length)
    }
  })
  function take(message: { id?: number; method?: string; result?: unknown; params?: unknown }) {
    if (message.method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics: found } = message.params as { uri: string; diagnostics: readonly Problem[] }
      diagnostics.get(uri)?.(found)
    } else if (message.method === 'workspace/configuration') {
      const { items } = message.params as { items: { section: 'yaml' | 'http' }[] }
      send({ id: message.id, result: items.map(({ section }) => settings[section] ?? null) })
    } else if (message.method && message.id !== undefined) send({ id: message.id, result: null })
    else if (message.id !== undefined) answers.get(message.id)?.(message.result)
  }
  return {
    report: (method: string, params: unknown) => send({ method, params }),
    ask: (method: string, params: unknown) =>
      new Promise<unknown>(answer => {
        answers.set(++id, answer)
        send({ id, method, params })
      }),
    told: (uri: string) => new Promise<readonly Problem[]>(told => diagnostics.set(uri, told)),
  }
}
