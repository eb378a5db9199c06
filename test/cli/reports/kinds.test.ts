import { expect, test } from 'vitest'
import { isOfKind, kindWords, type ReportKind } from '../../../src/cli/reports/kinds.ts'

// What genrun writes itself is known again in file.test.ts.
const others: { readonly [Kind in ReportKind]: readonly string[] } = {
  junit: [
    '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="unit" tests="2" failures="0">',
    '<testsuites name="unit" tests="2" failures="0" errors="0" time="1">',
    '<?xml version="1.0" encoding="UTF-8"?>\n<project name="unit">',
  ],
  sarif: [
    '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}}}]}',
    '{"version":"2.1.0","name":"genrun"}',
  ],
  summary: [
    '### Notes\n\n**bold**\n',
    '### ✅ Done\n\nas a person writes\n',
    '# ✅ tea\n',
    'text\n### ✅ tea\n',
  ],
  events: [
    '{"at":"2030-01-01T00:00:00.000Z","event":"begin","manifest":"m.yaml"}',
    '{"event":"begin","format":1}',
    '[]',
  ],
  plan: ['{"genrun":2,"jobs":[]}', '{"genrunReview":1}', '[{"genrunPlan":2}]'],
}

const kinds = Object.keys(kindWords) as ReportKind[] // its own keys

test.each(kinds)('what others wrote is no report of genrun: %s', kind => {
  for (const text of ['hello', '\n', '{}', ...others[kind]])
    expect([text, isOfKind(kind, text)]).toEqual([text, false])
})

test('a report that git gave the ends of lines of another system is one still', () => {
  expect(isOfKind('summary', '### ❌ tea\r\n\r\n* **error** `tea.yaml:2:1` no\r\n')).toBe(true)
  expect(isOfKind('plan', '{\r\n  "genrunPlan": 2,\r\n')).toBe(true)
})
