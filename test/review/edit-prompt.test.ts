import { describe, expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import { editPrompt } from '../../src/review/edit-prompt.ts'
import { withScalar } from '../../src/text/compose.ts'
import { closeBench, manifestName, openBench } from '../verbs/bench.ts'

const head = 'jobs:\n  hero:\n    model: fama-imagine-image # the cheap one\n'

async function edited(text: string, prompt: string, { was = 'A teapot', address = 'hero', more = {} } = {}) {
  const bench = openBench({ baseUrl: 'http://127.0.0.1:1/gw-v2', key: 'a-long-key-9' })
  bench.write(manifestName, text)
  for (const [name, contents] of Object.entries<string>(more)) bench.write(name, contents)
  const { manifest, cwd, service } = bench.request()
  const result = await editPrompt({ manifest, cwd, service }, { address: jobAddress(address), was, prompt })
  const after = bench.read(manifestName)
  closeBench(bench)
  return result.got === 'edited' ? after : { why: result.why, isAsItWas: after === text }
}

describe('an edited prompt', () => {
  test.each([
    [
      'plain',
      `${head}    prompt: A teapot  # of clay\n    takes: 2\n`,
      'A cup',
      'prompt: A cup  # of clay\n    takes: 2',
    ],
    [
      'plain that needs quotes',
      `${head}    prompt: A teapot # x\n`,
      'A cup: #1',
      'prompt: "A cup: #1" # x\n',
    ],
    ...[
      'true',
      '123',
      'null',
      '~',
      '1e3',
      '# x',
      '- x',
      '*x',
      '&x y',
      '!x y',
      '[x',
      '"x" y',
      'x #y',
      '\u{1F375} x: y',
    ].map((word): [string, string, string, string] => [
      `plain that would be something else, ${word}`,
      `${head}    prompt: A teapot # x\n`,
      word,
      `prompt: ${JSON.stringify(word)} # x\n`,
    ]),
    ['in quotes', `${head}    prompt: 'A teapot'\n`, "A king's cup", "prompt: 'A king''s cup'\n"],
    [
      'of several lines',
      `${head}    prompt: A teapot\n    takes: 2\n`,
      'A cup,\nblue',
      'prompt: |-\n      A cup,\n      blue\n    takes: 2',
    ],
    [
      'a block',
      `${head}    prompt: |-\n      A teapot\n    # next\n    takes: 2\n`,
      'A cup,\nred',
      'prompt: |-\n      A cup,\n      red\n    # next\n',
    ],
    [
      'in a flow',
      'jobs: { hero: { model: fama-imagine-image, prompt: A teapot } } # x\n',
      'A, b',
      'prompt: "A, b" } } # x\n',
    ],
    [
      'JSON',
      '{"jobs":{"hero":{"model":"fama-imagine-image","prompt":"A teapot"}}}\n',
      'A "cup"\nb',
      '"prompt":"A \\"cup\\"\\nb"}}}\n',
    ],
    [
      'with Windows line ends',
      `${head}    prompt: A teapot\n    takes: 2\n`.replaceAll('\n', '\r\n'),
      'A cup',
      'prompt: A cup\r\n    takes: 2\r\n',
    ],
  ])('is one change of the text: %s', async (_, text, prompt, expected) => {
    const after = await edited(text, prompt)
    expect(after).toContain(expected)
    const [cut] = text.split('prompt')
    expect(after).toMatch(new RegExp(`^${String(cut).replaceAll(/[{}()|]/g, '\\$&')}`))
  })

  test.each([
    ['plain', `${head}    prompt: A teapot  # of clay\n    takes: 2\n`],
    ['at the end', `${head}    prompt: A teapot\n`],
    ['in quotes', `${head}    prompt: "A teapot"\n    takes: 2\n`],
    ['a block', `${head}    prompt: |-\n      A teapot\n    # next\n    takes: 2\n`],
    ['in a flow', 'jobs: { hero: { model: fama-imagine-image, prompt: A teapot } } # x\n'],
  ])('has the line ends of its manifest, and no other: %s', async (_, text) => {
    const windows = (lines: string) => lines.replaceAll('\n', '\r\n')
    for (const prompt of ['A cup,\nred\n\nand blue', 'A cup'])
      expect(await edited(windows(text), prompt)).toBe(windows(String(await edited(text, prompt))))
  })

  test.each([
    [
      'in a template',
      `vars: { pot: teapot }\n${head}    prompt: A \${{ vars.pot }}\n`,
      {},
      'its prompt is made from vars.pot (m.yaml:1): edit it there, or the text that it stands in, at m.yaml:5',
    ],
    [
      'of several axes',
      `vars: { pot: teapot }\n${head}    matrix:\n      colour: [red, blue]\n      place: [snow, slate]\n    prompt: A \${{ matrix.colour }} \${{ vars.pot }} on \${{ matrix.place }}, \${{ matrix.colour }}\n`,
      { address: 'hero[red,snow]', was: 'A red teapot on snow, red' },
      'its prompt is made from matrix.colour (m.yaml:6), vars.pot (m.yaml:1) and matrix.place (m.yaml:7): edit them there, or the text that they stand in, at m.yaml:8',
    ],
    [
      'of an include',
      'include: [more.yaml]\n',
      { more: { 'more.yaml': `${head}    prompt: A teapot\n` } },
      'its prompt stands in more.yaml:4',
    ],
    [
      'of several jobs',
      `${head}    prompt: &pot A teapot\n  other: { model: fama-imagine-image, prompt: *pot }\n`,
      {},
      'it is the prompt of other as well: edit it in the manifest, at m.yaml:4',
    ],
    [
      'of a merge key',
      `x-pot: &pot\n  prompt: A teapot\n  model: fama-imagine-image\njobs:\n  hero:\n    <<: *pot\n  other:\n    <<: *pot\n`,
      {},
      'it is the prompt of other as well: edit it in the manifest, at m.yaml:2',
    ],
    [
      'of several cells',
      `${head}    matrix: { n: [1, 2] }\n    count: \${{ matrix.n }}\n    prompt: A teapot\n`,
      { address: 'hero[1]' },
      'it is the prompt of hero[2] as well: edit it in the manifest, at m.yaml:6',
    ],
    [
      'of a file',
      `${head}    prompt: \${{ file('p.txt') }}\n`,
      { more: { 'p.txt': 'A teapot' } },
      'its prompt is made from p.txt (p.txt:1): edit it there, or the text that it stands in, at m.yaml:4',
    ],
    ['that was another', `${head}    prompt: A jug\n`, {}, 'the manifest has another prompt of hero by now'],
    [
      'of nobody',
      `${head}    prompt: A teapot\n`,
      { address: 'cup' },
      'cup is no job of the manifest as it is now',
    ],
  ])('is refused where it would change more, or stands elsewhere: %s', async (_, text, more, why) => {
    expect(await edited(text, 'A cup', more)).toEqual({ why, isAsItWas: true })
  })

  test('that would be read as something else is refused', async () => {
    const why = expect.stringMatching(
      /with it the manifest has a problem: (m\.yaml:4: |line 4 )|would not be read as it is/,
    )
    expect(await edited(`${head}    prompt: A teapot\n`, 'A ${{ vars.x }}')).toEqual({ why, isAsItWas: true })
    expect(await edited(`${head}    prompt: A teapot\n`, 'the key a-long-key-9')).toEqual({
      why,
      isAsItWas: true,
    })
  })
})

test('a scalar that is not there is not set', () => {
  expect(withScalar('a: b\n', 1, 'c')).toBeUndefined()
  expect(withScalar('a: &x b\nc: *x\n', 12, 'd')).toBeUndefined()
})
