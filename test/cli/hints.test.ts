import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { readArgs } from '../../src/cli/parser/read-args.ts'
import { shellWords } from '../../src/text/shell.ts'
import { shellWord } from '../../src/text/shell-word.ts'
import { commandOn, resultCommand } from '../../src/wording/command.ts'

/** What the command line makes of a text that a user pastes into a shell. */
function pasted(text: string) {
  const [words = []] = shellWords({ name: 'hint', text })
  const [program, ...argv] = words.map(word => word.text)
  expect(program).toBe('genrun')
  return readArgs(argv, path => path.endsWith('.yaml'))
}

describe('a command in a hint', () => {
  const atWork = { manifest: 'tea pots.yaml', cwd: '/home/tea' }

  test.each([
    [commandOn(atWork, 'pick', "hero'[a,b]#2"), `genrun pick 'tea pots.yaml' 'hero'\\''[a,b]#2'`],
    [commandOn({ ...atWork, manifest: '/home/tea/m.yaml' }, 'accept', '*'), `genrun accept m.yaml '*'`],
    [commandOn({ ...atWork, rehearsal: true }, 'prune'), `genrun prune 'tea pots.yaml' --local`],
    [commandOn({ ...atWork, output: '/home/tea' }, 'redo', 'a'), `genrun redo 'tea pots.yaml' a -o .`],
    [commandOn({ ...atWork, output: '/home/o' }, 'plan'), `genrun plan 'tea pots.yaml' --output-folder ../o`],
    [commandOn({ ...atWork, rehearsal: true }, 'status'), `genrun status 'tea pots.yaml' --local`],
    [resultCommand({ cwd: '/home/tea', output: '/home/tea' }), 'genrun result'],
    [resultCommand({ cwd: '/home', output: '/home/a b' }, '--forget'), `genrun result --forget -o 'a b'`],
  ])('is %s, and can be pasted', (said, selection) => {
    expect(said).toBe(selection)
    expect(pasted(said)).not.toMatchObject({ do: 'misused' })
  })

  test('of a shard merges it first, where the verb knows no shards', () => {
    const ofShard = { ...atWork, manifest: 'm.yaml', shard: { nth: 3, of: 16 } }
    expect(commandOn(ofShard, 'status')).toBe('genrun merge m.yaml && genrun status m.yaml')
    expect(commandOn({ ...ofShard, rehearsal: true, output: '/home/o' }, 'accept', '*')).toBe(
      "genrun merge m.yaml --local -o ../o && genrun accept m.yaml '*' --local -o ../o",
    )
    const plan = commandOn(ofShard, 'plan', '--rebuy')
    expect(plan).toBe('genrun plan m.yaml --rebuy --shard 3/16')
    expect(pasted(plan)).not.toMatchObject({ do: 'misused' })
  })

  test.each(['hero', 'a b', "it's", '$HOME `x` "y" \\', 'still[*,front]', '', '!no', '~', 'ä'])(
    'names %j so that a shell takes it for one word',
    word => {
      expect(shellWords({ name: '', text: shellWord(word) })[0]?.map(each => each.text)).toEqual([word])
    },
  )
})

/** The texts in a module, `x.yaml` for what is put into them. */
function textsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text)
    if (ts.isTemplateExpression(node))
      found.push([node.head.text, ...node.templateSpans.map(span => `x.yaml${span.literal.text}`)].join(''))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Help screens and the guide speak of commands by name. */
const byName = /cli\/(declared\/[\w-]+|flags\/guide|parser\/help)\.ts$/

const src = join(import.meta.dirname, '../../src')
const hints = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts') && !byName.test(path))
  .flatMap(path =>
    textsOf(join(src, path)).flatMap(text =>
      [...text.matchAll(/`(genrun( [^`]*)?)`/g)].map(([, command = '']) => ({ path, command })),
    ),
  )

test('many texts name a command', () => {
  expect(hints.length).toBeGreaterThan(30)
})

test.each(hints)('$path says `$command`, which can be pasted', ({ command }) => {
  expect(command).not.toMatch(/[<>…]/)
  expect(pasted(command)).not.toMatchObject({ do: 'misused' })
})
