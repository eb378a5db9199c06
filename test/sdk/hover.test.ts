import { join } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Model, modelIds, models, type Param } from '../../src/catalog/index.ts'

const root = join(import.meta.dirname, '..', '..')
const file = join(root, 'test', 'sdk', 'hovered.ts')
const door = join(root, 'src', 'index.ts')

// Each model's parameters by name, as somebody writes them; what the language service says is what an editor shows.
const text = [
  "import type { ParamsOf } from '../../src/index.ts'",
  ...modelIds.flatMap((id, nth) => [
    `declare const m${nth}: ParamsOf<'${id}'>`,
    ...Object.keys(models[id].params).map(name => `m${nth}.${name}`),
  ]),
].join('\n')

const mistakes = join(root, 'test', 'sdk', 'mistakes.ts')

// One a line.
const calls = [
  "g.generate('famc-v3', { prompt: 'Tea', duration: 7 })",
  "g.generate('famc-v3', { prompt: 'Tea', aspectRatio: '16:10' })",
  "g.generate('famc-v3', { promt: 'Tea' })",
  "g.generate('famc-v3', { prompt: 'Tea', colour: 'red' })",
  "g.generate('famc-v3', {})",
  "g.generate('famc-v2-6', { prompt: 'Tea', cfgScale: '1' })",
  "g.generate('famc-v3', { prompt: 'Tea', elementList: [{ elementId: 'a' }] })",
  "g.generate('famc-v3', { prompt: 'Tea' }, { lok: 'art.lock.json' })",
  "own.generate('acme-paint', { prompt: 'Tea', size: new Date() })",
]
const wrong = [
  "import { createGenrun } from '../../src/index.ts'",
  "const g = createGenrun({ rehearse: true }), own = createGenrun({ rehearse: true, catalog: ['acme.yaml'] })",
  ...calls,
].join('\n')
const texts = new Map([
  [file, text],
  [mistakes, wrong],
])

let service: ts.LanguageService

