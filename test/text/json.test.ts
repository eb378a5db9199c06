import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { Lexer } from 'yaml'
import { problemRecord } from '../../src/base/diagnostic.ts'
import { checkManifest } from '../../src/manifest/check.ts'
import { readRows } from '../../src/manifest/expand/rows.ts'
import { nodeAt, type TextNode, toJson } from '../../src/text/tree.ts'
import { readYaml } from '../../src/text/yaml.ts'
import fc from '../cases.ts'
import { sampleProject } from '../manifest/project.ts'

const folder = join(import.meta.dirname, '..', 'golden', 'problems')

/** Every manifest with a golden file that can be read, as JSON. */
const manifests = readdirSync(folder).flatMap((name): [string, string][] => {
  if (!/\.(yaml|json)$/.test(name)) return []
  const { value } = readYaml({ name, text: readFileSync(join(folder, name), 'utf8') })
  return value ? [[name, JSON.stringify(toJson(value), null, 2)]] : []
})

/** The same to YAML at the same places, and no JSON. */
const asYaml = (text: string) => `${text}\n# not JSON`

function read(text: string) {
  return readYaml({ name: 'm.json', text })
}

/** Everything about a tree: where each node stands and what it is. */
function seen(node: TextNode): unknown {
  const place = [node.kind, node.start, node.end]
  if (node.kind === 'scalar') return [...place, node.value, node.source, node.style]
  if (node.kind === 'list') return [...place, ...node.items.map(seen)]
  return [...place, ...node.entries.map(({ key, value }) => [seen(key), seen(value)])]
}

describe('JSON is read as YAML is', () => {
  test.each(manifests)('%s has the same problems at the same places', (_, text) => {
    const told = (source: string) =>
      checkManifest({ name: 'm.json', text: source }, sampleProject).problems.map(problemRecord)
    expect(told(text)).toEqual(told(asYaml(text)))
  })

  test('any JSON has the same tree, values and places', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space)
        const [mine, others] = [read(text), read(asYaml(text))]
        expect(mine.problems.map(problemRecord)).toEqual(others.problems.map(problemRecord))
        expect(mine.value && seen(mine.value)).toEqual(others.value && seen(others.value))
      }),
    )
  })

  test.each([
    ['a key twice', '{"a": 1, "b": {"c": "\\"", "c": 2}}', 'duplicate-key', '"c"', 26],
    ['a dangerous key', '{"a": {"__proto__": 1}}', 'bad-key', '"__proto__"', 7],
    ['a key that is empty', '{"a": {"": 1}}', 'bad-key', '""', 7],
    ['a number that loses digits', '{"a": [1, 9007199254740993]}', 'bad-number', '9007199254740993', 10],
    ['a number without end', '{"a": 1e999}', 'bad-number', '1e999', 6],
    ['a template of another tool', '{"b": "é", "a": "x {{ b }}"}', 'foreign-template', '{{ b }}', 19],
  ])('%s is told at its place', (_, text, code, source, start) => {
    const [problem] = read(text).problems
    expect(problem?.code).toBe(code)
    expect(problem?.at.start).toBe(start)
    expect(problem && text.slice(problem.at.start, problem.at.end)).toBe(source)
  })

  test('keys that are numbers stay in their order', () => {
    const { value } = read('{"b": 1, "10": 2, "9": 3}')
    expect(value?.kind === 'map' && value.entries.map(({ key }) => key.source)).toEqual(['b', '10', '9'])
  })

  test('a number keeps the digits that were written', () => {
    const { value } = read('{"version": 1.10}')
    expect(value && nodeAt(value, ['version'])).toMatchObject({ value: 1.1, source: '1.10' })
  })

  test('64 levels pass, 65 do not', () => {
    expect(read(`${'['.repeat(64)}${']'.repeat(64)}`).problems).toEqual([])
    expect(read(`${'['.repeat(65)}${']'.repeat(65)}`).problems.map(({ code }) => code)).toEqual(['too-deep'])
  })
})

