import { describe, expect, test } from 'vitest'
import { checkManifest } from '../../src/manifest/check.ts'
import type { Job, Manifest } from '../../src/manifest/shapes/job.ts'
import fc from '../cases.ts'
import { effortOf } from '../text/effort.ts'
import { projectOf, sampleProject } from './project.ts'

function check(text: string, name = 'teapots.yaml') {
  return checkManifest({ name, text }, sampleProject)
}

function manifest(text: string, name?: string): Manifest {
  const { value, problems } = check(text, name)
  if (!value) throw new Error(problems.map(problem => `${problem.message} (${problem.hint})`).join('\n'))
  return value
}

function job(text: string): Job {
  const [first] = manifest(`jobs:\n  it:\n${text.replace(/^/gm, '    ')}`).jobs
  if (!first) throw new Error('no job')
  return first
}

/** Message and underlined source of each problem. */
function told(text: string): string[] {
  return check(text).problems.map(({ message, at }) => `${at.file.text.slice(at.start, at.end)}: ${message}`)
}

const picture = 'model: fama-imagine-image\nprompt: A teapot\n'

test.each([
  ['retakes: 2', { all: 'fail', silence: 'warn' }, 2],
  ['silence: off', { all: 'fail', silence: 'off' }, 1],
  ['all: warn', { all: 'warn' }, undefined],
])('what `defaults` say of looks counts for those that a job does not mean: %s', (gate, policy, retakes) => {
  const text = `defaults: { gate: { all: fail, silence: warn, retakes: 1 } }\njobs: { a: { model: fama-imagine-image, prompt: Tea, gate: { ${gate} } } }`
  const [job] = manifest(text).jobs
  expect([Object.fromEntries(job?.gate ?? []), job?.retakes]).toEqual([policy, retakes])
})

test('what `defaults` say of looks is filled in for each cell, where a job has words of its own as well', () => {
  const text = `
defaults: { gate: { silence: "\${{ matrix.word }}" } }
jobs: { a: { matrix: { word: [warn, fail] }, model: fama-imagine-image, prompt: "\${{ matrix.word }}", gate: { blank: warn } } }
`
  const gates = check(text).value?.jobs.map(({ gate }) => gate?.get('silence'))
  expect(gates).toEqual(['warn', 'fail'])
})

describe('a manifest', () => {
  test('has the name of its file and an output folder beside it', () => {
    expect(
      manifest(`jobs: { a: { ${picture.trim().replace('\n', ', ')} } }`, 'work/spring sale.yaml'),
    ).toMatchObject({
      name: 'spring-sale',
      output: 'out/spring-sale',
      limits: {},
    })
  })

  test('says name, output folder and limits itself', () => {
    const text = `name: Spring 26\noutput: renders/spring/\nlimits: { execute: 4, submit: 8, maxCost: 12.5 }\njobs: { a: { model: famc-t2a, prompt: Rain } }`
    expect(manifest(text)).toMatchObject({
      name: 'Spring 26',
      output: 'renders/spring',
      limits: { execute: 4, submit: 8, maxCost: 12.5 },
    })
  })

  test('has limits that nest', () => {
    const limits = '{ total: 6, families: { famc: 4 }, models: { famc-v3: 2 }, perMinute: 30 }'
    expect(manifest(`limits: ${limits}\njobs: { a: { model: famc-t2a, prompt: Rain } }`).limits).toEqual({
      total: 6,
      families: { famc: 4 },
      models: { 'famc-v3': 2 },
      perMinute: 30,
    })
  })

  test('may be JSON', () => {
    const text = JSON.stringify(
      { jobs: { a: { model: 'famc-t2a', prompt: 'Rain', duration: 5 } } },
      null,
      '\t',
    )
    expect(manifest(text, 'x.json').jobs[0]?.params).toEqual({ prompt: 'Rain', duration: 5 })
  })

  test('keeps jobs in written order, as a mapping or as a list', () => {
    const mapped = manifest('jobs: { 2: { model: famc-t2a, prompt: b }, 1: { model: famc-t2a, prompt: a } }')
    const listed = manifest(
      'jobs: [{ id: 2, model: famc-t2a, prompt: b }, { id: 1, model: famc-t2a, prompt: a }]',
    )
    expect(mapped.jobs.map(one => one.address)).toEqual(['2', '1'])
    expect(listed.jobs.map(({ address, params }) => [address, params])).toEqual(
      mapped.jobs.map(({ address, params }) => [address, params]),
    )
  })
})

