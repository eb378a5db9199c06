import { describe, expect, test } from 'vitest'
import { boardOf, heightOf, moved, rowsBetween, rowsOf } from '../../../src/page/client/desk/layout.ts'
import { fit, panned, zoomedAt, zoomToggled } from '../../../src/page/client/desk/zooming.ts'
import { piecesOf } from '../../../src/page/client/parts/differs.ts'
import {
  chipsOf,
  everything,
  fitting,
  inSections,
  itemsOf,
  sorted,
  toggled,
} from '../../../src/page/data/choose.ts'
import { approved, shown } from './shown.ts'

const none = new Map()
const results = [
  shown('hero', { cost: 2, tags: ['key'] }),
  shown('hero#2', { cost: 5, picked: true, prompt: 'A red pot' }),
  shown('clip', { kind: 'video', model: 'famc-v3', standing: 'failed', files: [], message: 'it broke' }),
]
const items = itemsOf(results)
const names = (all: readonly { readonly result: { readonly address: string } }[]) =>
  all.map(({ result }) => result.address)

describe('what is looked at', () => {
  test.each<[string, string, string[]]>([
    ['no word', '', ['hero', 'hero#2', 'clip']],
    ['a word of a prompt, whatever its case', 'RED', ['hero#2']],
    ['words that all occur', 'red pot', ['hero#2']],
    ['a word that must not', '-famc pot', ['hero', 'hero#2']],
    ['a message', 'broke', ['clip']],
  ])('%s', (_, words, expected) => {
    expect(names(fitting(items, { chosen: {}, words }, none))).toEqual(expected)
  })

  test('one tag divides what has it from what has none, and nothing where all have it', () => {
    const tagged = shown('a', { tags: ['hero'] })
    const chipsOfAll = (...results: ReturnType<typeof shown>[]) =>
      chipsOf(itemsOf(results), everything, none, 'others').map(({ facet }) => facet)
    expect(chipsOfAll(tagged, shown('b'))).toEqual(['tag'])
    expect(chipsOfAll(tagged, { ...tagged, address: 'b' })).toEqual([])
  })

  test('chips of one facet widen, those of another narrow', () => {
    const verdicts = approved(results[0]!)
    const both = { verdict: ['approved', 'nothing to see'] }
    expect(names(fitting(items, { chosen: both, words: '' }, verdicts))).toEqual(['hero', 'clip'])
    expect(names(fitting(items, { chosen: { ...both, kind: ['image'] }, words: '' }, verdicts))).toEqual([
      'hero',
    ])
    expect(toggled(toggled({}, 'kind', 'image'), 'kind', 'image')).toEqual({ kind: [] })
  })

  test('what fails its looks is told apart from what has a warning', () => {
    const message = 'what came is not what was asked'
    const looked = [
      shown('blank', { message, looks: [{ look: 'blank', verdict: 'fail', why: 'it is one color' }] }),
      shown('loud', { message, looks: [{ look: 'loudness', verdict: 'warn' }] }),
    ]
    const [state] = chipsOf(itemsOf(looked), everything, new Map(), 'others').filter(
      ({ facet }) => facet === 'state',
    )
    expect(state?.chips.map(({ value, count }) => `${value} ${count}`)).toEqual([
      'made 2',
      'fails its looks 1',
      'with a warning 1',
    ])
  })

  test('what the manifest asks otherwise by now has a chip of its own, and is no warning', () => {
    const message = 'the next run makes it anew: prompt A → B (tea.yaml:4)'
    const results = [
      shown('hero', { message, outdated: 'anew' }),
      shown('hero#5', { outdated: 'aside' }),
      shown('cup'),
    ]
    const [state] = chipsOf(itemsOf(results), everything, new Map(), 'others').filter(
      ({ facet }) => facet === 'state',
    )
    expect(state?.chips.map(({ value, count }) => `${value} ${count}`)).toEqual([
      'made 3',
      'asked otherwise by now 2',
    ])
  })

  test('what was found by looking is a chip of its own, and what was not looked at another', () => {
    const looked = [
      shown('blank', { looks: [{ look: 'blank', verdict: 'fail', why: 'it is one color' }] }),
      shown('both', {
        looks: [
          { look: 'twice', verdict: 'warn' },
          { look: 'all', verdict: 'not looked at', why: 'no ffmpeg' },
        ],
      }),
      shown('good', { looks: [] }),
      shown('nobody asked'),
    ]
    const [look] = chipsOf(itemsOf(looked), everything, new Map(), 'others').filter(
      ({ facet }) => facet === 'look',
    )
    expect(look?.chips.map(({ value, count }) => `${value} ${count}`)).toEqual([
      'blank 1',
      'twice 1',
      'not looked at 1',
      'nothing found 1',
    ])
    const found = fitting(itemsOf(looked), { chosen: { look: ['twice'] }, words: '' }, new Map())
    expect(found.map(({ result }) => result.address)).toEqual(['both'])
  })

  test('what somebody altered is a state of its own, before what is well, and nothing to decide about', () => {
    const altered = shown('cup', { files: [], altered: ['cup.png'] })
    const all = itemsOf([...results, altered])
    const chosen = (facet: string, value: string) => ({ chosen: { [facet]: [value] }, words: '' })
    expect(names(fitting(all, chosen('state', 'altered on disk'), none))).toEqual(['cup'])
    expect(names(fitting(all, chosen('verdict', 'nothing to see'), none))).toEqual(['clip', 'cup'])
    expect(names(sorted(all, 'trouble', none))).toEqual(['clip', 'cup', 'hero', 'hero#2'])
  })

  test('a chip tells how many there would be with it, all else as it is', () => {
    const choice = { ...everything, chosen: { kind: ['image'] } }
    const verdicts = approved(results[0]!)
    const facets = (['verdict', 'others'] as const).flatMap(which => chipsOf(items, choice, verdicts, which))
    const counts = Object.fromEntries(
      facets.map(({ facet, chips }) => [facet, chips.map(({ value, count }) => `${value} ${count}`)]),
    )
    expect(counts).toEqual({
      verdict: ['undecided 1', 'approved 1', 'nothing to see 0'],
      state: ['made 2', 'picked 1', 'failed 0'],
      kind: ['image 2', 'video 1'],
      model: ['fama-imagine-image 2', 'famc-v3 0'],
      tag: ['key 1'],
    })
  })

  test('is sorted, and stays in the order of the manifest where it is alike', () => {
    expect(names(sorted(items, 'cost', none))).toEqual(['hero#2', 'hero', 'clip'])
    expect(names(sorted(items, 'trouble', none))).toEqual(['clip', 'hero', 'hero#2'])
    expect(names(sorted(items, 'stars', none))).toEqual(['hero', 'hero#2', 'clip'])
  })

  test('stands in sections', () => {
    const titles = (group: Parameters<typeof inSections>[1]) =>
      inSections(items, group, none).map(({ title, items }) => `${title}: ${names(items).join()}`)
    expect(titles('none')).toEqual([': hero,hero#2,clip'])
    expect(titles('job')).toEqual(['hero: hero,hero#2', 'clip: clip'])
    expect(titles('tag')).toEqual(['key: hero', 'no tag: hero#2,clip'])
  })
})

