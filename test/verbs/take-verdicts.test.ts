import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { takeClaim } from '../../src/store/claim/claim.ts'
import { made, teapots } from '../review/fixture.ts'

// `review --take`: a file that somebody sent, who may be anybody.

type Project = Awaited<ReturnType<typeof made>>

const digestOf = (it: Project, address: string) =>
  new RegExp(`"address":"${address}".*?"digest":"(sha256:\\w+)"`).exec(it.read('tea.preview.lock.json'))?.[1]

function verdict(it: Project, address: string, more: object = {}): object {
  const when = '2026-03-01T09:30:00Z'
  return { address, is: 'approved', who: 'Customer', when, seen: [digestOf(it, address)], ...more }
}

async function take(it: Project, verdicts: readonly object[], ...words: string[]) {
  const lines = verdicts.map(each => `${JSON.stringify(each)},\n`).join('')
  const text = `{"genrunReview":1,"manifest":"tea.yaml","verdicts":[\n${lines}null]}\n`
  writeFileSync(it.path('v.json'), text)
  return it.ran('review', 'tea.yaml', '--local', '--take', 'v.json', ...words)
}

const standing = (it: Project): string[] => {
  const path = it.path('tea.preview.review.json')
  if (!existsSync(path)) return []
  const { verdicts } = JSON.parse(readFileSync(path, 'utf8'))
  return verdicts
    .slice(0, -1)
    .map(({ address, is, stars, who }: Record<string, string>) =>
      [address, is, stars, who].filter(Boolean).join(' '),
    )
}

test('applies what fits, picks what is approved, and tells what does not fit any more', async () => {
  const it = await made()
  const other = `sha256:${'0'.repeat(64)}`
  const verdicts = [
    verdict(it, 'hero#3'),
    verdict(it, 'hero', { is: 'rejected', stars: 2, note: 'too dark' }),
    verdict(it, 'cup', { seen: [other] }),
    verdict(it, 'nobody', { seen: [other] }),
  ]
  const before = it.read('tea.preview.lock.json')
  const { code, stdout, stderr } = await take(it, verdicts)
  expect(stdout).toBe('hero#3: approved (Customer)\nhero: rejected, 2 stars, "too dark" (Customer)\n')
  expect(stderr).toBe(
    [
      'genrun: warning: not taken: the files of cup are others than those that were seen',
      'genrun: warning: not taken: there are no files of nobody',
      '2 verdicts taken, 2 not',
      'hero#3 is picked',
      '',
    ].join('\n'),
  )
  expect(code).toBe(8)
  expect(standing(it)).toEqual(['hero rejected 2 Customer', 'hero#3 approved Customer'])
  expect(it.read('tea.preview.lock.json')).not.toBe(before)
  // Once more is the same.
  expect(await take(it, verdicts.slice(0, 2))).toMatchObject({ code: 0 })
  // Of two approved takes nobody knows which is meant.
  expect((await take(it, [verdict(it, 'hero#2'), verdict(it, 'hero#4')])).stderr).toBe('2 verdicts taken\n')
})

test('what was decided here since stands; approving another take gives up the one before', async () => {
  const it = await made()
  const late = { when: '2026-03-02T00:00:00Z', who: 'Lead' }
  expect(
    (await take(it, [verdict(it, 'hero#2', late), verdict(it, 'cup', { ...late, stars: 1 })])).code,
  ).toBe(0)
  const { code, stderr } = await take(it, [
    verdict(it, 'cup', { is: 'rejected' }),
    verdict(it, 'hero#3', { when: '2026-03-02T00:00:01Z' }),
  ])
  expect(code).toBe(8)
  expect(stderr).toContain('not taken: Lead decided about cup since then')
  expect(standing(it)).toEqual(['cup approved 1 Lead', 'hero#2 Lead', 'hero#3 approved Customer'])
  // A date to come would win against everything that is decided until then; --as says whose verdicts they are.
  await take(it, [verdict(it, 'cup', { when: '2999-01-01T00:00:00Z' })], '--as', 'Ada')
  expect(standing(it)[0]).toBe('cup approved Ada')
  expect(it.read('tea.preview.review.json')).not.toContain('"when":"2999')
})

