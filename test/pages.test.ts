import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderProblem } from '../src/base/excerpt.ts'
import { exit } from '../src/base/exit.ts'
import { settingsDeclared } from '../src/cli/settings/declared.ts'
import { checkManifest } from '../src/manifest/check.ts'
import { manPage } from './docs/man.ts'
import { otherVariables, referencePages } from './docs/reference.ts'
import { sampleProject } from './manifest/project.ts'

const root = join(import.meta.dirname, '..')
const page = (name: string) => readFileSync(join(root, name), 'utf8')
const readme = page('README.md')

/** The fenced blocks of a language in a page, in order. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)(?: \S+)?\n(.*?)^```$/gms)].flatMap(([, its, block = '']) =>
    its === language ? [block] : [],
  )
}

function problemsOf(text: string): string[] {
  const { problems } = checkManifest({ name: 'campaign.yaml', text }, sampleProject)
  return problems.map(problem => renderProblem(problem))
}

describe('the README', () => {
  test('shows manifests without a fault', () => {
    const manifests = blocks(readme, 'yaml')
    expect(manifests.length).toBeGreaterThan(0)
    for (const manifest of manifests) expect(problemsOf(manifest)).toEqual([])
  })

  test('shows the very message that its mistake gives', () => {
    const [manifest = ''] = blocks(readme, 'yaml')
    const [shown = ''] = blocks(readme, 'text')
    expect(`${problemsOf(manifest.replace('duration: 5', 'duration: 7')).join('\n')}\n`).toBe(shown)
  })

  test('has the two commands that do everything, and .ci/run the second of them', () => {
    const commands = [...readme.matchAll(/^ {4}(npm ci && .*)$/gm)].map(match => match[1])
    expect(commands).toEqual(['npm ci && npx genrun examples/quickstart.yaml', 'npm ci && npm test'])
    expect(page('.ci/run')).toContain(commands[1])
  })

  test('is a screen and a half, with one picture that moves and three of the page of results', () => {
    expect(readme.split('\n').length).toBeLessThan(100)
    expect([...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(match => match[1])).toEqual([
      'examples/run.svg',
      'docs/pictures-review/grid.png',
      'docs/pictures-review/one.png',
      'docs/pictures-review/compare.png',
    ])
    expect(page('examples/run.svg')).toContain('@keyframes')
  })

  test('names only files that the package holds', () => {
    const { files } = JSON.parse(page('package.json')) as { files: string[] }
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(match => match[1] ?? '')
    const held = (link: string) => files.some(name => link === name || link.startsWith(`${name}/`))
    expect(links.filter(link => !held(link))).toEqual([])
  })
})

test('docs/money/exit-codes.md lists every exit code', () => {
  const listed = [...page('docs/money/exit-codes.md').matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(match =>
    (match[1] ?? '').split(', ').map(Number),
  )
  expect(listed.toSorted((a, b) => a - b)).toEqual(Object.values(exit).toSorted((a, b) => a - b))
})

test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'])(
  '%s links to what is there',
  name => {
    const links = [...page(name).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(match => match[1] ?? '')
    expect(links.filter(link => !existsSync(join(root, link)))).toEqual([])
  },
)

test('docs/security.md says of every setting what a project may say of it', () => {
  const rows = [...page('docs/security.md').matchAll(/^\| `([\w.]+)` \| (.+) \|$/gm)].map(match =>
    match.slice(1),
  )
  expect(rows).toEqual(
    settingsDeclared.map(({ name, form, outside, person, lowest, onlyOn }) => {
      if (outside !== undefined) return [name, `never: ${outside}`]
      if (lowest) return [name, 'only lower']
      if (onlyOn) return [name, 'only on']
      const within = form.is === 'path' || form.is === 'paths' ? ['inside the project'] : []
      const said = [...within, ...(person ? ['and only where you name none'] : [])]
      return [name, said.join(', ') || 'yes']
    }),
  )
})

/** The rooms of the house: the folders and files of src. */
const rooms = readdirSync(join(root, 'src')).map(name => name.replace(/\.ts$/, ''))

test('ARCHITECTURE.md names every room of the house', () => {
  const [house = ''] = /^## The house$.*?^## /ms.exec(page('ARCHITECTURE.md')) ?? []
  const named = [...house.matchAll(/^ {4}(\w+(?: {2}\w+)*) /gm)].flatMap(([, words = '']) =>
    words.split(/ +/),
  )
  expect(named.toSorted()).toEqual(rooms.toSorted())
})

test('ARCHITECTURE.md is a page', () => {
  expect(page('ARCHITECTURE.md').split('\n').length).toBeLessThan(120)
})

describe.each([
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/decisions.md',
  'docs/glossary.md',
  'docs/purchases.md',
])('%s', name => {
  const named = [...page(name).matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(match => match[1] ?? '')

  test('names files that are there', () => {
    const places = ['', 'src', 'test', 'test/faults', 'test/e2e']
    expect(named.filter(file => !places.some(place => existsSync(join(root, place, file))))).toEqual([])
    expect(named.length).toBeGreaterThan(0)
  })
})

test('the way of one job passes every floor that a run needs', () => {
  const [way = ''] = /^## The way of one job$.*?^## /ms.exec(page('ARCHITECTURE.md')) ?? []
  const passed = new Set([...way.matchAll(/`(\w+)\/[\w/-]+\.ts`/g)].map(match => match[1]))
  const needed = [
    'cli',
    'verbs',
    'workspace',
    'manifest',
    'planning',
    'plan',
    'run',
    'engine',
    'wire',
    'store',
  ]
  expect(needed.filter(room => !passed.has(room))).toEqual([])
})

test('every word of the glossary stands there once', () => {
  const words = [...page('docs/glossary.md').matchAll(/^\| ([a-z][^|]*?) \|/gim)].map(match => match[1] ?? '')
  const terms = words.filter(word => word !== 'word')
  expect(terms.length).toBeGreaterThan(40)
  expect(new Set(terms).size).toBe(terms.length)
})

describe('the reference', () => {
  const made = { ...named('reference/', referencePages()), 'genrun.1': manPage() }

  test.each(Object.entries(made))('docs/%s is what the declarations say', (name, text) => {
    if (process.env.UPDATE) writeFileSync(join(root, 'docs', name), text)
    expect(page(`docs/${name}`), 'UPDATE=1 npx vitest run test/pages.test.ts makes it anew').toBe(text)
  })

  test('is the same when it is made again', () => {
    expect({ ...named('reference/', referencePages()), 'genrun.1': manPage() }).toEqual(made)
  })

  test('has a first page, which names each', () => {
    const pages = Object.keys(referencePages())
    expect(readdirSync(join(root, 'docs/reference')).toSorted()).toEqual([...pages, 'index.md'].toSorted())
    for (const name of pages) expect(page('docs/reference/index.md')).toContain(`](${name})`)
  })

  test('has a line for every variable that the sources name', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => page(join('src', name)))
    const known = new Set(sources.flatMap(text => text.match(/\bGENRUN_[A-Z_]*[A-Z]\b/g) ?? []))
    // What the build puts in, and what a server says of itself.
    for (const name of ['GENRUN_VERSION', 'GENRUN_MCP_URL']) known.delete(name)
    const listed = [
      ...settingsDeclared.map(({ variable }) => variable),
      ...otherVariables.map(([name]) => name),
    ]
    expect([...known].filter(name => !listed.includes(name))).toEqual([])
  })
})

function named(folder: string, pages: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(pages).map(([name, text]) => [`${folder}${name}`, text]))
}
