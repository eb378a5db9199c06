import { describe, expect, test } from 'vitest'
import { checkManifest } from '../../../src/manifest/check.ts'
import type { GivenVar } from '../../../src/manifest/read/given-vars.ts'
import type { Job } from '../../../src/manifest/shapes/job.ts'
import fc from '../../cases.ts'
import { mediaFile, projectOf } from '../project.ts'

const project = projectOf({
  'products.csv':
    '\ufeffid,Name,photo,seconds,sound\r\nAS-101,Celadon,a.png,5,true\r\nAS-102,"Iron, ""cast""",,10,false\r\n',
  'lines.tsv': 'id\ttext\nde\tGuten Morgen\nen\tGood $ {morning}\n',
  'semicolons.csv': 'id;text\nfox;red, or grey\n',
  'rows.json': '[{ "id": "fox", "seconds": 5 }, { "id": "owl", "seconds": 8 }]',
  'rows.jsonl': '{"id": "fox", "colour": "red"}\n\n{"id": "owl"}\n',
  'rows.yaml': '- { id: fox, colour: red }\n- { id: owl, colour: grey }\n',
  'style.md': 'soft light, $brand\n\n',
  'brand.md': 'soft light,\n${{ vars.brand }} style',
  'brands.csv': 'id,text,note\nfox,Plain,${{ todo }}\nowl,"The ${{ vars.brand }} one",\n',
  'brands.jsonl': '{"id": "owl", "texts": ["Plain", "${{ vars.brand }}"]}\n',
  'shared/style.yaml':
    'include: more.yaml\nvars: { tone: warm, unused: x }\ndefaults: { aspectRatio: 4:3, models: { fama-*: { aspectRatio: 1:1 } } }\n',
  'shared/more.yaml':
    'vars: { tone: cold, mood: calm }\njobs:\n  logo: { model: fama-imagine-image, prompt: "${{ vars.mood }}" }\n',
  'models/acme.yaml':
    'models:\n  acme-paint:\n    inputType: t2i\n    params:\n      prompt: { type: text, required: true }\n      steps: { type: integer, minimum: 1, maximum: 50, default: 20 }\n',
  'a.png': mediaFile('png'),
  'photos/fox.png': mediaFile('png'),
  'photos/owl.png': mediaFile('png'),
})

function jobs(text: string, vars: readonly GivenVar[] = []): readonly Job[] {
  const { value, problems } = checkManifest({ name: 'm.yaml', text }, project, { vars })
  if (!value) throw new Error(problems.map(each => `${each.message} (${each.hint})`).join('\n'))
  return value.jobs
}

function told(text: string): string[] {
  return checkManifest({ name: 'm.yaml', text }, project).problems.map(({ message }) => message)
}

const addresses = (text: string) => jobs(text).map(job => job.address)
const prompts = (text: string, vars?: readonly GivenVar[]) => jobs(text, vars).map(job => job.params.prompt)

/** A job `it` of a picture model with the given lines. */
const picture = (lines: string) =>
  `vars: { brand: Aster }\njobs:\n  it:\n    model: fama-imagine-image\n${lines.trim().replace(/^/gm, '    ')}\n`

