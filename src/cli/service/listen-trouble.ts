import type { Trouble } from './service.ts'

/** Why a server did not start, in the user's words; what the system did not say is a bug. */
export function startTrouble(cause: unknown): Trouble {
  if (!(cause instanceof Error && 'code' in cause)) throw cause
  const { code, address, port, path } = cause as NodeJS.ErrnoException & { address?: string; port?: number }
  const place = [address, port].filter(part => part !== undefined).join(':')
  if (path !== undefined)
    return { code: 'bad-outputs', message: `${path} cannot be used for outputs: ${code}` }
  switch (code) {
    case 'EADDRINUSE':
      return {
        code: 'port-taken',
        message: `${place} is taken by another program`,
        hint: '--port 0 takes a free port',
      }
    case 'EACCES':
      return {
        code: 'port-denied',
        message: `${place} may not be used`,
        hint: 'ports from 1024 on need no special rights',
      }
    default:
      return { code: 'no-listening', message: `${place || 'this address'} cannot be listened on: ${code}` }
  }
}