test('what came from a clock that is ahead is not taken as new once it was taken back', async () => {
  const it = await made()
  const sent = {
    is: 'rejected',
    when: '2999-01-01T00:00:00Z',
    dates: { '2999-01-02T00:00:00Z': '2000-01-01T00:00:00Z' },
  }
  const file = [verdict(it, 'cup', sent)]
  expect((await take(it, file)).code).toBe(0)
  expect((await take(it, file)).code).toBe(0)
  // It was a while ago.
  const taken = /"when":"([^"]+)"/.exec(it.read('tea.preview.review.json'))?.[1] ?? ''
  const then = it.read('tea.preview.review.json').replaceAll(taken, '2020-01-01T00:00:00Z')
  writeFileSync(it.path('tea.preview.review.json'), then)
  const serving = await it.review()
  const { is: _, ...back } = { ...JSON.parse(then.split('\n')[1]?.slice(0, -1) ?? ''), dates: undefined }
  const when = '2020-01-02T00:00:00Z'
  await serving.post('verdicts', { verdicts: [{ ...back, when }], picks: [] })
  await serving.stop()
  expect(standing(it)).toEqual(['cup Customer'])
  const { code, stderr } = await take(it, file)
  expect(stderr).toContain('not taken: Customer decided about cup since then')
  expect(code).toBe(8)
  // What a file says of such dates is not believed.
  await take(it, [verdict(it, 'hero#2', { is: 'rejected', dates: sent.dates })])
  expect(it.read('tea.preview.review.json').match(/"dates":[^}]+/g)).toEqual([
    '"dates":{"2999-01-01T00:00:00Z":"2020-01-01T00:00:00Z"',
  ])
  // Another one from there is new.
  const later = { ...sent, when: '2999-01-02T00:00:00Z' }
  expect((await take(it, [verdict(it, 'cup', later)])).code).toBe(0)
  expect(standing(it)).toEqual(['cup rejected Customer', 'hero#2 rejected Customer'])
})

test.each<[string, string | undefined, string]>([
  ['no JSON', 'hello', 'v.json:1:1: error: it is not a file of verdicts'],
  ['another file', '{"genrunLock":1}', 'v.json:1:1: error: it is not a file of verdicts'],
  [
    'a newer one',
    '{"genrunReview":2,"manifest":"m","verdicts":[null]}',
    'v.json:1:1: error: it was written by a newer genrun (format 2)',
  ],
  [
    'a verdict of another shape',
    '{"genrunReview":1,"manifest":"m","verdicts":[\n{"address":"cup","path":"/etc/passwd"},\nnull]}',
    'v.json:2:1: error: a verdict is not what genrun writes [unreadable-verdicts]\n2 | {"address":"cup"',
  ],
  ['a huge one', ' '.repeat(5 * 1024 * 1024), 'v.json:1:1: error: v.json is too large'],
  ['one that is not there', undefined, 'v.json:1:1: error: there is no file v.json [unreadable-verdicts]\n'],
  ['a folder', 'folder', 'v.json:1:1: error: v.json is a folder [unreadable-verdicts]\n'],
])('refuses %s, and writes nothing', async (_name, text, message) => {
  const it = await made()
  if (text === 'folder') mkdirSync(it.path('v.json'))
  else if (text !== undefined) writeFileSync(it.path('v.json'), text)
  const { code, stdout, stderr } = await it.ran('review', 'tea.yaml', '--local', '--take', 'v.json')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).toContain('  = hint: `--take` names the file of verdicts that the page of a report saves\n')
  expect(standing(it)).toEqual([])
})

test('a verdict that says nothing takes none away', async () => {
  const it = await made()
  await take(it, [verdict(it, 'cup', { who: 'Lead' })])
  const { code, stderr } = await take(it, [verdict(it, 'cup', { is: undefined })])
  expect(code).toBe(8)
  expect(stderr).toContain('not taken: it says nothing about cup')
  expect(standing(it)).toEqual(['cup approved Lead'])
})

