import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import { afterAll, expect, test } from 'vitest'
import { doubledWords, isReadable, missingWords, quotedTexts } from '../../src/looks/quoted-words.ts'
import { lookForWords } from '../../src/looks/words.ts'

test.each<[string, string[]]>([
  ['A sign "OPEN" by a road', ['OPEN']],
  [
    'Signs: “Grand Opening”, „Frische Brezeln“ and «Café  Olé»',
    ['Grand Opening', 'Frische Brezeln', 'Café Olé'],
  ],
  ["A shop that says 'Don't panic' on its door", ["Don't panic"]],
  ['A shop that says ‘Don’t panic’ on its door', ['Don’t panic']],
  ["The dogs' bowl and the cats' bed, rock'n'roll", []],
  ['A 12" record, and the word "SALE" twice: "SALE"', ['SALE']],
  ['Punctuation "?!" alone is no word', []],
  ['Nothing is quoted', []],
])('the texts in quotes of %j', (prompt, texts) => {
  expect(quotedTexts(prompt)).toEqual(texts)
})

test.each<[string, string[], string[]]>([
  ['Grand Opening', ['grand\n\n% OPENING'], []],
  ['Grand Opening', ['Grand Openin'], ['Opening']],
  // Read in two ways, a word in each.
  ['Grand Opening', ['Grand x', 'y Opening'], []],
  ['Mountain Trail', ['Mountain Trai]'], []],
  ['Café Olé', ['CAFE OLE'], []],
  ['Last Exit', ['LastExit', 'La st'], []],
  ['SALE', ['5ALE'], []],
  ['SALE', ['SAL'], ['SALE']],
  // Three letters are part of many words.
  ['TEA', ['STEAM'], ['TEA']],
  ['Fesh Coffee', ['Fresh Coffee'], ['Fesh']],
])('of %j, where %j was read, is missing', (text, read, missing) => {
  expect(missingWords(text, read)).toEqual(missing)
})

test.each<[string, string[], string[]]>([
  ['Grand Opening', ['Grand Oppening', 'Grand Opening'], ['Oppening']],
  ['LIBRARY', ['LIBRARY', 'LIIBRARY'], ['LIIBRARY']],
  ['Festival', ['Festivva]'], ['Festivva]']],
  ['Off and on', ['Offf', 'Of and on'], ['Offf']],
  // A line beside a word is no letter of it, and another word of the text is right.
  ['Sell the hotel', ['Sell| |the hotel]'], []],
  ['To Too', ['To', 'Too'], []],
  ['Door', ['Dor', 'Doors', 'Indoor'], []],
])('of %j, where %j was read, has a letter twice', (text, read, doubled) => {
  expect(doubledWords(text, read)).toEqual(doubled)
})

test('letters of other scripts are not read', () => {
  expect(['Straße', 'Ænima 42', 'Ωmega', 'ОТКРЫТО', '営業中'].map(isReadable)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

const folder = mkdtempSync(join(tmpdir(), 'genrun-words-'))
afterAll(() => rmSync(folder, { recursive: true }))

// The reader takes its two I's for one, until they are drawn wider.
GlobalFonts.registerFromPath(
  createRequire(import.meta.url).resolve('@fontsource/inter/files/inter-latin-700-normal.woff2'),
  'Inter Bold',
)

function look(shown: string, prompt: string, type = 'image/png', stop = AbortSignal.any([])) {
  const canvas = createCanvas(640, 320)
  const pen = canvas.getContext('2d')
  pen.fillStyle = '#f2e8d0'
  pen.fillRect(0, 0, 640, 320)
  pen.fillStyle = '#203040'
  pen.font = '64px "Inter Bold"'
  pen.fillText(shown, 40, 180)
  const path = join(folder, 'shown.png')
  writeFileSync(path, canvas.encodeSync('png'))
  return lookForWords({ path, type, prompt, stop })
}

const unseen = (why: string) => ({ look: 'words', verdict: 'not looked at', why })

test('a picture is read, and what it does not say is told', async () => {
  expect(await look('Grand Opening', 'A sign that says "Grand Opening"')).toBeUndefined()
  expect(await look('Grand Opnening', 'A sign that says "Grand Opening"')).toEqual({
    look: 'words',
    verdict: 'warn',
    why: 'it does not say “Opening”',
  })
  expect(await look('CIIVIL', 'A sign that says "CIVIL"')).toMatchObject({ verdict: 'warn' })
})

test('nothing is read where nothing is asked for, and what cannot be read has no flaw', async () => {
  expect(await look('Anything', 'A sign')).toBeUndefined()
  expect(await look('Anything', 'He says "Grand Opening"', 'video/mp4')).toEqual(
    unseen('words are looked for in pictures alone'),
  )
  expect(await look('Anything', 'A sign "営業中"')).toEqual(
    unseen('nobody here reads the letters of “営業中”'),
  )
  expect(await look('Anything', 'A sign "OPEN"', 'image/png', AbortSignal.abort())).toEqual(
    unseen('genrun was stopped'),
  )
  writeFileSync(join(folder, 'broken.png'), 'no picture')
  expect(
    await lookForWords({
      path: join(folder, 'broken.png'),
      type: 'image/png',
      prompt: 'A sign "OPEN"',
      stop: AbortSignal.any([]),
    }),
  ).toEqual(unseen('its words: it cannot be unpacked here'))
})
