import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkManifest } from '../../../src/manifest/check.ts'
import { warningCodes } from '../../../src/manifest/read/suppressions.ts'
import { sampleProject } from '../project.ts'

type Code = (typeof warningCodes)[number]

/** For each warning a manifest that brings it about, alone; `LINT` is the place of the job's own `lint:`. */
const causes: { readonly [code in Code]: string } = {
  'aspect-mismatch': job("model: famc-v3\nprompt: x\naspectRatio: '16:9'\nstartFrame: photos/tall.png"),
  'at-file': job("model: famc-v3\nprompt: '@prompt.txt'"),
  'bad-step': job('model: famb-v3\nprompt: x\nimageUrls: photos/tea.png\nimageWeight: 42'),
  'byte-order-mark': `\ufeff${job('model: famc-v3\nprompt: x')}`,
  contradiction: job(
    'model: famc-v3\nprompt: x\nmultiShot: true\nmultiPrompt: [{ index: 1, prompt: y, duration: 2 }]',
  ),
  'cut-text': job('model: famc-v3\nprompt: A teapot #1 seller'),
  'fits-no-cell': job(
    "model: famc-v3\nprompt: '${{ matrix.hue }}'\nmatrix: { hue: [red, blue], exclude: [{ hue: green }] }",
  ),
  'foreign-template': job("model: famc-v3\nprompt: '{{ hue }}'"),
  'no-effect': job('model: famc-v3\nprompt: x\nendFrame: photos/tea.png'),
  'same-recipe': job('model: famc-v3\nprompt: x').replace(
    'jobs:',
    'jobs:\n  b: { model: famc-v3, prompt: x }',
  ),
  'typographic-quotes': job('model: famc-v3\nprompt: “A teapot”'),
  'unknown-default': `defaults: { voiceIdd: ara }\n${job('model: famc-v3\nprompt: x')}`,
  'unknown-family': `limits: { families: { famd: 2 } }\n${job('model: famc-v3\nprompt: x')}`,
  'unknown-lint': `x-lint: 1\nlint: [no-efect, TOP]\n${job('model: famc-v3\nprompt: x')}`,
  'unknown-model': `defaults: { models: { acme-*: { duration: 5 } } }\n${job('model: famc-v3\nprompt: x')}`,
  'unknown-name': `vars: { season: May }\n${job("model: famc-v3\nprompt: '${{ vars.season }}'")}`,
  unmeasured: job('model: famc-motion-control\nimageUrls: photos/tea.png\nvideoUrl: photos/live.webm'),
  'unused-anchor': job('model: famc-v3\nprompt: &tea steam'),
  'unused-default': `defaults: { voiceId: ara }\n${job('model: famc-v3\nprompt: x')}`,
  'unused-var': `vars: { brand: Aster }\n${job('model: famc-v3\nprompt: x')}`,
  'yes-no': job(
    'model: famc-motion-control\nimageUrls: photos/tea.png\nvideoUrl: photos/pour.mp4\nkeepOriginalSound: true',
  ),
}

/** Of the manifest as a whole, so that no job can silence them. */
const ofTheManifest: readonly Code[] = [
  'byte-order-mark',
  'unknown-default',
  'unknown-family',
  'unknown-lint',
  'unknown-model',
  'unknown-name',
  'unused-default',
  'unused-var',
]

function job(lines: string): string {
  return `jobs:\n  a:\n${`${lines}\nLINT`.replaceAll(/^/gm, '    ')}\n`
}

const misspelt = { name: 'SEASN', value: 'x', from: 'GENRUN_VAR_SEASN', isAmbient: true }

function codes(cause: string, { top, inJob }: { readonly top?: string; readonly inJob?: string }): string[] {
  const within = cause.replace('LINT', inJob ? `lint: ${inJob}` : 'description: x')
  const ownTop = within.includes('TOP') ? within.replace(', TOP', top ? `, ${top}` : '') : within
  const head = top && !within.includes('TOP') ? `lint: ${top}\n` : ''
  const text = ownTop.startsWith('\ufeff') ? `\ufeff${head}${ownTop.slice(1)}` : head + ownTop
  return checkManifest({ name: 'm.yaml', text }, sampleProject, { vars: [misspelt] }).problems.map(
    problem => problem.code,
  )
}

