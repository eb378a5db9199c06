import { spawn } from 'node:child_process'
import type { Env } from './surroundings.ts'

/** The program that shows a file as a double click would. The path is an argument of its own: no shell reads it. */
export function openerOf(platform: NodeJS.Platform): readonly [program: string, ...first: string[]] {
  switch (platform) {
    case 'darwin':
      return ['open']
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler']
    default:
      return ['xdg-open']
  }
}

/** Shows a file with the program of the system, without waiting for it to be closed. Why it cannot be, if it cannot. */
export function openFile(path: string, env: Env): Promise<string | undefined> {
  const [program, ...first] = openerOf(process.platform)
  return new Promise(resolve => {
    const child = spawn(program, [...first, path], { detached: true, stdio: 'ignore', env: { ...env } })
    child.once('error', cause => resolve(`${path} cannot be shown: ${program}: ${reasonOf(cause)}`))
    child.once('spawn', () => {
      child.unref()
      resolve(undefined)
    })
  })
}

function reasonOf(cause: Error): string {
  return 'code' in cause && cause.code === 'ENOENT' ? 'there is no such program' : cause.message
}