describe('a job', () => {
  test('has what it says and the usual for the rest', () => {
    const { model, written, at, ...rest } = job(picture)
    expect(model.id).toBe('fama-imagine-image')
    expect(rest).toEqual({
      address: 'it',
      mode: 'execute',
      params: { prompt: 'A teapot' },
      files: {},
      needs: [],
      output: 'it',
      count: 1,
      take: 1,
      tags: [],
      retries: 0,
    })
    expect(at.file.text.slice(at.start, at.end)).toBe('it')
    expect(written.locate(['prompt'])).toMatchObject({ start: at.file.text.indexOf('A teapot') })
    expect(written.originOf?.('prompt')?.by).toBe('job')
  })

  test('reads its own keys', () => {
    const text = `${picture}count: 4\noutput: tea/pot.png\ntags: [shop, shop, 2026]\nmode: submit\nworkflow: acme/x\ntimeout: 15m\nretries: 2\ndescription: the hero\nx-note: [1]\nlint: no-effect`
    expect(job(text)).toMatchObject({
      count: 4,
      output: 'tea/pot',
      tags: ['shop', '2026'],
      mode: 'submit',
      workflow: 'acme/x',
      timeoutMs: 900_000,
      retries: 2,
    })
  })

  test.each([
    ['90', 90_000],
    ['0.5', 500],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ["'15 m'", 900_000],
  ])('timeout: %s', (written, ms) => {
    expect(job(`${picture}timeout: ${written}`).timeoutMs).toBe(ms)
  })

  test.each(['0', '-5', '15 minutes', '1d', '200h', 'soon', '[1]', '', '.5e-9'])(
    'timeout: %s is refused',
    written => {
      expect(told(`jobs:\n  it:\n    model: famc-t2a\n    prompt: Rain\n    timeout: ${written}\n`)).toEqual([
        `${written || 'timeout'}: \`timeout\` is a length of time of at most 7 days`,
      ])
    },
  )

  test('has its text trimmed, and one file of a list as a list', () => {
    const found = job('model: fama-imagine-image\nprompt: >\n  A\n  teapot\nimageUrls: photos/tea.png')
    expect(found.params).toEqual({ prompt: 'A teapot' })
    expect(found.files).toEqual({ '/imageUrls': [{ from: 'path', path: 'photos/tea.png' }] })
  })

  test('takes members of object arrays that end in _url as files', () => {
    const text =
      'model: famc-v3-omni\nprompt: Two\nomniImageList:\n  - { image_url: https://example.com/a.png?x=1, type: style }\n  - { image_url: photos/tea.png }'
    const found = job(text)
    expect(found.params).toEqual({ prompt: 'Two', omniImageList: [{ type: 'style' }, {}] })
    expect(found.files).toEqual({
      '/omniImageList/0/image_url': [{ from: 'url', url: 'https://example.com/a.png?x=1' }],
      '/omniImageList/1/image_url': [{ from: 'path', path: 'photos/tea.png' }],
    })
  })

  test('reads a boolean as the word yes or no where that is meant', () => {
    const text =
      'model: famc-motion-control\nimageUrls: photos/tea.png\nvideoUrl: photos/pour.mp4\nkeepOriginalSound: false'
    expect(job(text).params).toEqual({ keepOriginalSound: 'no' })
  })

  test('comes once per take, with one file per take', () => {
    const { jobs } = manifest(
      `jobs:\n  hero: { model: fama-imagine-image, prompt: A, takes: 3 }\n  clip: { model: famc-v3, prompt: B, startFrame: '\${{ jobs.hero.output }}', needs: hero }\n`,
    )
    expect(jobs.map(({ address, take, output, needs }) => ({ address, take, output, needs }))).toEqual([
      { address: 'hero', take: 1, output: 'hero', needs: [] },
      { address: 'hero#2', take: 2, output: 'takes/hero.take2', needs: [] },
      { address: 'hero#3', take: 3, output: 'takes/hero.take3', needs: [] },
      { address: 'clip', take: 1, output: 'clip', needs: ['hero', 'hero#2', 'hero#3'] },
    ])
    expect(jobs[3]?.files).toEqual({ '/startFrame': [{ from: 'job', address: 'hero', nth: 0 }] })
  })
})

