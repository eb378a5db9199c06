import { expect, test } from 'vitest'
import { beginDuel, keepSide } from '../../../../src/page/client/desk/comparing.ts'
import type { Link, Waiting } from '../../../../src/page/client/desk/linked.ts'
import { quoteKeeper, quoteRejected, quoteRest } from '../../../../src/page/client/desk/quotes.ts'
import { type Desk, openDesk } from '../../../../src/page/client/desk/state.ts'
import type { ShownPage, ShownQuote, ShownVerdict } from '../../../../src/page/data/shown.ts'
import { type Deed, type GivenVerdict, pickWord, withNews } from '../../../../src/page/data/verdicts.ts'
import { readVerdict } from '../../../../src/store/verdicts/verdicts-text.ts'
import { shown } from '../../data/shown.ts'

/** A server that answers when it is told to. */
function pretended() {
  let verdicts: readonly GivenVerdict[] = []
  const sent: Deed[] = []
  let changed: (waiting: Waiting) => void = () => undefined
  let saved: (given: readonly GivenVerdict[], writes: number) => void = () => undefined
  const waiting = () => ({ verdicts, picks: [], isLost: false })
  const link: Link = {
    urlOf: () => '',
    thumbnailOf: () => undefined,
    waiting,
    onChange: hear => void (changed = hear),
    onSaved: hear => void (saved = hear),
    send(deed) {
      sent.push(deed)
      verdicts = withNews(verdicts, deed.verdicts)
    },
    quote: () => Promise.resolve({ trouble: '' }),
    order: () => Promise.resolve(undefined),
    rehearse: () => Promise.resolve({ text: '', isWell: true }),
    stop: () => Promise.resolve(),
    edit: () => Promise.resolve({ trouble: '' }),
    whyNoEdit: () => Promise.resolve(undefined),
    takeBack: id =>
      Promise.resolve(id === 'known' ? undefined : 'the manifest was changed meanwhile: look again'),
  }
  const answer = (writes: number) => {
    const all = verdicts
    verdicts = []
    saved(all, writes)
    changed(waiting())
  }
  const refuse = (why: string) => {
    verdicts = []
    changed({ ...waiting(), trouble: `not noted: ${why}` })
  }
  return { link, sent, answer, refuse }
}

const page: ShownPage = {
  name: 'tea',
  manifest: 'tea.yaml',
  isRehearsal: false,
  axes: {},
  results: [shown('a'), shown('b'), shown('c')],
  verdicts: [],
  can: { judge: true },
  who: 'Lead',
}

function opened(results = page.results) {
  const server = pretended()
  const desk = openDesk({ ...page, results }, server.link, { cursor: 'a' }, () => undefined)
  return { ...server, desk }
}

function standing({ state }: Desk): string[] {
  return [...state.verdicts.values()].map(({ address, is = '', stars = '' }) => `${address} ${is}${stars}`)
}

function verdict(address: string, is: 'approved' | 'rejected'): ShownVerdict {
  const seen = shown(address).files.map(({ key }) => `sha256:${key}`)
  return { address, is, who: 'Noor', when: '2026-03-01T09:30:00Z', seen }
}

test('one key decides and moves on, stars stay, and undo goes back to where that was', () => {
  const { desk, sent } = opened()
  desk.decide({ is: 'rejected' })
  expect([desk.state.cursor, ...standing(desk)]).toEqual(['b', 'a rejected'])
  desk.decide({ stars: 3 })
  expect([desk.state.cursor, ...standing(desk)]).toEqual(['b', 'a rejected', 'b 3'])
  desk.undo()
  desk.undo()
  expect([desk.state.cursor, ...standing(desk)]).toEqual(['a'])
  desk.undo()
  expect(sent).toHaveLength(4)
})

test('what is taken back is decided now by whoever takes it back, with a date as verdicts have it', () => {
  const { desk, sent, answer } = opened()
  desk.change({ given: [verdict('a', 'approved')], writes: 1 })
  desk.decide({ is: 'rejected' })
  answer(2)
  desk.undo()
  expect(sent[1]?.verdicts).toEqual([{ address: 'a', is: 'approved', seen: verdict('a', 'approved').seen }])
  // Before the server has answered it stands with the page's own date.
  expect(desk.state.verdicts.get('a')).toMatchObject({ is: 'approved', who: 'Lead' })
  expect(readVerdict(desk.state.verdicts.get('a'))).toBeDefined()
})