describe('a list', () => {
  const sections = [
    { title: 'one', items: ['a', 'b', 'c', 'd', 'e'] },
    { title: 'two', items: ['f'] },
  ]
  const rows = rowsOf(sections, { columns: 2, cardHeight: 100, titleHeight: 40, gap: 10 })

  test('has the height of its rows, whichever of them are there', () => {
    expect(rows.map(row => (row.is === 'title' ? row.text : row.items.join()))).toEqual([
      'one',
      'a,b',
      'c,d',
      'e',
      'two',
      'f',
    ])
    expect(heightOf(rows)).toBe(40 + 3 * 110 + 40 + 100)
    expect(rowsBetween(rows, 150, 200).map(row => row.top)).toEqual([150])
    expect(rowsBetween(rows, 0, 10_000)).toEqual(rows)
    expect(rowsBetween(rows, 10_000, 20_000)).toEqual([])
  })

  test.each<[string | undefined, Parameters<typeof moved>[2], string]>([
    [undefined, 'down', 'a'],
    ['a', 'right', 'b'],
    ['b', 'right', 'c'],
    ['a', 'left', 'a'],
    ['b', 'down', 'd'],
    ['d', 'down', 'e'],
    ['e', 'down', 'f'],
    ['f', 'down', 'f'],
    ['f', 'up', 'e'],
    ['c', 'first', 'a'],
    ['c', 'last', 'f'],
    ['gone', 'down', 'a'],
  ])('from %s %s is %s', (here, direction, expected) => {
    expect(moved(rows, here, direction)).toBe(expected)
  })
})