describe('an output with its own numbers', () => {
  const outputs = (lines: string) =>
    manifest(
      `jobs:\n  hero: { model: fama-imagine-image, prompt: A, takes: 2, count: 2, ${lines} }\n`,
    ).jobs.map(({ output, outputPattern }) => [output, outputPattern])

  test('leaves the place of the file number open', () => {
    expect(outputs('output: "a/${{ pad(n, 2) }}_b"')).toEqual([
      ['a/<n:2>_b', undefined],
      ['takes/a/<n:2>_b.take2', undefined],
    ])
  })

  test('names every take alike when it says so', () => {
    expect(outputs('output: "hero_${{ take }}-${{ n }}.png"')).toEqual([
      ['hero_1-<n>', 'hero_<take>-<n>'],
      ['hero_2-<n>', 'hero_<take>-<n>'],
    ])
  })
})

describe('references', () => {
  const hero = 'jobs:\n  hero: { model: famc-3.0-image, prompt: A, count: 3 }\n'
  const files = (written: string) =>
    manifest(`${hero}  next:\n    model: famc-3.0-image\n    prompt: B\n    imageUrls: ${written}\n`).jobs[1]
      ?.files['/imageUrls' as never]

  test.each<[string, unknown[]]>([
    ['${{ jobs.hero.outputs[1] }}', [1]],
    ["${{ jobs['hero']['outputs'][2] }}", [2]],
    ['${{ jobs.hero.outputs }}', [0, 1, 2]],
    [
      '[photos/tea.png, "${{ jobs.hero.outputs }}", "${{ jobs.hero.outputs[0] }}"]',
      ['photos/tea.png', 0, 1, 2, 0],
    ],
  ])('%s', (written, expected) => {
    const wanted = expected.map(file =>
      typeof file === 'number' ? { from: 'job', address: 'hero', nth: file } : { from: 'path', path: file },
    )
    expect(files(written)).toEqual(wanted)
  })

  test('mean jobs further down as well, and make them needs once', () => {
    const text = `jobs:\n  clip: { model: famc-v3, prompt: B, startFrame: '\${{ jobs.hero.output }}', endFrame: '\${{ jobs.hero.output }}' }\n  hero: { model: fama-imagine-image, prompt: A }\n`
    expect(manifest(text).jobs[0]?.needs).toEqual(['hero'])
  })

  test('reach through variables', () => {
    const text = `vars:\n  still: \${{ jobs.hero.output }}\n  frame: \${{ vars.still }}\njobs:\n  hero: { model: fama-imagine-image, prompt: A }\n  clip: { model: famc-v3, prompt: B, startFrame: '\${{ vars.frame }}' }\n`
    expect(manifest(text).jobs[1]?.needs).toEqual(['hero'])
  })

  test('to a job whose own problems are told say nothing more', () => {
    const text = `jobs:\n  hero: { model: fama-imagine-imag, prompt: A }\n  many: { model: fama-imagine-image, prompt: A, count: 3 }\n  clip: { model: famc-v3, prompt: B, startFrame: '\${{ jobs.hero.output }}', endFrame: '\${{ jobs.many.output }}' }\n`
    expect(told(text)).toEqual([
      'fama-imagine-imag: there is no model fama-imagine-imag',
      '3: count must be one of 1, 2, 4',
    ])
  })
})