test('what another page has decided since is not taken back, and that is said', () => {
  const { desk, sent, answer } = opened()
  desk.decide({ is: 'rejected' })
  answer(1)
  desk.set({ cursor: 'b' })
  desk.decide({ is: 'rejected' })
  answer(2)
  desk.change({ given: [verdict('b', 'approved')], writes: 3 })
  desk.undo()
  expect(desk.state.said).toBe('not taken back: b is decided otherwise by now')
  expect([sent.length, ...standing(desk)]).toEqual([2, 'a rejected', 'b approved'])
  // What it had done before is not touched by that.
  desk.undo()
  expect([sent.length, ...standing(desk)]).toEqual([3, 'b approved'])
})

test('a deed about a result that has another name by now is taken back all the same', () => {
  const { desk, sent } = opened()
  desk.decide({ is: 'rejected' })
  const renamed = { ...shown('a'), address: 'z', job: 'z' }
  desk.change({ results: [renamed], order: ['z', 'b', 'c'] })
  desk.undo()
  expect(sent[1]?.verdicts).toMatchObject([{ address: 'a' }])
})

test('undo finds the result by what was bought, also where its name is that of another by now', () => {
  const results = [shown('a', { of: 'p' }), shown('b', { of: 'q' })]
  const server = pretended()
  const desk = openDesk({ ...page, results }, server.link, { cursor: 'a' }, () => undefined)
  desk.decide({ is: 'rejected' })
  server.answer(1)
  const swapped = [
    { ...shown('b', { of: 'q' }), address: 'a' },
    { ...shown('a', { of: 'p' }), address: 'b' },
  ]
  desk.change({
    results: swapped,
    verdicts: [{ ...verdict('a', 'rejected'), address: 'b', of: 'p' }],
    writes: 2,
  })
  desk.undo()
  expect(server.sent[1]?.verdicts).toMatchObject([{ address: 'a', of: 'p' }])
})

test('what waits goes along with what was seen when names are swapped, and a key on either ends no other', () => {
  const results = [shown('a', { of: 'p' }), shown('b', { of: 'q' })]
  const server = pretended()
  const desk = openDesk({ ...page, results }, server.link, { cursor: 'a' }, () => undefined)
  desk.decide({ is: 'rejected' })
  desk.change({
    results: [
      { ...shown('b', { of: 'q' }), address: 'a' },
      { ...shown('a', { of: 'p' }), address: 'b' },
    ],
  })
  expect(standing(desk)).toEqual(['b rejected'])
  desk.set({ cursor: 'a' })
  desk.decide({ stars: 5 })
  expect(standing(desk).toSorted()).toEqual(['a 5', 'b rejected'])
  expect(server.link.waiting().verdicts).toMatchObject([
    { address: 'a', of: 'p', is: 'rejected' },
    { address: 'a', of: 'q', stars: 5 },
  ])
  // Of one result the last word counts, under whatever name.
  desk.set({ cursor: 'b' })
  desk.decide({ stars: 1 })
  expect(server.link.waiting().verdicts).toMatchObject([{ of: 'q' }, { address: 'b', of: 'p', stars: 1 }])
})

test('a note goes to the result that somebody holds on to, whatever is called so by now, and to no other', () => {
  const results = [shown('a', { of: 'p' }), shown('b', { of: 'q' })]
  const server = pretended()
  const desk = openDesk({ ...page, results }, server.link, { cursor: 'a' }, () => undefined)
  const [held] = results
  desk.change({
    results: [
      { ...shown('b', { of: 'q' }), address: 'a' },
      { ...shown('a', { of: 'p' }), address: 'b' },
    ],
  })
  expect(desk.decide({ note: 'too dark' }, held)).toBe(true)
  expect(server.sent[0]?.verdicts).toMatchObject([{ address: 'b', of: 'p', note: 'too dark' }])
  expect(desk.state).toMatchObject({ cursor: 'a', said: 'b noted' })
  // Another take under its name, and other files of the same purchase, are not what was held.
  const others = [shown('b', { of: 'r' }), { ...shown('c', { of: 'p' }), address: 'b' }]
  for (const other of others) {
    desk.change({ results: [other] })
    expect(desk.decide({ note: 'too bright' }, held)).toBe(false)
  }
  expect(server.sent).toHaveLength(1)
})

