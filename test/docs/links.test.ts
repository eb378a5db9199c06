import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { imageSize } from 'image-size'
import { describe, expect, test } from 'vitest'
import { readArgs } from '../../src/cli/parser/read-args.ts'
import { settingsDeclared } from '../../src/cli/settings/declared.ts'
import { shellWords } from '../../src/text/shell.ts'
import { knownFlags } from './flags.ts'
import { anchorsOf, blocksOf, pages, proseOf, root, textOf } from './pages.ts'
import { otherVariables } from './reference.ts'

/** Variables that are no settings. */
const variables = new Set([
  ...otherVariables.flatMap(([names]) => names.split(', ')),
  ...settingsDeclared.flatMap(({ variable }) => variable ?? []),
  // Of the tests of the project itself.
  ...['GENRUN_CASES', 'GENRUN_E2E_BIN', 'GENRUN_FAULTS_SEED', 'GENRUN_FAULTS_SEEDS'],
])

const codeOf = (text: string) => [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map(match => match[1] ?? '')

/** A line of a workflow, when its expressions have their values and what it says goes elsewhere. */
const asRun = (line: string) => line.replaceAll('${{ matrix.shard }}', '3/16').replace(/\)".*$/, '')

/** What a page says is typed: blocks of lines, and commands in its sentences that are whole. */
function linesOf(text: string): string[] {
  const typed = blocksOf(text).flatMap(({ language, body }) =>
    ['sh', 'console', 'text'].includes(language)
      ? [...body.matchAll(/^(?:\$ )?((?:\w+=\S+ )*genrun [^\n&;]*)/gm)].map(match => match[1] ?? '')
      : [],
  )
  // What a workflow runs stands on lines of its own.
  const run = blocksOf(text).flatMap(({ file, body }) =>
    file?.endsWith('.yml')
      ? [...body.matchAll(/(?:npx )?genrun (?!=)[a-z].*$/gm)].map(([line]) => asRun(line))
      : [],
  )
  return [...typed, ...run, ...codeOf(text).filter(code => /^(npx )?genrun /.test(code))].filter(
    line => !/[…<]|^genrun( [a-z-]+){0,2}: | \+\d/.test(line),
  )
}

describe.each(pages)('%s', page => {
  const text = textOf(page)

  test('links to pages, places and files that are there', () => {
    const links = [...proseOf(text).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(match => match[1] ?? '')
    const broken = links.filter(link => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : normalize(join(dirname(page), path))
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('has no words outside of code that the site would take for its own', () => {
    const plain = proseOf(text).replaceAll(/`[^`\n]*`|<!--.*?-->/gs, '')
    expect(plain.match(/\{\{|<[a-z]/gi) ?? []).toEqual([])
  })

  // What problems are about is wrong on purpose.
  test.skipIf(page.endsWith('/problems.md'))('gives no command that cannot be given', () => {
    const wrong = linesOf(text).flatMap(line => {
      const [words = []] = shellWords({
        name: 'line',
        text: line.replace(/^.*?genrun /, '').replace(/ > \S+$/, ''),
      })
      const asked = readArgs(
        words.map(word => word.text),
        () => true,
      )
      // A sentence may leave out what a command is about.
      const isBare = asked.do === 'misused' && /^no \w+ is (given|named)$/.test(asked.message)
      return asked.do === 'misused' && !isBare ? [`${line}: ${asked.message}`] : []
    })
    expect(wrong).toEqual([])
  })

  test('names no flag and no variable that is not declared', () => {
    const code = codeOf(text)
    const flags = code.flatMap(each =>
      [...each.matchAll(/(?<![\w-])--[a-z][a-z-]*[a-z](?![a-z-])/g)].map(([flag]) => flag),
    )
    const names = [...text.matchAll(/\bGENRUN_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
    expect(flags.filter(flag => !knownFlags.has(flag))).toEqual([])
    expect(names.filter(name => !variables.has(name) && !name.startsWith('GENRUN_VAR_'))).toEqual([])
  })
})

test('the site has every page in its sidebar, and no other; new ones beside the first it finds itself', () => {
  const config = readFileSync(join(root, 'docs/.vitepress/config.ts'), 'utf8')
  const [, sidebar = ''] = config.split('sidebar:')
  const linked = [...sidebar.matchAll(/page\('[^']+', '\/([^']*)'\)/g)].map(([, link = '']) =>
    link === '' || link.endsWith('/') ? `docs/${link}index.md` : `docs/${link}.md`,
  )
  const written = pages.filter(page => page !== 'README.md' && page !== 'docs/index.md')
  const found = written.filter(page => /^docs\/[^/]+$/.test(page) && !linked.includes(page))
  expect([...linked, ...found].toSorted()).toEqual(written.toSorted())
  expect(config).toContain('...noted()')
})

test('the script that pictures the manual can be read, looks at pages that are there, and has left the pictures that it keeps', () => {
  const script = join(root, 'docs/pictures.mjs')
  execFileSync(process.execPath, ['--check', script])
  const text = readFileSync(script, 'utf8')
  const namesOf = (list: string) =>
    [...(new RegExp(`const ${list} = \\[(.*)\\]`).exec(text)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(
      ([, name = '']) => name,
    )
  const looked = namesOf('pages')
  expect(looked.filter(page => !pages.includes(`docs/${page}.md`))).toEqual([])
  const kept = namesOf('kept')
  expect(kept.length).toBeGreaterThanOrEqual(5)
  expect(readdirSync(join(root, 'docs/pictures')).toSorted()).toEqual(
    kept.map(name => `${name}.png`).toSorted(),
  )
  for (const name of kept) {
    const [, page = '', width] = /^(.+)-(\d+)-(?:light|dark)$/.exec(name) ?? []
    expect([...looked.map(each => each.replace('/', '-')), 'search']).toContain(page)
    expect(imageSize(readFileSync(join(root, `docs/pictures/${name}.png`)))).toMatchObject({
      width: Number(width),
      height: 900,
    })
  }
})

test('the page about review tells every key that the page of results knows, and no other', () => {
  const text = textOf('docs/review.md')
  const told = [...text.matchAll(/^\| ([^|]*`[^|]+) \| /gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`])`/g)].map(([, key = '']) => key))
    .concat(
      [...text.matchAll(/`([a-z])` (?:puts|swaps)|by `([a-z])`/g)].map(
        ([, one, other]) => one ?? other ?? '',
      ),
    )
  const code = readFileSync(join(root, 'src/page/client/keys.ts'), 'utf8')
  const known = [...code.matchAll(/case '(\S)':/g)].map(([, key = '']) => key)
  expect([...new Set(told)].filter(key => !/\d/.test(key)).toSorted()).toEqual(known.toSorted())
})