beforeAll(() => {
  const config: unknown = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config
  const { options } = ts.parseJsonConfigFileContent({ ...(config as object), include: [] }, ts.sys, root)
  const textOf = (path: string) => texts.get(path) ?? ts.sys.readFile(path)
  service = ts.createLanguageService({
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
    // As most users have it.
    getCompilationSettings: () => ({ ...options, exactOptionalPropertyTypes: false }),
    getScriptFileNames: () => [file, mistakes, door],
    getScriptVersion: () => '1',
    getScriptSnapshot(path) {
      const said = textOf(path)
      return said === undefined ? undefined : ts.ScriptSnapshot.fromString(said)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: path => texts.has(path) || ts.sys.fileExists(path),
    readFile: textOf,
  })
}, 30_000)

function hover(id: string, name: string): string {
  const line = `m${modelIds.indexOf(id as never)}.`
  const at = text.indexOf(`\n${line}${name}`) + 1 + line.length
  return ts.displayPartsToString(service.getQuickInfoAtPosition(file, at)?.displayParts)
}

/** How the type of a parameter must begin or end, so that a person is told more than what may be written. */
function owed(param: Param): readonly string[] {
  switch (param.type) {
    case 'enum': {
      // Where there is one value only, it says all.
      if (param.default === undefined || param.values.length === 1) return []
      const standard = JSON.stringify(param.default)
      const labels = Object.entries(param.labels ?? {})
      if (labels.length === 0) return [`, ${standard}> | undefined`]
      return [`, ${standard}, {`, ...labels.map(([value, label]) => `${value}: ${JSON.stringify(label)};`)]
    }
    case 'boolean':
      return [`WithDefault<boolean, ${param.default}> | undefined`]
    case 'integer':
    case 'number':
      return [`Between<${param.minimum}, ${param.maximum}, ${param.step}, ${param.default}> | undefined`]
    case 'text':
    case 'file':
    case 'object[]':
      return []
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}

test.each(modelIds)('the hover over a parameter of %s tells its default and the labels of its values', id => {
  const model: Model = models[id]
  const silent = Object.entries(model.params).flatMap(([name, param]) => {
    // Names that are no words stand in quotes.
    const said = hover(id, name).replaceAll(/['"]([\w-]+)['"]: /g, '$1: ')
    return owed(param)
      .filter(each => !said.includes(each))
      .map(each => `${name}: ${each} is not in ${said}`)
  })
  expect(silent).toEqual([])
})

test('it reads like this', () => {
  expect(hover('famc-v3', 'duration')).toBe(
    '(property) duration?: WithDefault<8 | 3 | 5 | 10 | 12 | 15, 5> | undefined',
  )
  expect(hover('famc-v2-6', 'cfgScale')).toBe('(property) cfgScale?: Between<0, 1, 0.1, 0.5> | undefined')
  expect(hover('famc-v3', 'generateAudio')).toBe(
    '(property) generateAudio?: WithDefault<boolean, true> | undefined',
  )
  expect(hover('famc-v3', 'renderingSpeed').replaceAll(/\s+/g, ' ')).toBe(
    '(property) renderingSpeed?: Labelled<"std" | "pro" | "4k", "std", { readonly std: "Standard"; readonly pro: "Pro"; readonly \'4k\': "4K"; }> | undefined',
  )
})

test('what the compiler has against a call names the parameter, the model and what would be right', () => {
  const said = service
    .getSemanticDiagnostics(mistakes)
    .map(({ start = 0, messageText }) => [
      calls[wrong.slice(0, start).split('\n').length - 3],
      ts.flattenDiagnosticMessageText(messageText, '\n'),
    ])
  expect(said).toEqual([
    [calls[0], "Type '7' is not assignable to type 'WithDefault<8 | 3 | 5 | 10 | 12 | 15, 5> | undefined'."],
    [
      calls[1],
      `Type '"16:10"' is not assignable to type 'WithDefault<"16:9" | "9:16" | "1:1", "16:9"> | undefined'. Did you mean '"1:1"'?`,
    ],
    [
      calls[2],
      `Object literal may only specify known properties, but 'promt' does not exist in type 'ParamsOf<"famc-v3">'. Did you mean to write 'prompt'?`,
    ],
    [
      calls[3],
      `Object literal may only specify known properties, and 'colour' does not exist in type 'ParamsOf<"famc-v3">'.`,
    ],
    [
      calls[4],
      `Argument of type '{}' is not assignable to parameter of type 'ParamsOf<"famc-v3">'.\n  Property 'prompt' is missing in type '{}' but required in type 'ParamsOf<"famc-v3">'.`,
    ],
    [calls[5], "Type 'string' is not assignable to type 'Between<0, 1, 0.1, 0.5> | undefined'."],
    [
      calls[6],
      `Object literal may only specify known properties, but 'elementId' does not exist in type 'MembersOf<"element_id">'. Did you mean to write 'element_id'?`,
    ],
    [
      calls[7],
      "Object literal may only specify known properties, but 'lok' does not exist in type 'GenerateOptions'. Did you mean to write 'lock'?",
    ],
    [
      calls[8],
      "Type 'Date' is not assignable to type 'OwnValue | undefined'.\n  Type 'Date' is not assignable to type 'OwnParams'.\n    Index signature for type 'string' is missing in type 'Date'.",
    ],
  ])
})

describe('everything exported', () => {
  function exported(): ts.Symbol[] {
    const program = service.getProgram()
    const source = program?.getSourceFile(door)
    const symbol = source && program?.getTypeChecker().getSymbolAtLocation(source)
    return symbol ? (program?.getTypeChecker().getExportsOfModule(symbol) ?? []) : []
  }

  /** Through `export … from` to where it is declared. */
  function declared(symbol: ts.Symbol): ts.Symbol {
    const checker = service.getProgram()?.getTypeChecker()
    return symbol.flags & ts.SymbolFlags.Alias ? (checker?.getAliasedSymbol(symbol) ?? symbol) : symbol
  }

  function isSilent(symbol: ts.Symbol): boolean {
    const checker = service.getProgram()?.getTypeChecker()
    return symbol.getDocumentationComment(checker).length === 0
  }

  test('says what it is', () => {
    const all = exported()
    expect(all.length).toBeGreaterThan(40)
    expect(all.filter(each => isSilent(declared(each))).map(each => each.name)).toEqual([])
  })

  test('of the verbs and their options, each member does', () => {
    const names = ['Genrun', 'GenerateOptions', 'SaveOptions']
    const members = exported()
      .filter(each => names.includes(each.name))
      .flatMap(each => [...(declared(each).members?.values() ?? [])])
    expect(members.length).toBeGreaterThan(10)
    expect(members.filter(isSilent).map(each => each.name)).toEqual([])
  })
})
