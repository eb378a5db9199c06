import { expect, test } from 'vitest'
import { error, warning, withNotes } from '../../src/base/diagnostic.ts'
import { spanOf } from '../../src/base/source.ts'
import { annotations } from '../../src/reports/annotations.ts'
import { sarifLog } from '../../src/reports/sarif.ts'

const file = { name: 'tea pots/a,b.yaml', text: 'jobs:\n  "🫖x": bad\n' }
const at = spanOf(file, 14, 17)
const problems = [
  withNotes(error('bad-value', at, 'this is 100% wrong\n::error::not mine', 'write good'), [
    { message: 'first here', at: spanOf(file, 0, 4) },
  ]),
  warning('unused-var', spanOf(file, 0, 0), 'nothing reads it'),
]

test('a SARIF log has rules, places in code points, and related places', () => {
  const about = (code: string) => (code === 'bad-value' ? 'a value that cannot stand here' : undefined)
  expect(sarifLog(problems, '1.2.3', about)).toEqual({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        columnKind: 'unicodeCodePoints',
        tool: {
          driver: {
            name: 'genrun',
            version: '1.2.3',
            rules: [
              { id: 'bad-value', shortDescription: { text: 'a value that cannot stand here' } },
              { id: 'unused-var' },
            ],
          },
        },
        results: [
          {
            ruleId: 'bad-value',
            ruleIndex: 0,
            level: 'error',
            message: { text: 'this is 100% wrong\n::error::not mine (write good)' },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'tea%20pots/a%2Cb.yaml' },
                  region: { startLine: 2, startColumn: 8, endLine: 2, endColumn: 11 },
                },
              },
            ],
            relatedLocations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'tea%20pots/a%2Cb.yaml' },
                  region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 5 },
                },
                message: { text: 'first here' },
              },
            ],
          },
          {
            ruleId: 'unused-var',
            ruleIndex: 1,
            level: 'warning',
            message: { text: 'nothing reads it' },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'tea%20pots/a%2Cb.yaml' },
                  region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
                },
              },
            ],
          },
        ],
      },
    ],
  })
})

test('an annotation is one line, and nothing in it can begin another command', () => {
  expect(annotations(problems)).toBe(
    [
      '::error file=tea pots/a%2Cb.yaml,line=2,col=8,endLine=2,endColumn=11,title=bad-value::this is 100%25 wrong\\u{a}::error::not mine%0Awrite good',
      '::warning file=tea pots/a%2Cb.yaml,line=1,col=1,endLine=1,endColumn=1,title=unused-var::nothing reads it',
    ].join('\n'),
  )
})