test('what was saved stands before the server has told of it, and the next key goes by it', () => {
  const { desk, answer } = opened()
  desk.decide({ stars: 4 })
  answer(1)
  desk.decide({ is: 'approved' })
  expect(standing(desk)).toEqual(['a approved4'])
})

test('what the server read before does not undo what was saved since; what others decided comes in', () => {
  const { desk, answer } = opened()
  desk.decide({ is: 'approved' })
  answer(2)
  desk.change({ verdicts: [verdict('c', 'rejected')], writes: 1 })
  expect(standing(desk).toSorted()).toEqual(['a approved', 'c rejected'])
  desk.change({ given: [verdict('a', 'rejected')], writes: 1 })
  expect(standing(desk).toSorted()).toEqual(['a approved', 'c rejected'])
  desk.change({ given: [verdict('a', 'rejected')], writes: 3 })
  expect(standing(desk).toSorted()).toEqual(['a rejected', 'c rejected'])
  // Another server counts anew.
  desk.heardAnew()
  desk.change({ verdicts: [verdict('b', 'approved')], writes: 0 })
  expect(standing(desk)).toEqual(['b approved'])
  desk.change({ given: [verdict('c', 'approved')], writes: 1 })
  expect(standing(desk)).toEqual(['b approved', 'c approved'])
  // All that it sends may be overtaken on its way.
  desk.change({ verdicts: [verdict('b', 'approved')], writes: 0 })
  expect(standing(desk)).toEqual(['b approved', 'c approved'])
})

test('from the last a key leads to the first that is undecided, and nowhere where nothing is', () => {
  const { link } = pretended()
  const results = [shown('a'), shown('b'), shown('c'), shown('d', { files: [] })]
  const desk = openDesk({ ...page, results }, link, { cursor: 'c' }, () => undefined)
  desk.decide({ is: 'rejected' })
  expect([desk.state.cursor, desk.state.said]).toEqual(['a', 'c rejected; back to the first of 2 undecided'])
  desk.decide({ is: 'approved' })
  desk.decide({ is: 'rejected' })
  // Behind it is one that is decided already: so it was left.
  expect([desk.state.cursor, desk.state.said]).toEqual(['c', 'b rejected'])
  desk.decide({ is: 'rejected' })
  expect([desk.state.cursor, desk.state.said]).toEqual(['c', 'c rejected; nothing here is undecided'])
  desk.decide({ is: 'undecided' })
  expect([desk.state.cursor, desk.state.said]).toEqual(['c', 'c undecided'])
  desk.set({ choice: { ...desk.state.choice, chosen: { verdict: ['undecided'] } } })
  desk.decide({ is: 'approved' })
  expect([desk.state.cursor, desk.state.said]).toEqual(['c', 'c picked; nothing here is undecided'])
})

test('a result that leaves the list by its verdict is not the one that is judged next', () => {
  const { desk } = opened()
  desk.set({ choice: { ...desk.state.choice, chosen: { verdict: ['undecided'] } } })
  desk.decide({ is: 'approved' })
  expect([desk.state.cursor, desk.shown().map(({ address }) => address)]).toEqual(['b', ['b', 'c']])
})

test('a page that is only looked at decides nothing', () => {
  const server = pretended()
  const desk = openDesk({ ...page, can: { judge: false } }, server.link, { cursor: 'a' }, () => undefined)
  desk.decide({ is: 'approved' })
  expect(server.sent).toEqual([])
})