describe.each(warningCodes)('%s', code => {
  const cause = causes[code]

  test('is told', () => {
    expect(codes(cause, {})).toEqual([code])
  })

  test('is silenced for the whole manifest', () => {
    expect(codes(cause, { top: code })).toEqual([])
  })

  test('is not silenced by the code of another', () => {
    const other = code === 'yes-no' ? 'cut-text' : 'yes-no'
    expect(codes(cause, { top: other, ...(code !== 'unknown-lint' && { inJob: other }) })).toEqual([code])
  })

  test('is silenced by the job that it is about', () => {
    expect(codes(cause, { inJob: code })).toEqual(ofTheManifest.includes(code) ? [code] : [])
  })
})

test('the list names every warning that the reader, the checks and the rules can tell', () => {
  const rooms = ['text', 'forms', 'manifest']
  const texts = rooms.flatMap(room => {
    const folder = fileURLToPath(new URL(`../../../src/${room}/`, import.meta.url))
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => readFileSync(`${folder}${name}`, 'utf8'))
  })
  const told = texts.flatMap(text => [...text.matchAll(/\bwarning\(\s*'([a-z-]+)'/g)].map(match => match[1]))
  expect([...new Set(told)].toSorted()).toEqual([...warningCodes])
})

test('what a job silences ends with its last line: the next job is told', () => {
  const cut = (lint: string) =>
    `jobs:\n  a: { model: famc-v3${lint}, prompt: x, endFrame: photos/tea.png }\n  b: { model: famc-v3, prompt: y, endFrame: photos/tea.png }\n`
  const lines = (lint: string) =>
    checkManifest({ name: 'm.yaml', text: cut(lint) }, sampleProject).problems.map(
      ({ code, at }) => `${code} ${at.file.text.slice(0, at.start).split('\n').length}`,
    )
  expect(lines('')).toEqual(['no-effect 2', 'no-effect 3'])
  expect(lines(', lint: no-effect')).toEqual(['no-effect 3'])
})

test('what a job silences ends with the job, and not with the line that it stands on', () => {
  const text = `jobs: { a: { model: famc-v3, lint: no-effect, prompt: x, endFrame: photos/tea.png }, b: { model: famc-v3, prompt: y, endFrame: photos/tea.png } }`
  const { problems } = checkManifest({ name: 'm.yaml', text }, sampleProject)
  expect(problems.map(({ code, at }) => [code, at.start > text.indexOf('b:')])).toEqual([['no-effect', true]])
})

test('what YAML cuts off the last value of a job is of the job', () => {
  const ends = [
    'prompt: A teapot #1 seller',
    'prompt: x\n    tags:\n      - hue #1 seller',
    'prompt: x\n    tags: [a, b #1\n      ]',
  ]
  for (const end of ends) {
    const told = (lint: string) =>
      checkManifest(
        { name: 'm.yaml', text: `jobs:\n  a:\n    model: famc-v3\n    lint: [${lint}]\n    ${end}` },
        sampleProject,
      ).problems.map(({ code }) => code)
    expect(told('')).toEqual(['cut-text'])
    expect(told('cut-text')).toEqual([])
  }
})

test('an error is never silenced', () => {
  expect(codes(job('model: famc-v3\nprompt: x\nduration: 7'), { inJob: 'bad-value' })).toEqual([
    'bad-value',
    'unknown-lint',
  ])
})

test('strict makes errors of warnings, and leaves silenced ones out', () => {
  const strict = (inJob: string) => {
    const text = causes['no-effect'].replace('LINT', `lint: ${inJob}`)
    return checkManifest({ name: 'm.yaml', text }, sampleProject, { strict: true })
  }
  expect(strict('[]')).toMatchObject({
    value: undefined,
    count: 1,
    problems: [{ severity: 'error', code: 'no-effect' }],
  })
  expect(strict('no-effect')).toMatchObject({ value: { jobs: [{}] }, problems: [] })
})