describe('variables', () => {
  const withVars = (vars: string, prompt: string) =>
    manifest(`vars: { ${vars} }\njobs:\n  it:\n    model: fama-tts\n    prompt: ${prompt}\n`).jobs[0]?.params
      .prompt

  test.each([
    ['a: Aster', 'The ${{ vars.a }} pot', 'The Aster pot'],
    ['a: 1.10', 'v${{ vars.a }}', 'v1.10'],
    ['a: 007', '"${{ vars.a }}!"', '007!'],
    ['a: true, b: ~', '<${{ vars.a }}${{ vars.b }}>', '<true>'],
    ["a: 'x ${{ vars.b }}', b: y", '${{ vars.a }}', 'x y'],
    ["a: '${{ 1 }}'", '"a ${{ vars.a }}"', 'a 1'],
    ['a: { b: [p, q] }', '"${{ vars.a.b[1] }}${{ vars.a[\'b\'][0] }}"', 'qp'],
    ['a: "${{ \'${{\' }} vars.b }}", b: y', '${{ vars.a }}', '${{ vars.b }}'],
  ])('{ %s } in %s', (vars, prompt, expected) => {
    expect(withVars(vars, prompt)).toBe(expected)
  })

  test('a whole expression keeps its type', () => {
    const text = `vars: { seconds: 5, sound: false, tags: [a, b] }\njobs:\n  it:\n    model: famc-v3\n    prompt: B\n    duration: \${{ vars.seconds }}\n    generateAudio: \${{ vars.sound }}\n    tags: \${{ vars.tags }}\n    takes: \${{ 2 }}\n`
    const { jobs } = manifest(text)
    expect(jobs).toHaveLength(2)
    expect(jobs[0]).toMatchObject({ params: { duration: 5, generateAudio: false }, tags: ['a', 'b'] })
  })

  test('that double each other end before memory does', () => {
    const doubling = Array.from(
      { length: 40 },
      (_, n) => `  v${n + 1}: \${{ vars.v${n} }}\${{ vars.v${n} }}\n`,
    ).join('')
    const text = `vars:\n  v0: 0123456789\n${doubling}jobs:\n  it: { model: fama-tts, prompt: '\${{ vars.v40 }}' }\n`
    expect(check(text).problems.map(problem => problem.code)).toEqual(['too-long'])
  })

  test.each<[string, string]>([
    ['format', `${"format('{0}{0}', ".repeat(30)}vars.x${')'.repeat(30)}`],
    ['join', `join(vars.many, format('${'{0}'.repeat(900)}', vars.x))`],
  ])('a %s that doubles what it is given stops at a million letters', (_, call) => {
    const x = 'a'.repeat(300)
    const many = JSON.stringify(Array.from({ length: 900 }, () => 'tea'))
    const text = `vars: { x: ${x}, many: ${many} }\njobs:\n  a: { model: fama-imagine-image, prompt: "\${{ ${call} }}" }\n`
    expect(check(text).problems.map(problem => problem.code)).toContain('too-long')
  })

  test('may read those above them in a chain of any length', () => {
    const chain = Array.from({ length: 5000 }, (_, n) => `  v${n + 1}: \${{ vars.v${n} }}\n`).join('')
    const text = `vars:\n  v0: x\n${chain}jobs:\n  it: { model: fama-tts, prompt: '\${{ vars.v5000 }}' }\n`
    expect(manifest(text).jobs[0]?.params).toEqual({ prompt: 'x' })
  })

  test('that read those below them in a long chain are told', () => {
    const chain = Array.from({ length: 5000 }, (_, n) => `  v${n}: \${{ vars.v${n + 1} }}\n`).join('')
    const text = `vars:\n${chain}  v5000: x\njobs:\n  it: { model: fama-tts, prompt: '\${{ vars.v0 }}' }\n`
    expect(new Set(check(text).problems.map(problem => problem.code))).toEqual(new Set(['circular-vars']))
  })
})

describe('defaults', () => {
  test('count less the further they reach: flat, glob, exact, job', () => {
    const text = `defaults:\n  model: famc-v3\n  duration: 3\n  aspectRatio: 9:16\n  models:\n    famc-v3: { duration: 8 }\n    famc-*: { duration: 5, renderingSpeed: pro }\n    '*': { renderingSpeed: std, negativePrompt: text }\njobs:\n  a: { prompt: A }\n  b: { prompt: B, duration: 10, renderingSpeed: 4k }\n  c: { model: famc-v3-turbo, prompt: C }\n  d: { model: fama-tts, prompt: D }\n`
    expect(manifest(text).jobs.map(one => one.params)).toEqual([
      { prompt: 'A', aspectRatio: '9:16', duration: 8, negativePrompt: 'text', renderingSpeed: 'std' },
      { prompt: 'B', aspectRatio: '9:16', duration: 10, negativePrompt: 'text', renderingSpeed: '4k' },
      { prompt: 'C', aspectRatio: '9:16', duration: 5, negativePrompt: 'text' },
      { prompt: 'D' },
    ])
  })

  test('are found by locate', () => {
    const text = 'defaults: { duration: 3 }\njobs:\n  a: { model: famc-v3, prompt: A }\n'
    const at = manifest(text).jobs[0]?.written.locate(['duration'])
    expect(at && text.slice(at.start, at.end)).toBe('3')
  })
})

describe('locate', () => {
  const text = `jobs:\n  a:\n    model: famc-v3\n    prompt: Door\n    multiShot: true\n    multiPrompt:\n      - { index: 1, prompt: Opens }\n    tags: [x, y]\n`
  const { written } = manifest(text).jobs[0] as Job

  test.each<[(string | number)[], 'key' | 'value', string]>([
    [[], 'value', 'a'],
    [['prompt'], 'value', 'Door'],
    [['prompt'], 'key', 'prompt'],
    [['multiPrompt', 0, 'prompt'], 'value', 'Opens'],
    [['multiPrompt', 0, 'prompt'], 'key', 'prompt'],
    [['multiPrompt', 0], 'value', '{ index: 1, prompt: Opens }'],
    [['tags', 1], 'value', 'y'],
    [['model'], 'value', 'famc-v3'],
    [['duration'], 'value', 'a'],
  ])('%j, %s', (path, part, expected) => {
    const at = written.locate(path, part)
    expect(at.file.text.slice(at.start, at.end)).toBe(expected)
  })
})