test('a duel keeps one of two takes at a time, and picks the last; each step is taken back by itself', () => {
  const results = [
    shown('hero'),
    shown('hero#2'),
    shown('hero#3', { files: [] }),
    shown('hero#4'),
    shown('cup'),
  ]
  const desk = openDesk({ ...page, results }, pretended().link, { cursor: 'hero#2' }, () => undefined)
  beginDuel(desk)
  // The one that is looked at is on the left.
  expect(desk.state).toMatchObject({
    cursor: 'hero#2',
    comparison: { with: 'hero', here: 'left', isDuel: true },
  })
  keepSide(desk, 'left')
  expect(desk.state).toMatchObject({ cursor: 'hero#2', comparison: { with: 'hero#4', here: 'left' } })
  keepSide(desk, 'right')
  expect(desk.state.comparison).toBeUndefined()
  expect(standing(desk)).toEqual(['hero rejected', 'hero#2 rejected', 'hero#4 approved'])
  desk.undo()
  expect(standing(desk)).toEqual(['hero rejected', 'hero#2 rejected'])
  desk.set({ cursor: 'cup' })
  beginDuel(desk)
  expect(desk.state.said).toBe('a duel takes two takes of one job that are not rejected')
})

test('an edited prompt is taken back in its turn, and why it is not is said', async () => {
  const { desk, sent } = opened()
  desk.edited({ what: 'the prompt of b is another now', address: 'b', edit: 'known' })
  desk.decide({ is: 'approved' })
  desk.undo()
  expect(sent).toHaveLength(2)
  desk.undo()
  await Promise.resolve()
  expect(desk.state).toMatchObject({
    cursor: 'b',
    said: 'the prompt of b is another now: taken back',
    undo: [],
  })
  desk.edited({ what: 'the prompt of b is another now', address: 'b', edit: 'other' })
  desk.undo()
  await Promise.resolve()
  expect(desk.state.said).toBe('not taken back: the manifest was changed meanwhile: look again')
})

test('an amount is shown of what was asked for last, and of nothing that was closed meanwhile', async () => {
  const { desk } = opened()
  const answers: (() => void)[] = []
  desk.link.quote = wish =>
    new Promise(resolve => answers.push(() => resolve({ trouble: JSON.stringify(wish) })))
  desk.decide({ is: 'rejected' })
  const first = quoteRejected(desk)
  const last = quoteRest(desk)
  answers[0]?.()
  await first
  expect(desk.state.dialog).toEqual({ is: 'quote', of: 'Order what is not there', wish: { run: true } })
  answers[1]?.()
  await last
  expect(desk.state.dialog).toMatchObject({ of: 'Order what is not there', trouble: '{"run":true}' })
  const closed = quoteRest(desk)
  desk.set({ dialog: undefined })
  answers[2]?.()
  await closed
  expect(desk.state.dialog).toBeUndefined()
})

test('of a job with an order in doubt no take more is asked for, and it keeps no other from one', async () => {
  const [cup, pot, lost] = [shown('cup'), shown('pot'), shown('pot#2', { standing: 'doubt', files: [] })]
  const { desk } = opened([cup, pot, lost])
  const wishes: unknown[] = []
  desk.link.quote = wish => {
    wishes.push(wish)
    return Promise.resolve({ trouble: 'not asked for here' })
  }
  for (const cursor of ['cup', 'pot']) {
    desk.set({ cursor })
    desk.decide({ is: 'rejected' })
  }
  await quoteRejected(desk)
  expect(wishes).toEqual([{ redo: ['cup'] }])
  expect(desk.state.dialog).toMatchObject({
    of: 'One take more where all are rejected; an order of pot is in doubt, and is settled first',
  })
})

