import { expect, test } from 'vitest'
import { serveCommand } from '../../../src/cli/declared/serve.ts'
import { faultWords, readRules } from '../../../src/gateway/faults/fault-words.ts'
import { type FaultRule, homes } from '../../../src/gateway/faults/faults.ts'

test.each<[string, FaultRule[]]>([
  ['', []],
  ['lose', [{ fault: { does: 'lose' } }]],
  ['refuse', [{ fault: { does: 'refuse', status: 503 } }]],
  [
    'refuse=429 retry-after=2.5 first=1',
    [{ fault: { does: 'refuse', status: 429, retryAfterSeconds: 2.5 }, first: 1 }],
  ],
  ['refuse=404 on=result tries=2', [{ fault: { does: 'refuse', status: 404 }, on: ['result'], tries: 2 }]],
  ['spoil=500 chance=0.1', [{ fault: { does: 'spoil', status: 500 }, chance: 0.1 }]],
  ['delay=300', [{ fault: { does: 'delay', ms: { from: 300, to: 300 } } }]],
  [
    'delay=200..800 on=submit|result',
    [{ fault: { does: 'delay', ms: { from: 200, to: 800 } }, on: ['submit', 'result'] }],
  ],
  ['delay=~300', [{ fault: { does: 'delay', ms: { mean: 300 } } }]],
  [
    'cut=0.25, drip=1024',
    [{ fault: { does: 'cut', at: 0.25 } }, { fault: { does: 'drip', bytesPerSecond: 1024 } }],
  ],
  ['html', [{ fault: { does: 'html', type: 'text/html' } }]],
  ['html=video/mp4 model=famc-*', [{ fault: { does: 'html', type: 'video/mp4' }, model: 'famc-*' }]],
  ['short=2', [{ fault: { does: 'short', missing: 2 } }]],
])('%s', (text, rules) => {
  expect(readRules(text)).toEqual({ rules })
})

test.each<[string, string]>([
  ['refused=429', 'refused is no fault (did you mean refuse?)'],
  ['refuse=4290', 'refuse=4290 cannot be read; it is written refuse=429 retry-after=2'],
  ['refuse=429 retry-after=soon', 'refuse=429 cannot be read; it is written refuse=429 retry-after=2'],
  ['delay=800..200', 'delay=800..200 cannot be read; it is written delay=300, delay=200..800, delay=~300'],
  ['cut=1.5', 'cut=1.5 cannot be read; it is written cut=0.5'],
  ['lose=1', 'lose=1 cannot be read; it is written lose'],
  ['lose fist=1', 'fist is no option (did you mean first?)'],
  ['lose chance=2', 'chance=2 is not a number that fits'],
  ['cut on=download', 'download is no kind of request (known are execute, submit, result and file)'],
  ['fail on=result', 'fail is only for execute and submit'],
])('%s is not read', (text, problem) => {
  expect(readRules(text)).toEqual({ problem })
})

test('every fault has a word, and the form it is shown in can be read', () => {
  expect(faultWords.map(({ does }) => does).toSorted()).toEqual(Object.keys(homes).toSorted())
  for (const { form, does } of faultWords) {
    expect(readRules(form)).toEqual({
      rules: expect.arrayContaining([{ fault: expect.objectContaining({ does }) }]),
    })
  }
})

test('the help of serve tells every fault, in words that can be read', () => {
  const forms = (serveCommand.notes ?? []).flatMap(line => /^ {2}(\S+) {2,}\S/.exec(line)?.[1] ?? [])
  expect(forms.map(form => form.split('=')[0])).toEqual(faultWords.map(({ does }) => does))
  for (const form of forms) expect(readRules(form)).toHaveProperty('rules')
})