test('what was taken back here since is not brought back by an older file', async () => {
  const it = await made()
  const file = [verdict(it, 'cup'), verdict(it, 'hero#2', { is: 'rejected' })]
  expect((await take(it, file)).code).toBe(0)
  const back = verdict(it, 'cup', { is: undefined, who: 'Lead', when: '2026-03-01T09:30:05Z' })
  writeFileSync(
    it.path('tea.preview.review.json'),
    it.read('tea.preview.review.json').replace(/\{"address":"cup".*,\n/, `${JSON.stringify(back)},\n`),
  )
  const { code, stderr } = await take(it, file)
  expect(stderr).toContain('not taken: Lead decided about cup since then')
  expect([code, standing(it)]).toEqual([8, ['cup Lead', 'hero#2 rejected Customer']])
  expect((await take(it, [verdict(it, 'cup', { when: '2026-03-01T09:30:06Z' })])).code).toBe(0)
})

test('an approval that another one ends says nothing any more, and the same file is taken twice', async () => {
  const it = await made()
  const late = { who: 'Lead', when: '2026-03-01T09:31:00Z' }
  await take(it, [verdict(it, 'hero#2')])
  expect((await take(it, [verdict(it, 'hero#3', late)])).code).toBe(0)
  expect(standing(it)).toEqual(['hero#2 Customer', 'hero#3 approved Lead'])
  expect(await take(it, [verdict(it, 'hero#3', late)])).toMatchObject({ code: 0 })
})

test('what a file says of a take stands, though its approval of another one ends the one of that', async () => {
  const it = await made()
  await take(it, [verdict(it, 'hero', { who: 'Lead', stars: 4 })])
  const late = { when: '2026-03-01T09:35:00Z' }
  const { stdout } = await take(it, [
    verdict(it, 'hero', { is: undefined, stars: 2, note: 'too dark', ...late }),
    verdict(it, 'hero#2', late),
  ])
  expect(stdout).toBe('hero: 2 stars, "too dark" (Customer)\nhero#2: approved (Customer)\n')
  expect(standing(it)).toEqual(['hero 2 Customer', 'hero#2 approved Customer'])
})

test('an approval of the only take picks it, as it does on the page', async () => {
  const it = await made()
  expect((await take(it, [verdict(it, 'cup')])).stderr).toBe('1 verdict taken\ncup is picked\n')
  expect(it.read('tea.preview.lock.json')).toMatch(/"address":"cup".*"picked":true/)
})

test('a file that was written before jobs got other names is taken', async () => {
  const it = await made()
  const file = [verdict(it, 'hero#2'), verdict(it, 'cup', { is: 'rejected' })]
  writeFileSync(it.path('tea.yaml'), teapots.replace('cup:', 'mug:').replaceAll('hero', 'teapot'))
  const first = await take(it, file)
  expect(first).toEqual({
    code: 0,
    stdout: 'teapot#2: approved (Customer)\nmug: rejected (Customer)\n',
    stderr:
      '2 verdicts taken\nteapot#2 waits to be picked: the files of teapot#2 do not have their names yet: the next run gives them these, and picks it\n',
  })
  expect(standing(it)).toEqual(['mug rejected Customer', 'teapot#2 approved Customer'])
  // The next run moves its files, picks it, and makes the clip, which waited for that.
  expect((await it.ran('tea.yaml', '--local', '--quiet')).code).toBe(0)
  expect(await take(it, file)).toMatchObject({ code: 0, stderr: '2 verdicts taken\n' })
  // Under its own name it counts, whatever is said under the other.
  const { stdout } = await take(it, [
    verdict(it, 'mug', { when: '2026-03-03T00:00:00Z', stars: 2 }),
    verdict(it, 'cup', { seen: [digestOf(it, 'mug')], when: '2026-03-04T00:00:00Z', is: 'rejected' }),
  ])
  expect(stdout).toBe('mug: approved, 2 stars (Customer)\n')
})

test('while a run is at work an approved take waits to be picked, and the next run picks it', async () => {
  const it = await made()
  await it.ran('pick', 'tea.yaml', 'hero#2', '--local')
  const claimed = await takeClaim(it.path('.genrun/tea.preview/claim'))
  const { code, stdout, stderr } = await take(it, [verdict(it, 'hero#3')])
  expect([code, stdout]).toEqual([0, 'hero#3: approved (Customer)\n'])
  expect(stderr).toMatch(/^1 verdict taken\nhero#3 waits to be picked: another genrun is at work/)
  // Once more is the same: nobody has picked another take since.
  expect((await take(it, [verdict(it, 'hero#3')])).stderr).toBe(stderr)
  if (claimed.got === 'claim') await claimed.claim.release()
  expect((await it.ran('tea.yaml', '--local', '--quiet')).code).toBe(0)
  expect(it.read('tea.preview.lock.json')).toMatch(/"address":"hero#3".*"picked":true,"byHand":true/)
  expect(it.read('tea.preview.review.json')).not.toContain('picks')
})

test('a file that names what was bought is about that, whatever has its name by now', async () => {
  const it = await made()
  const of = (address: string) =>
    new RegExp(`"address":"${address}","state":"\\w+","id":"([^"]+)"`).exec(
      it.read('tea.preview.lock.json'),
    )?.[1]
  const [cup, hero] = [of('cup'), of('hero#2')]
  const file = [
    verdict(it, 'cup', { is: 'rejected', of: cup }),
    verdict(it, 'hero#2', { is: 'rejected', stars: 2, of: hero }),
    // Later about the same, under a name that it had in between.
    verdict(it, 'hero#2', {
      address: 'old#2',
      is: 'rejected',
      stars: 1,
      when: '2026-03-01T09:31:00Z',
      of: hero,
    }),
  ]
  const swapped = teapots.replace('cup:', 'mug:').replaceAll('hero', 'cup').replace('mug:', 'hero:')
  writeFileSync(it.path('tea.yaml'), swapped)
  const { stdout } = await take(it, file)
  expect(stdout).toBe('hero: rejected (Customer)\ncup#2: rejected, 1 star (Customer)\n')
  expect(it.read('tea.preview.review.json')).toContain(`"of":"${hero}"},`)
  // One that does not name it is told it here.
  await take(it, [verdict(it, 'cup', { address: 'hero', when: '2026-03-02T09:30:00Z' })])
  expect(it.read('tea.preview.review.json')).toMatch(
    new RegExp(`"address":"hero","is":"approved".*"of":"${cup}"`),
  )
})

test('texts of the file are shown as texts', async () => {
  const it = await made()
  const { stdout } = await take(it, [verdict(it, 'cup', { who: 'E\u001b[2Jvil', note: 'a\u001b]0;b\u0007' })])
  expect(stdout).not.toContain('\u001b')
})

test('about a file that was altered, or is gone, is not taken, and picks nothing', async () => {
  const it = await made()
  const third = it.path('out/tea.preview/takes/hero.take3.png')
  const bytes = readFileSync(third)
  writeFileSync(third, Buffer.concat([bytes.subarray(0, -20), bytes.subarray(-20).map(each => each ^ 1)]))
  rmSync(it.path('out/tea.preview/cup.png'))
  const verdicts = ['hero#3', 'hero#2', 'cup'].map(address =>
    verdict(it, address, { is: address === 'hero#2' ? 'rejected' : 'approved' }),
  )
  const { code, stdout, stderr } = await take(it, verdicts)
  expect(stdout).toBe('hero#2: rejected (Customer)\n')
  expect(stderr).toContain('not taken: hero#3 was altered since it was made (takes/hero.take3.png): put back')
  expect(stderr).toContain('not taken: the files of cup are others than those that were seen')
  expect(stderr).toContain('1 verdict taken, 2 not')
  expect(stderr).not.toContain('picked')
  expect([code, standing(it)]).toEqual([8, ['hero#2 rejected Customer']])
})

test('an approval of another take stands where that is not taken which would end it', async () => {
  const it = await made()
  expect((await take(it, [verdict(it, 'hero#2')])).code).toBe(0)
  const third = it.path('out/tea.preview/takes/hero.take3.png')
  const bytes = readFileSync(third)
  writeFileSync(third, Buffer.concat([bytes.subarray(0, -20), bytes.subarray(-20).map(each => each ^ 1)]))
  expect((await take(it, [verdict(it, 'hero#3')])).code).toBe(8)
  expect(standing(it)).toEqual(['hero#2 approved Customer'])
})

const picked = (it: Project) =>
  /"address":"(hero[^"]*)".*"picked":true/.exec(it.read('tea.preview.lock.json'))?.[1]