test('an amount that stands open is counted anew with every change, and is over where that is another order', async () => {
  const { desk } = opened()
  const keep = quoteKeeper(desk)
  const quote = (id: string, plan: string) => ({ id, plan }) as ShownQuote // what matters here
  const answers = [quote('1', 'a'), quote('2', 'a'), quote('3', 'b'), quote('4', 'b')]
  let asked = 0
  desk.link.quote = () => Promise.resolve(answers[asked++] ?? { trouble: 'no more' })
  await keep()
  expect(asked).toBe(0)
  await quoteRest(desk)
  await keep()
  // The same, by the id under which the server has it now.
  expect(desk.state.dialog).toMatchObject({ quote: { id: '2' } })
  expect(desk.state.dialog).not.toHaveProperty('isOver')
  // Changes that come while it is counted are counted together.
  await Promise.all([keep(), keep(), keep()])
  expect(desk.state.dialog).toMatchObject({ quote: { id: '2' }, isOver: true })
  expect(asked).toBe(3)
  await keep()
  expect(asked).toBe(3)
  await quoteRest(desk)
  expect(desk.state.dialog).toMatchObject({ quote: { id: '4' } })
  expect(desk.state.dialog).not.toHaveProperty('isOver')
  await keep()
  expect(desk.state.dialog).toMatchObject({ isOver: true })
})

test('one take more is ordered where all are rejected, and not beside a take that was kept', async () => {
  const { link } = pretended()
  const asked: unknown[] = []
  link.quote = wish => Promise.resolve({ trouble: String(asked.push(wish)) })
  const results = [shown('hero'), shown('hero#2'), shown('cup'), shown('clip', { files: [] })]
  const desk = openDesk({ ...page, results }, link, { cursor: 'hero' }, () => undefined)
  desk.decide({ is: 'rejected' })
  await quoteRejected(desk)
  expect([asked, desk.state.said]).toEqual([[], 'there is no job of which everything is rejected'])
  desk.decide({ is: 'rejected' })
  await quoteRejected(desk)
  expect(asked).toEqual([{ redo: ['hero', 'hero#2'] }])
})

test('nothing is decided about what somebody altered, and who tries hears what to do', () => {
  const server = pretended()
  const [a, ...rest] = page.results
  const altered = { ...a!, files: [], altered: ['a.png'] }
  const desk = openDesk(
    { ...page, results: [altered, ...rest] },
    server.link,
    { cursor: 'a' },
    () => undefined,
  )
  for (const decision of [{ is: 'approved' }, { stars: 3 }, { note: 'x' }] as const) desk.decide(decision)
  expect([server.sent, desk.state.cursor]).toEqual([[], 'a'])
  expect(desk.state.said).toMatch(/^a was altered on disk \(a\.png\): .* Put back the file that was made/)
  // One file of two is enough.
  const half = { ...a!, altered: ['a-2.png'] }
  desk.change({ results: [half] })
  desk.decide({ is: 'approved' })
  expect(server.sent).toEqual([])
  desk.change({ results: [a!] })
  desk.decide({ is: 'approved' })
  expect(server.sent).toHaveLength(1)
})

test('a page that begins while the manifest cannot be read says so, until it can', () => {
  const desk = openDesk({ ...page, trouble: 'a tab' }, pretended().link, {}, () => undefined)
  expect(desk.state.trouble).toBe('a tab')
  desk.change({})
  expect(desk.state.trouble).toBeUndefined()
})

test('an undo that is refused is not said to be done', () => {
  const { desk, answer, refuse } = opened()
  desk.decide({ is: 'rejected' })
  answer(1)
  desk.undo()
  expect(desk.state.said).toBe('a rejected, taken back')
  refuse('a.png of a is gone')
  expect(desk.state.said).toBe('not noted: a.png of a is gone')
})

test('a pick during a run waits for it, and the next choice among the takes replaces it', () => {
  const takes = [
    { ...shown('t'), job: 't', take: 1, picked: true as const },
    { ...shown('t#2'), job: 't', take: 2, waits: 'take' as const },
  ]
  const server = pretended()
  const desk = openDesk({ ...page, results: takes, run: {} }, server.link, { cursor: 't' }, () => undefined)
  desk.decide({ is: 'approved' })
  expect(desk.state.said).toContain('t approved: its pick waits for the run')
  expect(server.sent[0]).toMatchObject({ picks: [{ address: 't' }], back: { picks: [{ address: 't#2' }] } })
  expect(takes.map(each => pickWord(each, { run: {} }))).toEqual(['picked', 'waits for the run'])
  // For a moment every pick waits, with no run at work.
  expect(takes.map(each => pickWord(each, {}))).toEqual(['picked', 'to be picked'])
})