describe('a matrix', () => {
  test('has one cell per combination, the last axis first', () => {
    const text = picture(`matrix: { a: [x, y], b: [1, 2] }\nprompt: "\${{ matrix.a }} \${{ matrix.b }}"`)
    expect(jobs(text).map(({ address, output, params }) => [address, output, params.prompt])).toEqual([
      ['it[x,1]', 'it/x_1', 'x 1'],
      ['it[x,2]', 'it/x_2', 'x 2'],
      ['it[y,1]', 'it/y_1', 'y 1'],
      ['it[y,2]', 'it/y_2', 'y 2'],
    ])
  })

  test.each([
    ["'16:9'", '16x9'],
    ['007', '007'],
    ['1.10', '1.10'],
    ['Grüße aus Köln', 'Grüße-aus-Köln'],
    ['ﬁne', 'fine'],
    ['हिन्दी', 'हिन्दी'],
    ['a/b', 'a-b'],
    ['a:b', 'a-b'],
    ['{ id: fox, colour: red }', 'fox'],
    [
      'abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz',
      'abcdefghijklmnopqrstuvwxyz-abcdefghijklm-ddf94e',
    ],
  ])('calls %s %s', (written, key) => {
    expect(addresses(picture(`matrix: { a: [${written}, other] }\nprompt: "\${{ job.key }}"`))[0]).toBe(
      `it[${key}]`,
    )
  })

  test('leaves out what `exclude` fits, and adds what `include` says', () => {
    const text = picture(
      `matrix:\n  a: [x, y]\n  b: ['1:1', '4:3']\n  exclude: [{ a: x, b: ['4:3', '9:9'] }]\n  include: [{ a: z, b: '1:1', extra: more }]\nprompt: "\${{ matrix.a }}-\${{ matrix.b }}-\${{ matrix.extra }}"`,
    )
    expect(prompts(text)).toEqual(['x-1:1-', 'y-1:1-', 'y-4:3-', 'z-1:1-more'])
  })

  test('may consist of included cells alone', () => {
    const text = picture(
      'matrix: { include: [{ a: x, b: 1 }, { a: y, c: 2 }] }\nprompt: "${{ matrix.a }}${{ matrix.b }}${{ matrix.c }}"',
    )
    expect(jobs(text).map(({ address, params }) => [address, params.prompt])).toEqual([
      ['it[x]', 'x1'],
      ['it[y]', 'y2'],
    ])
  })

  test('leaves a parameter out in cells that have no value for it', () => {
    const text = picture(
      'matrix: { include: [{ a: x, ratio: 4:3 }, { a: y }] }\nprompt: "${{ matrix.a }}"\naspectRatio: "${{ matrix.ratio }}"',
    )
    expect(jobs(text).map(job => job.params)).toEqual([{ prompt: 'x', aspectRatio: '4:3' }, { prompt: 'y' }])
  })

  test('has no cell where `if` is false', () => {
    const text = picture(
      'matrix: { p: { rows: products.csv } }\nif: ${{ matrix.p.photo }}\nprompt: "${{ matrix.p.name }}"',
    )
    expect(addresses(text)).toEqual(['it[AS-101]'])
  })

  test('is overridden where it matches, the later one winning', () => {
    const text = picture(
      `matrix: { a: [x, y, z] }\nprompt: "\${{ matrix.a }}"\noverride:\n  - { match: { a: [x, y] }, takes: 2, tags: [one] }\n  - { match: { a: y }, prompt: "not \${{ matrix.a }}", model: fama-imagine-image-quality, takes: 1 }`,
    )
    expect(jobs(text).map(job => [job.address, job.model.id, job.params.prompt, job.tags.join()])).toEqual([
      ['it[x]', 'fama-imagine-image', 'x', 'one'],
      ['it[x]#2', 'fama-imagine-image', 'x', 'one'],
      ['it[y]', 'fama-imagine-image-quality', 'not y', 'one'],
      ['it[z]', 'fama-imagine-image', 'z', ''],
    ])
  })

  test('takes the cells of another job, after its `if`', () => {
    const text = `jobs:\n  clip: { model: famc-v3, prompt: "\${{ matrix.a }}", matrix: "\${{ jobs.still.matrix }}", startFrame: "\${{ jobs.still.output }}" }\n  still: { model: fama-imagine-image, prompt: "\${{ matrix.a }}", matrix: { a: [x, y, z] }, if: "\${{ matrix.a != 'y' }}" }\n`
    expect(jobs(text).map(job => [job.address, job.needs.join()])).toEqual([
      ['clip[x]', 'still[x]'],
      ['clip[z]', 'still[z]'],
      ['still[x]', ''],
      ['still[z]', ''],
    ])
  })

  test('has one cell per file of another job, with its axes', () => {
    const text = `jobs:\n  still: { model: fama-imagine-image, prompt: "\${{ matrix.a }}", count: 2, matrix: { a: [x, y] } }\n  clip: { model: famc-v3, prompt: "\${{ matrix.a }}", matrix: { frame: "\${{ jobs.still.outputs }}" }, startFrame: "\${{ matrix.frame }}" }\n`
    expect(
      jobs(text)
        .slice(2)
        .map(job => [job.address, JSON.stringify(job.files)]),
    ).toEqual([
      ['clip[x,1]', '{"/startFrame":[{"from":"job","address":"still[x]","nth":0}]}'],
      ['clip[x,2]', '{"/startFrame":[{"from":"job","address":"still[x]","nth":1}]}'],
      ['clip[y,1]', '{"/startFrame":[{"from":"job","address":"still[y]","nth":0}]}'],
      ['clip[y,2]', '{"/startFrame":[{"from":"job","address":"still[y]","nth":1}]}'],
    ])
  })
})

