import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { networkErrorText } from './network-error.ts'

/**
 * Opens a tunnel to a host through a proxy (RFC 9110, 9.3.6). Nothing of a request is in it yet, so trouble here is never
 * more than "not sent".
 */
export function openTunnel(
  proxy: URL,
  target: { readonly hostname: string; readonly port: number },
  {
    signal,
    secureContext,
  }: { readonly signal?: AbortSignal; readonly secureContext?: SecureContext | undefined } = {},
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const host = proxy.hostname.replace(/^\[|\]$/g, '')
    const isSecure = proxy.protocol === 'https:'
    const port = Number(proxy.port) || (isSecure ? 443 : 80)
    const socket = isSecure
      ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), secureContext })
      : connectTcp({ host, port })
    const fail = (detail: string) => {
      socket.destroy()
      reject(new Error(`the proxy ${proxy.host}: ${detail}`))
    }
    const abort = () => fail('it did not answer in time')
    let head = Buffer.alloc(0)
    const onData = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return head.byteLength > longestHead ? fail('its answer is too long') : undefined
      socket.off('data', onData).off('error', onError).off('close', onClose)
      signal?.removeEventListener('abort', abort)
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1]
      if (status === undefined || !status.startsWith('2')) return fail(`it answered ${status ?? 'no HTTP'}`)
      socket.pause()
      const rest = head.subarray(end + 4)
      if (rest.byteLength > 0) socket.unshift(rest)
      resolve(socket)
    }
    const onError = (error: Error) => (isReset(error) ? onClose() : fail(networkErrorText(error)))
    const onClose = () => fail('it closed the connection')
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort, { once: true })
    socket.on('data', onData).on('error', onError).on('close', onClose)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => socket.write(connectRequest(proxy, target)))
  })
}

/** Closed before it read what we sent: the same to a person, and a matter of chance which of the two we see. */
function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

const longestHead = 64 * 1024

function connectRequest(proxy: URL, { hostname, port }: { hostname: string; port: number }): string {
  const host = hostname.replace(/^\[|\]$/g, '')
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const who = Buffer.from(`${unescaped(proxy.username)}:${unescaped(proxy.password)}`).toString('base64')
  const authorization = proxy.username === '' ? '' : `proxy-authorization: Basic ${who}\r\n`
  return `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`
}

/** A password may hold a `%` that escapes nothing. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
