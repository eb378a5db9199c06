import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, onTestFinished } from 'vitest'
import { samples, wav } from '../media/samples.ts'
import type { Habit, Media, Said, Seen } from './services.ts'

let media: Omit<Media, 'link'>
beforeAll(async () => {
  const { png, mp4 } = await samples()
  media = { png, mp4, wav: wav(8000) }
})

/** A service of one habit. What is not as it wants it is refused with 422, and remembered. */
export async function serve(habit: Habit) {
  const seen: Seen[] = []
  const unwanted: Seen[] = []
  const counts = new Map<string, number>()
  let origin = ''
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding is set
    const { method = '', url: path = '', headers } = request
    const file = /^\/files\/\w+\.(png|mp4|wav)(\?|$)/.exec(path)?.[1] as keyof typeof media | undefined
    if (file) {
      response.end(media[file])
      return
    }
    const text = Buffer.concat(chunks).toString('latin1')
    const nth = (counts.get(`${method} ${path}`) ?? 0) + 1
    counts.set(`${method} ${path}`, nth)
    const json = text.startsWith('{') ? JSON.parse(text) : {}
    const one: Seen = { method, path, headers, text, json, nth }
    seen.push(one)
    const said: Said | undefined = habit.answer(one, { ...media, link: name => `${origin}/files/${name}` })
    if (!said) unwanted.push(one)
    const { status = 200, headers: more = {}, json: body, bytes } = said ?? { status: 422 }
    response.writeHead(status, more).end(bytes ?? (body === undefined ? '' : JSON.stringify(body)))
  }
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // not a pipe
  return { baseUrl: `${origin}/api/gw-v2`, seen, unwanted }
}

/** A folder with the manifest of the habit's jobs, and a picture. */
export function project(habit: Habit): string {
  const folder = mkdtempSync(join(tmpdir(), 'profiles-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'tea.yaml'), `jobs:\n${habit.jobs}`)
  writeFileSync(join(folder, 'in.png'), media.png)
  return folder
}