test('an approval that is older than one of another take gives that up no more, and picks nothing', async () => {
  const it = await made()
  const [old, late] = [
    [verdict(it, 'hero')],
    [verdict(it, 'hero#2', { who: 'Lead', when: '2026-03-01T09:30:02Z' })],
  ]
  expect((await take(it, old)).stderr).toBe('1 verdict taken\nhero is picked\n')
  expect((await take(it, late)).stderr).toContain('hero#2 is picked')
  const again = await take(it, old)
  expect(again).toEqual({
    code: 8,
    stdout: '',
    stderr:
      'genrun: warning: not taken: the approval of hero is older than what Lead decided about hero#2\n0 verdicts taken, 1 not\n',
  })
  expect(standing(it)).toEqual(['hero Customer', 'hero#2 approved Lead'])
  expect(picked(it)).toBe('hero#2')
  // A rejection picks nothing, and is about its take alone.
  expect((await take(it, [verdict(it, 'hero', { is: 'rejected' })])).code).toBe(0)
  expect(standing(it)).toEqual(['hero rejected Customer', 'hero#2 approved Lead'])
  // Of a take whose file was altered somebody decided all the same.
  writeFileSync(it.path('out/tea.preview/hero.png'), 'altered')
  expect((await take(it, [verdict(it, 'hero#3')])).stderr).toContain(
    'older than what Lead decided about hero#2',
  )
  expect(picked(it)).toBe('hero#2')
})