describe('data files', () => {
  test.each([
    ['products.csv', 'name', ['Celadon', 'Iron, "cast"']],
    ['lines.tsv', 'TEXT', ['Guten Morgen', 'Good $ {morning}']],
    ['semicolons.csv', 'text', ['red, or grey']],
    ['rows.yaml', 'colour', ['red', 'grey']],
  ])('%s gives its rows as they are', (path, column, expected) => {
    const text = picture(`forEach: ${path}\nprompt: "\${{ item.${column} }}"`)
    expect(prompts(text.replace('vars: { brand: Aster }\n', ''))).toEqual(expected)
  })

  test.each([
    ['a file that `file()` reads', 'style.md', 'soft light\nlinen\n', 'prompt: ${{ file("style.md") }}'],
    [
      'a cell of a table',
      'rows.csv',
      'id,text\nfox,"red\nor grey"\n',
      'forEach: rows.csv\nprompt: ${{ item.text }}',
    ],
    [
      'a cell between tabs',
      'rows.tsv',
      'id\ttext\nfox\t"red\nor grey"\n',
      'forEach: rows.tsv\nprompt: ${{ item.text }}',
    ],
  ])('%s asks for the same with CRLF', (_, path, text, lines) => {
    const promptOf = (of: string) => {
      const { value } = checkManifest({ name: 'm.yaml', text: bare(lines) }, projectOf({ [path]: of }))
      return value?.jobs[0]?.params.prompt
    }
    const bare = (of: string) => picture(of.replaceAll('"', "'")).replace('vars: { brand: Aster }\n', '')
    expect(promptOf(text)).toMatch(/\n(linen|or grey)$/)
    expect(promptOf(text.replaceAll('\n', '\r\n'))).toBe(promptOf(text))
  })

  test('of JSON keep the line ends that they name', () => {
    const text = picture('forEach: rows.json\nprompt: ${{ item.text }}').replace(
      'vars: { brand: Aster }\n',
      '',
    )
    const project = projectOf({ 'rows.json': '[{ "id": "fox", "text": "red\\r\\ngrey" }]' })
    const { value } = checkManifest({ name: 'm.yaml', text }, project)
    expect(value?.jobs[0]?.params.prompt).toBe('red\r\ngrey')
  })

  test('have their texts typed by the catalog', () => {
    const text = `jobs:\n  it: { model: famc-v3, prompt: "\${{ item.name }}", forEach: products.csv, duration: "\${{ item.seconds }}", generateAudio: "\${{ item.sound }}" }\n`
    expect(jobs(text).map(({ params }) => [params.duration, params.generateAudio])).toEqual([
      [5, true],
      [10, false],
    ])
  })

  test('keep the types of JSON, and leave out what a line does not say', () => {
    const json = `jobs:\n  it: { model: famc-v3, prompt: A, forEach: rows.json, duration: "\${{ item.seconds }}" }\n`
    expect(jobs(json).map(job => job.params.duration)).toEqual([5, 8])
    expect(
      prompts(picture('forEach: rows.jsonl\nprompt: "A ${{ item.id }} ${{ item.colour || \'grey\' }}"')),
    ).toEqual(['A fox red', 'A owl grey'])
  })

  test('point at a cell by line and column', () => {
    const text = 'jobs:\n  it: { model: fama-tts, prompt: "${{ item.photo }}", forEach: products.csv }\n'
    const [problem] = checkManifest({ name: 'm.yaml', text }, project).problems
    expect(problem).toMatchObject({ message: 'prompt is empty', at: { file: { name: 'products.csv' } } })
    expect(problem?.at.file.text.slice(0, problem.at.start).endsWith('"Iron, ""cast""",')).toBe(true)
  })

  test('of a glob are called by their stems', () => {
    const found = jobs(
      'jobs:\n  it: { model: fama-imagine-image, prompt: A, forEach: photos/*.png, imageUrls: "${{ item.path }}", tags: ["${{ item.name }}"] }\n',
    )
    expect(found.map(job => [job.address, job.tags[0], Object.values(job.files).flat()])).toEqual([
      ['it[fox]', 'fox.png', [{ from: 'path', path: 'photos/fox.png' }]],
      ['it[owl]', 'owl.png', [{ from: 'path', path: 'photos/owl.png' }]],
    ])
  })
})