describe('places in JSON', () => {
  const text = '{ "jobs": { "hero": { "model": "famc-v3", "tags": ["a", "b"] } } }'

  test('are looked for when something points, and once', () => {
    const lex = vi.spyOn(Lexer.prototype, 'lex')
    const { value } = read(text)
    expect(value && toJson(value)).toEqual(JSON.parse(text))
    expect(lex).not.toHaveBeenCalled()
    const tag = value && nodeAt(value, ['jobs', 'hero', 'tags', 1])
    expect(tag && text.slice(tag.start, tag.end)).toBe('"b"')
    expect(value?.end).toBe(text.length)
    expect(lex).toHaveBeenCalledTimes(1)
    lex.mockRestore()
  })

  test('are looked for in no manifest that is right', () => {
    const lex = vi.spyOn(Lexer.prototype, 'lex')
    const job = { model: 'famc-v3', prompt: 'A teapot', duration: 5, generateAudio: false, tags: ['shop'] }
    const cells = {
      ...job,
      matrix: { nth: [1, 2.5], view: ['front', 'back'] },
      prompt: "Teapot ${{ matrix.nth }}, ${{ matrix['view'] }}",
      negativePrompt: '${{ matrix.view }}',
      output: '${{ job.key }}',
    }
    const jobs = { hero: { ...job, output: 'a' }, second: { ...job, prompt: 'Another', output: 'b' }, cells }
    const { problems, value } = checkManifest(
      { name: 'm.json', text: JSON.stringify({ jobs }) },
      sampleProject,
    )
    expect(problems).toEqual([])
    expect(value?.jobs.at(-1)).toMatchObject({
      address: 'cells[2.5,back]',
      params: { prompt: 'Teapot 2.5, back', negativePrompt: 'back' },
    })
    expect(lex).not.toHaveBeenCalled()
    lex.mockRestore()
  })

  test.each(['\n', '\r\n'])('of a line that ends with %j are places in its file', end => {
    const written = ['{"id": 1}', '', '{"id": 2, "colour": "red"}', '{id: 3}', '{"id": 4, "id": 5}', '']
    const lines = written.join(end)
    const { rows, problems } = readRows({ name: 'rows.jsonl', text: lines }, 'jsonl')
    const sources = rows.map(row => lines.slice(row.start, row.end))
    expect(sources).toEqual(['{"id": 1}', '{"id": 2, "colour": "red"}', '{id: 3}'])
    expect(problems.map(problemRecord)).toMatchObject([{ code: 'duplicate-key', line: 5, column: 11 }])
  })

  test('rows are what is written on their lines, in whatever order they are asked', () => {
    const lines = ['{"id": 1.10, "note": "9 \\"10\\""}', ' {"id": -2e3, "list": [3.0, {"a": 4}]}']
    const text = lines.join('\n')
    const { rows } = readRows({ name: 'rows.jsonl', text }, 'jsonl')
    const [first, second] = rows.map(row => row as TextNode)
    if (!first || !second) throw new Error('two rows were written')
    const asked = [second, first, first, second].map(seen)
    const [yaml] = [readYaml({ name: 'rows.yaml', text: `- ${lines[0]}\n- ${lines[1]}\n` }).value]
    if (yaml?.kind !== 'list') throw new Error('a list was written')
    const values = (tree: unknown) => JSON.stringify(tree).replaceAll(/"(map|list|scalar)",\d+,\d+/g, '"$1"')
    expect([asked[1], asked[0]].map(values)).toEqual(yaml.items.map(item => values(seen(item))))
    expect([asked[2], asked[3]]).toEqual([asked[1], asked[0]])
    const sources =
      second.kind === 'map' ? second.entries.map(({ value }) => text.slice(value.start, value.end)) : []
    expect(sources).toEqual(['-2e3', '[3.0, {"a": 4}]'])
  })
})