test('a manifest that was let go points at the beginning of its jobs, and tells of no value', () => {
  const { jobs, letGo } = manifest('jobs:\n  a:\n    model: famc-v3\n    prompt: Door\n')
  const { written, at } = jobs[0] as Job
  letGo?.()
  expect(written.locate(['prompt'])).toBe(at)
  expect(written.originOf?.('prompt')).toBeUndefined()
})

describe('local inputs', () => {
  test('are looked at once each, and links never', () => {
    const looked: string[] = []
    const project = {
      ...sampleProject,
      look: (path: string) => (looked.push(path), sampleProject.look(path)),
    }
    const text = `jobs:\n  a: { model: famc-v3, prompt: A, startFrame: photos/tea.png, endFrame: photos/tea.png }\n  b: { model: famc-v3, prompt: A, startFrame: photos/cup.gif }\n  c: { model: famc-v3, prompt: A, startFrame: 'https://example.com/x.png' }\n`
    expect(checkManifest({ name: 'm.yaml', text }, project).problems).toEqual([])
    expect(looked).toEqual(['photos/tea.png', 'photos/cup.gif'])
  })

  test('that two jobs get from one default are told once', () => {
    const text =
      'defaults: { startFrame: gone.png }\njobs:\n  a: { model: famc-v3, prompt: A }\n  b: { model: famc-v3, prompt: B }\n'
    expect(told(text)).toEqual(['gone.png: there is no file gone.png'])
  })
})

describe('scale', () => {
  test('ten thousand jobs are checked in seconds', () => {
    const jobs = Array.from(
      { length: 10_000 },
      (_, n) =>
        `  j${n}: { model: famc-v3, prompt: 'Shot ${n}', duration: 5, startFrame: '\${{ jobs.hero.output }}' }\n`,
    )
    const text = `jobs:\n  hero: { model: fama-imagine-image, prompt: A }\n${jobs.join('')}`
    const effort = effortOf(() => expect(manifest(text).jobs).toHaveLength(10_001))
    expect(effort).toBeLessThan(20_000)
  })
})

describe('any manifest', () => {
  const word = fc.constantFrom(
    'hero',
    'fama-imagine-image',
    'famc-v3',
    'famc-v3-omni',
    '16:9',
    '${{ jobs.a.output }}',
    '${{ vars.x }}',
    '${{ jobs.a.outputs }}',
    '${{ x',
    'photos/tea.png',
    'https://x',
    '..',
    'yes',
    '',
  )
  const leaf = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
  const key = fc.constantFrom(
    'model',
    'prompt',
    'takes',
    'needs',
    'output',
    'tags',
    'timeout',
    'imageUrls',
    'startFrame',
    'omniImageList',
    'multiPrompt',
    'image_url',
    'duration',
    'count',
    'a',
    'b',
    'models',
    'x-y',
    'id',
    'lint',
    'defaults',
  )
  const value = fc.letrec(tie => ({
    any: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(key, tie('any'), { maxKeys: 5 }),
    ),
  })).any
  const job = fc.dictionary(key, value, { maxKeys: 6 })
  const whole = fc.record(
    {
      jobs: fc.oneof(
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x y'), fc.oneof(job, value), { maxKeys: 3 }),
        fc.array(fc.oneof(job, value), { maxLength: 3 }),
        value,
      ),
      vars: fc.oneof(fc.dictionary(fc.constantFrom('x', 'y'), value), value),
      defaults: fc.oneof(job, value),
      limits: value,
      name: value,
      output: value,
      lint: value,
      description: value,
    },
    { requiredKeys: ['jobs'] },
  )

  test('gets a verdict, never an exception, and problems with places inside the text', () => {
    fc.assert(
      fc.property(fc.oneof(whole, value), any => {
        const text = JSON.stringify(any, null, 1) ?? ''
        const { value: found, problems } = checkManifest({ name: 'm.json', text }, projectOf({}))
        expect(found === undefined).toBe(problems.some(problem => problem.severity === 'error'))
        for (const { at, message } of problems) {
          expect(at.end).toBeLessThanOrEqual(text.length + 1)
          expect(message).not.toMatch(/undefined|\[object/)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