describe('expressions', () => {
  test.each([
    ["slug('  16:9 Größe, Wide! ')", '16x9-größe-wide'],
    ['pad(7, 3)', '007'],
    ["upper('tea')", 'TEA'],
    ["lower('TEA')", 'tea'],
    ["join(vars.colours, ' & ')", 'red & blue'],
    ['join(vars.colours)', 'red, blue'],
    ["format('{1} {{0}} {0}', 'a', 2)", '2 {0} a'],
    ["file('style.md')", 'soft light, $brand'],
    ["vars.none || 'some'", 'some'],
    ["vars.brand && 'yes'", 'yes'],
    ["vars.n > 3 && 'many' || 'few'", 'many'],
    ["vars.text == 5 && 'same'", 'same'],
    ["!vars.none && 'empty'", 'empty'],
    ["vars.of[vars.key] || ''", 'found'],
    ["(1 < 2) == true && 'so'", 'so'],
    ["'a' < 'b' && 'sorted'", 'sorted'],
    ["null == '' && 'nothing'", 'nothing'],
  ])('%s is %s', (expression, expected) => {
    const text = `vars: { brand: Aster, colours: [red, blue], none: '', n: 5, text: '5', key: b, of: { b: found }, x: "\${{ vars.brand }}\${{ vars.colours[0] }}\${{ vars.none }}\${{ vars.n }}\${{ vars.text }}\${{ vars.key }}\${{ vars.of.b }}" }\njobs:\n  it: { model: famc-t2a, prompt: "\${{ ${expression} }}", tags: "\${{ vars.x }}" }\n`
    expect(prompts(text)).toEqual([expected])
  })

  test('keep the type of a whole value', () => {
    const text = 'vars: { n: 5 }\njobs:\n  it: { model: famc-v3, prompt: A, duration: "${{ vars.n }}" }\n'
    expect(jobs(text)[0]?.params.duration).toBe(5)
  })

  test('in variables read the cell that uses them', () => {
    const text = `vars: { sku: "\${{ matrix.a }}-\${{ vars.kind }}", kind: "\${{ job.id }}" }\njobs:\n  it: { model: famc-t2a, prompt: "\${{ vars.sku }}", matrix: { a: [x, y] } }\n  that: { model: famc-t2a, prompt: "\${{ vars.sku }}", matrix: { a: [z] } }\n`
    expect(prompts(text)).toEqual(['x-it', 'y-it', 'z-that'])
  })
})

describe('variables from outside', () => {
  const text =
    'vars: { season: summer, seconds: 5 }\njobs:\n  it: { model: famc-v3, prompt: "In ${{ vars.season }}", duration: "${{ vars.seconds }}" }\n'

  test('set what the manifest declares, and are typed by the catalog', () => {
    const vars = [
      { name: 'SEASON', value: 'May', from: 'GENRUN_VAR_SEASON', isAmbient: true },
      { name: 'PATH', value: 'x', from: 'GENRUN_VAR_PATH', isAmbient: true },
      { name: 'seconds', value: '10', from: '--var' },
    ]
    expect(jobs(text, vars)[0]?.params).toEqual({ prompt: 'In May', duration: 10 })
  })

  test('of the environment that nobody declares are told where one of a near name is not set', () => {
    const ambient = (...names: readonly string[]) =>
      checkManifest({ name: 'm.yaml', text }, project, {
        vars: names.map(name => ({ name, value: 'x', from: `GENRUN_VAR_${name}`, isAmbient: true })),
      }).problems.map(({ severity, message, hint, at }) => [severity, message, hint, at.file.name])
    expect(ambient('SEASN', 'PATH')).toEqual([
      [
        'warning',
        'the manifest declares no variable SEASN',
        'did you mean GENRUN_VAR_SEASON',
        'GENRUN_VAR_SEASN',
      ],
    ])
    expect(ambient('SEASON', 'SEASONS')).toEqual([])
  })

  test('that nobody declares are told where they stand', () => {
    const { problems } = checkManifest({ name: 'm.yaml', text }, project, {
      vars: [{ name: 'seazon', value: 'x', from: '--var' }],
    })
    expect(problems.map(({ message, hint, at }) => [message, hint, at.file.name])).toContainEqual([
      'the manifest declares no variable seazon',
      'did you mean season',
      '--var',
    ])
  })
})