test('an approval is older than any other decision about a take of its job, but not than what its own file says', async () => {
  const it = await made()
  const file = [
    verdict(it, 'hero#2'),
    verdict(it, 'hero#3', { is: 'rejected', when: '2026-03-01T09:30:02Z' }),
  ]
  expect((await take(it, file)).stderr).toContain('hero#2 is picked')
  expect(await take(it, file)).toMatchObject({ code: 0, stderr: '2 verdicts taken\n' })
  const { code, stderr } = await take(it, [verdict(it, 'hero#4')])
  expect(stderr).toContain('the approval of hero#4 is older than what Customer decided about hero#3')
  expect([code, picked(it)]).toEqual([8, 'hero#2'])
})

test('a file that was taken before does not reverse a later pick', async () => {
  const it = await made()
  const file = [verdict(it, 'hero#2'), verdict(it, 'cup')]
  expect((await take(it, file)).code).toBe(0)
  expect((await it.ran('pick', 'tea.yaml', 'hero#3', '--local')).code).toBe(0)
  const { code, stdout, stderr } = await take(it, file)
  expect(stdout).toBe('cup: approved (Customer)\n')
  expect(stderr).toContain(
    "not taken: the approval of hero#2 was taken before, and hero#3 is picked by now; `genrun pick tea.yaml 'hero#2' --local` picks hero#2",
  )
  expect([code, picked(it)]).toEqual([8, 'hero#3'])
  // What was decided later is.
  expect((await take(it, [verdict(it, 'hero#2', { when: '2026-03-01T09:31:00Z' })])).code).toBe(0)
  expect(picked(it)).toBe('hero#2')
})

test('an approval of what an edited prompt no longer asks for waits, says why, and is carried out once that is undone', async () => {
  const it = await made()
  writeFileSync(it.path('tea.yaml'), teapots.replace('A celadon teapot', 'A jade teapot'))
  const file = [verdict(it, 'hero#2')]
  const said =
    '1 verdict taken\nhero#2 waits to be picked: what was seen of hero#2 is not what it asks for by now ' +
    '(prompt A celadon teapot → A jade teapot (tea.yaml:4)): it is picked when it asks for that again\n'
  expect(await take(it, file)).toMatchObject({ code: 0, stderr: said })
  expect(standing(it)).toEqual(['hero#2 approved Customer'])
  // Once more is the same.
  expect(await take(it, file)).toMatchObject({ code: 0, stderr: said })
  // By a word of its own it is what the manifest has now that is meant.
  expect((await it.ran('pick', 'tea.yaml', 'hero#2', '--local')).stderr).toContain(
    'hero#2 is not made yet as it is asked for by now',
  )
  writeFileSync(it.path('tea.yaml'), teapots)
  expect((await it.ran('tea.yaml', '--local', '--quiet')).code).toBe(0)
  expect(picked(it)).toBe('hero#2')
  expect(it.read('tea.preview.review.json')).not.toContain('picks')
})
