import { expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { exchange, type Sender } from '../../../src/wire/http/exchange.ts'

const request = { origin: 'http://127.0.0.1:1', path: '/', method: 'POST', headers: {} } as const
const control = { abort: () => {}, pause: () => {}, resume: () => {} }

/** What is read of four bytes behind which the connection closes with an error. */
async function readOf(headers: { readonly [name: string]: string }): Promise<string> {
  const sender: Sender = {
    dispatch(_, handler) {
      handler.onRequestStart(control)
      handler.onResponseStart(control, 200, headers)
      handler.onResponseData(control, Buffer.from('ab'))
      handler.onResponseData(control, Buffer.from('cd'))
      handler.onResponseError(control, new Error('other side closed'))
      return true
    },
  }
  const { body } = await exchange(sender, request, systemClock)
  let text = ''
  try {
    for await (const chunk of body) text += Buffer.from(chunk).toString()
    return text
  } catch (error) {
    return `${text}, ${String(error)}`
  }
}

test.each<[string, { readonly [name: string]: string }, string]>([
  ['all that was announced came', { 'content-length': '4' }, 'abcd'],
  ['more was announced', { 'content-length': '5' }, 'abcd, Error: other side closed'],
  ['nothing was announced', {}, 'abcd, Error: other side closed'],
  [
    'its chunks say where it ends',
    { 'content-length': '4', 'transfer-encoding': 'chunked' },
    'abcd, Error: other side closed',
  ],
])('of a connection that breaks, %s', async (_, headers, read) => {
  expect(await readOf(headers)).toBe(read)
})