describe('a text that nobody fills in', () => {
  const refused = (text: string, vars: readonly GivenVar[] = []) =>
    checkManifest({ name: 'm.yaml', text }, project, { vars }).problems.map(({ code, at, notes }) => [
      code,
      at.file.name,
      at.file.text.slice(at.start, at.end),
      notes?.map(note => note.at.file.text.slice(note.at.start, note.at.end)),
    ])
  const template = '${{ vars.brand }}'

  test.each([
    ['a fragment', "prompt: A cup, ${{ file('brand.md') }}", 'brand.md', "'brand.md'"],
    ['a cell', 'forEach: brands.csv\nprompt: ${{ item.text }}', 'brands.csv', 'item.text'],
    [
      'a value of a row',
      'forEach: brands.jsonl\nprompt: ${{ join(item.texts) }}',
      'brands.jsonl',
      'item.texts',
    ],
  ])('is refused at its place in %s', (_, lines, file, use) => {
    const text = `${picture(lines)}\n  other: { model: famc-t2a, prompt: "\${{ vars.brand }}" }\n`
    expect(refused(text)).toEqual([['raw-template', file, template, [use]]])
  })

  test('is refused in a variable from outside', () => {
    const text = 'vars: { brand: A }\njobs: { it: { model: famc-t2a, prompt: "${{ vars.brand }}" } }\n'
    const vars = [{ name: 'brand', value: template, from: '--var' }]
    expect(refused(text, vars)).toEqual([['raw-template', '--var', template, ['brand']]])
  })

  test('is nobody’s business in a column that nobody reads', () => {
    const text = 'jobs:\n  it: { model: famc-t2a, prompt: "${{ item.id }}", forEach: brands.csv }\n'
    expect(prompts(text)).toEqual(['fox', 'owl'])
  })
})

describe('included files', () => {
  test('bring vars, defaults and jobs, and the including file wins', () => {
    const text =
      'include: [shared/style.yaml]\nvars: { mood: wild }\ndefaults: { aspectRatio: 16:9 }\njobs:\n  it: { model: fama-imagine-image, prompt: "${{ vars.tone }}" }\n  clip: { model: famc-v3, prompt: B }\n'
    expect(jobs(text).map(({ address, params }) => [address, params.prompt, params.aspectRatio])).toEqual([
      ['logo', 'wild', '1:1'],
      ['it', 'warm', '1:1'],
      ['clip', 'B', '16:9'],
    ])
  })

  test('may have what one manifest does not use', () => {
    expect(told('include: shared/style.yaml\njobs: { it: { model: fama-tts, prompt: A } }\n')).toEqual([])
  })
})

test('models that a file declares are as good as any', () => {
  const text =
    'catalog: models/acme.yaml\ndefaults: { models: { acme-*: { steps: 30 } } }\njobs: { it: { model: acme-paint, prompt: A } }\n'
  expect(jobs(text).map(({ model, params, mode }) => [model.id, params, mode])).toEqual([
    ['acme-paint', { prompt: 'A', steps: 30 }, 'execute'],
  ])
})