describe('a grid', () => {
  const cell = (product: string, view: string, take = 1) =>
    shown(`still[${product},${view}]${take > 1 ? `#${take}` : ''}`, { cell: { product, view }, take })
  const cells = [cell('fox', 'front'), cell('fox', 'front', 2), cell('fox', 'top'), cell('owl', 'top')]
  const axes = { still: ['product', 'view'], lone: ['item'] }

  test('has the axes of a family in written order, and takes in one cell', () => {
    const board = boardOf(cells, axes, {})
    expect(board).toMatchObject({
      family: 'still',
      rowAxis: 'product',
      columnAxis: 'view',
      columns: ['front', 'top'],
    })
    expect(
      board.lines.map(({ key, cells }) => [key, cells.map(each => each.map(({ address }) => address))]),
    ).toEqual([
      ['fox', [['still[fox,front]', 'still[fox,front]#2'], ['still[fox,top]']]],
      ['owl', [[], ['still[owl,top]']]],
    ])
  })

  test('is turned over by asking for another axis, and a lone axis has its takes in columns', () => {
    expect(boardOf(cells, axes, { rows: 'view' })).toMatchObject({ rowAxis: 'view', columnAxis: 'product' })
    const lone = [
      shown('lone[a]', { cell: { item: 'a' } }),
      shown('lone[a]#2', { cell: { item: 'a' }, take: 2 }),
    ]
    expect(boardOf(lone, axes, { family: 'lone' })).toMatchObject({
      columnAxis: '',
      columns: ['take 1', 'take 2'],
    })
    expect(boardOf([], {}, {})).toMatchObject({ family: '', lines: [] })
  })
})

test.each<[string, string, string[], string]>([
  ['alone', 'A red pot', ['A red pot'], 'A red pot'],
  ['one word', 'A red pot', ['A red pot', 'A blue pot'], 'A [red] pot'],
  ['words beside each other', 'A deep red pot', ['A pot'], 'A [deep red] pot'],
  ['whatever their case and stops', 'A Red pot.', ['a red pot'], 'A Red pot.'],
  ['another mark behind a word', 'On linen, warm', ['On linen: warm'], 'On linen[,] warm'],
  ['the other one', 'On linen: warm', ['On linen, warm'], 'On linen[:] warm'],
  ['quotes', 'The word "seen" on it.', ['The word seen on it'], 'The word ["]seen["] on it.'],
  ['a word with its quotes', 'The word "red"', ['The word "blue"'], 'The word ["red"]'],
  ['a line that ends', 'A pot\n\nA cup', ['A pot'], 'A pot\n\nA [cup]'],
  ['what one of many lacks', 'A red pot', ['A red pot', 'A red cup', 'red pot'], '[A] red [pot]'],
])('a prompt marks what its siblings do not say: %s', (_, prompt, siblings, expected) => {
  const pieces = piecesOf(prompt, siblings)
  expect(pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('')).toBe(expected)
})

test('a picture is zoomed where it is pointed at, and never leaves its frame', () => {
  const near = zoomedAt(fit, 2, { x: 0.25, y: 0 })
  expect(near).toEqual({ scale: 2, x: -0.25, y: 0 })
  expect(panned(near, 5, 0.1)).toEqual({ scale: 2, x: 0.5, y: 0.1 })
  expect(panned(fit, 5, 5)).toEqual(fit)
  expect(zoomedAt(near, 0.1, { x: 0, y: 0 })).toEqual(fit)
  expect(zoomToggled(zoomToggled(fit))).toEqual(fit)
})