describe('references', () => {
  const still =
    'jobs:\n  still: { model: fama-imagine-image, prompt: "${{ matrix.a }} ${{ matrix.b }}", takes: 2, matrix: { a: [x, y], b: [1, 2] } }\n'
  const needs = (lines: string, model = 'famc-3.0-image') =>
    jobs(`${still}  it: { model: ${model}, prompt: "At \${{ job.key }}", ${lines} }\n`)
      .filter(job => job.address.startsWith('it'))
      .map(job => [
        job.address,
        ...Object.values(job.files)
          .flat()
          .map(ref => (ref.from === 'job' ? `${ref.address}:${ref.nth}` : '')),
        ...job.needs.filter(() => Object.keys(job.files).length === 0),
      ])

  test.each<[string, string[][]]>([
    [
      'imageUrls: "${{ jobs.still.outputs }}"',
      [['it', 'still[x,1]:0', 'still[x,2]:0', 'still[y,1]:0', 'still[y,2]:0']],
    ],
    ['imageUrls: "${{ jobs.still.outputs[2] }}"', [['it', 'still[y,1]:0']]],
    [
      'imageUrls: "${{ jobs.still.outputs }}", matrix: { a: [x, y] }',
      [
        ['it[x]', 'still[x,1]:0', 'still[x,2]:0'],
        ['it[y]', 'still[y,1]:0', 'still[y,2]:0'],
      ],
    ],
    ['imageUrls: "${{ jobs.still.output }}", matrix: { b: [2], a: [y] }', [['it[2,y]', 'still[y,2]:0']]],
    [`imageUrls: "\${{ jobs.still['x,2#2'].output }}"`, [['it', 'still[x,2]#2:0']]],
    [`imageUrls: "\${{ jobs.still['a=x'].outputs }}", matrix: { b: [1] }`, [['it[1]', 'still[x,1]:0']]],
    [
      `imageUrls: "\${{ jobs.still['b=*'].outputs }}", matrix: { b: [1], a: [x] }`,
      [['it[1,x]', 'still[x,1]:0', 'still[x,2]:0']],
    ],
    [
      `imageUrls: "\${{ jobs.still['*'].outputs }}", matrix: { a: [x] }`,
      [['it[x]', 'still[x,1]:0', 'still[x,2]:0', 'still[y,1]:0', 'still[y,2]:0']],
    ],
    [`imageUrls: "\${{ jobs.still['*,1'].outputs }}"`, [['it', 'still[x,1]:0', 'still[y,1]:0']]],
    [
      `imageUrls: "\${{ jobs.still['#2'].output }}", matrix: { a: [x], b: [1] }`,
      [['it[x,1]', 'still[x,1]#2:0']],
    ],
    [
      `imageUrls: "\${{ jobs.still[format('a={0}', 'y')].outputs }}"`,
      [['it', 'still[y,1]:0', 'still[y,2]:0']],
    ],
    ['imageUrls: "${{ jobs.still.pick }}", matrix: { a: [x], b: [1] }', [['it[x,1]', 'still[x,1]:pick']]],
    [
      'needs: still, matrix: { a: [y] }',
      [['it[y]', 'still[y,1]', 'still[y,1]#2', 'still[y,2]', 'still[y,2]#2']],
    ],
    ['needs: "still[x,*]#2"', [['it', 'still[x,1]#2', 'still[x,2]#2']]],
    ['needs: "still[b=1]"', [['it', 'still[x,1]', 'still[x,1]#2', 'still[y,1]', 'still[y,1]#2']]],
  ])('%s', (lines, expected) => {
    expect(needs(lines)).toEqual(expected)
  })

  test('between the cells of one job are no circle', () => {
    const text = `jobs:\n  step: { model: fama-imagine-image, prompt: "Step \${{ matrix.n }}", matrix: { n: [1, 2] }, override: [{ match: { n: 2 }, imageUrls: "\${{ jobs.step['n=1'].output }}" }] }\n`
    expect(jobs(text).map(job => job.needs)).toEqual([[], ['step[1]']])
  })
})

describe('any matrix', () => {
  const value = fc.constantFrom('fox', 'owl', '16:9', '4:3', 'Grün', 'a b', '007', '1.0', 'x-1', 'é', '茶')
  const axis = fc.uniqueArray(value, { minLength: 1, maxLength: 5 })
  const axes = fc.record({ a: axis, b: axis })
  const manifest = (of: { a: readonly string[]; b: readonly string[] }) =>
    JSON.stringify({
      jobs: { it: { model: 'famc-t2a', matrix: of, prompt: '${{ matrix.a }} and ${{ matrix.b }}' } },
    })

  test('has addresses of its own, and the same ones in any order', () => {
    fc.assert(
      fc.property(axes, fc.func(fc.integer()), (of, chance) => {
        const shuffled = of.a.toSorted((x, y) => chance(x) - chance(y))
        const before = new Map(jobs(manifest(of)).map(job => [job.address, job.params.prompt]))
        const after = new Map(
          jobs(manifest({ ...of, a: shuffled })).map(job => [job.address, job.params.prompt]),
        )
        expect(before.size).toBe(of.a.length * of.b.length)
        expect(new Map([...after].toSorted())).toEqual(new Map([...before].toSorted()))
      }),
      { numRuns: 100 },
    )
  })

  test('keeps the addresses of its cells when a value is put in between', () => {
    fc.assert(
      fc.property(axes, fc.nat(5), (of, at) => {
        const more = { ...of, a: [...of.a.slice(0, at), 'new one', ...of.a.slice(at)] }
        const before = jobs(manifest(of)).map(job => [job.address, job.params.prompt])
        const after = jobs(manifest(more)).filter(job => !job.address.includes('new-one'))
        expect(after.map(job => [job.address, job.params.prompt])).toEqual(before)
      }),
      { numRuns: 100 },
    )
  })

  test('gets a verdict, never an exception', () => {
    const word = fc.constantFrom(
      'fox',
      '${{ matrix.a }}',
      '${{ jobs.it.outputs }}',
      '${{ jobs.b.matrix }}',
      "${{ jobs.b['a=fox'].output }}",
      '${{ item.id }}',
      '${{ vars.v }}',
      'products.csv',
      'photos/*.png',
      '',
    )
    const any = fc.letrec(tie => ({
      any: fc.oneof(
        { maxDepth: 3 },
        word,
        fc.integer({ min: -2, max: 5 }),
        fc.constant(null),
        fc.boolean(),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            'a',
            'b',
            'rows',
            'files',
            'key',
            'id',
            'match',
            'exclude',
            'include',
            'takes',
            'prompt',
          ),
          tie('any'),
          { maxKeys: 4 },
        ),
      ),
    })).any
    const job = fc.record(
      {
        matrix: any,
        forEach: any,
        if: any,
        override: any,
        needs: any,
        takes: any,
        prompt: any,
        imageUrls: any,
        output: any,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(job, job, any, (it, b, v) => {
        const model = { model: 'fama-imagine-image' }
        const text = JSON.stringify({
          vars: { v },
          include: v,
          catalog: v,
          jobs: { it: { ...model, ...it }, b: { ...model, ...b } },
        })
        const { value: found, problems } = checkManifest({ name: 'm.json', text }, project, {
          vars: [{ name: 'v', value: '5', from: '--var' }],
        })
        expect(found === undefined).toBe(problems.some(problem => problem.severity === 'error'))
        for (const { message, hint } of problems)
          expect(`${message} ${hint ?? ''}`).not.toMatch(/undefined|\[object|NaN/)
      }),
      { numRuns: 1500 },
    )
  })
})

test('a hundred thousand cells from ten lines are checked in seconds', () => {
  const numbers = Array.from({ length: 100 }, (_, n) => n)
  const text = `jobs:\n  it:\n    model: famc-t2a\n    matrix: { a: [${numbers}], b: [${numbers}], c: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }\n    prompt: "\${{ matrix.a }} \${{ matrix.b }} \${{ matrix.c }}"\n`
  const before = performance.now()
  expect(jobs(text)).toHaveLength(100_000)
  expect(performance.now() - before).toBeLessThan(30_000)
}, 60_000)

describe('what would fill any memory', () => {
  const many = Array.from({ length: 1050 }, (_, n) => `v${n}`).join(', ')
  const both = (word: string, lines: string) =>
    told(
      `jobs:\n  a: { model: fama-imagine-image, prompt: '\${{ matrix.x }}', matrix: { x: [${many}] } }\n` +
        `  b:\n    matrix: { ${word}: [${many}] }\n    prompt: B \${{ matrix.${word} }}\n${lines}\n`,
    )
  const needs = '    model: fama-imagine-image\n    needs: a'
  const files = '    model: famc-3.0-image\n    imageUrls: ${{ jobs.a.outputs }}'

  test('needs of all cells on all cells are refused', () => {
    const message = 'here every cell needs 1,050 others, which is more than 1,000,000 needs in all'
    expect(both('y', needs)).toEqual([message])
    expect(both('y', files)).toContain(message)
  })

  test('needs of cells on their own are as many as they may be', () => {
    expect(both('x', needs)).toEqual([])
  })

  test('a table of more rows than there may be jobs is not kept', () => {
    const rows = Array.from({ length: 100_001 }, (_, n) => `r${n}`).join('\n')
    const text = 'jobs:\n  a: { model: fama-tts, forEach: big.csv, prompt: "${{ item.id }}" }\n'
    const { problems } = checkManifest({ name: 'm.yaml', text }, projectOf({ 'big.csv': `id\n${rows}\n` }))
    expect(problems.map(({ code, at }) => [code, at.file.text.slice(at.start, at.end)])).toEqual([
      ['too-many-jobs', 'r100000'],
    ])
  })
})
