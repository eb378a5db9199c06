import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import type { Shown, ShownPage } from '../../../src/page/client/shown.ts'
import { pageDocument } from '../../../src/page/document.ts'
import { freshFolder } from '../../e2e/executable.ts'
import { needs, whereIs } from '../../gateway/tools.ts'
import { pixel } from '../../verbs/bench.ts'
import { shown } from './shown.ts'

// Every key that the page's help names, pressed in a browser, with what is seen after it. From a file: no server is needed.

const url = `data:image/png;base64,${pixel.toString('base64')}`

function seen(address: string, more: Partial<Shown> = {}): Shown {
  const result = shown(address, more)
  return { ...result, files: result.files.map(file => ({ ...file, url })) }
}

const page: ShownPage = {
  name: 'tea',
  manifest: 'tea.yaml',
  isRehearsal: false,
  axes: { pot: ['colour', 'place'] },
  results: [
    ...['hero', 'hero#2', 'hero#3'].map(address => seen(address)),
    ...['red', 'black'].flatMap(colour =>
      ['slate', 'snow'].map(place => seen(`pot[${colour},${place}]`, { cell: { colour, place } })),
    ),
    {
      ...shown('voice', { kind: 'speech', model: 'fama-tts' }),
      files: [
        {
          key: 'f'.repeat(64),
          path: 'voice.wav',
          type: 'audio/wav',
          bytes: 44,
          seconds: 1,
          url: 'data:audio/wav;base64,UklGRg==',
          peaks: [1, 0.5],
        },
      ],
    },
  ],
  verdicts: [],
  can: { judge: true, sends: true, notBuy: 'nothing can be ordered from a report' },
  who: 'Mara',
}

/** What is on the page now. */
const looked = `(() => {
  const text = (selector, all = document) => all.querySelector(selector)?.textContent ?? ''
  const here = document.querySelector('.card.here')
  const dialog = document.querySelector('dialog')
  const compared = [...document.querySelectorAll('.compare .caption b')].map(each => each.textContent).join(' and ')
  return {
    at: here?.id.replace('result-', '') ?? '',
    is: ['approved', 'rejected', 'open'].find(each => here?.classList.contains(each)) ?? '',
    stars: text('.stars', here ?? undefined).length,
    marked: here?.classList.contains('marked') ?? false,
    over: dialog ? text('h2', dialog) : compared || text('.look h2'),
    slider: document.querySelector('.slider') !== null,
    near: document.querySelector('.stage.near') !== null,
    layout: document.querySelector('.list.grid') ? 'Grid' : text('.filters [aria-pressed=true]'),
    said: text('.said'),
    isOver: getComputedStyle(document.querySelector('.said span') ?? document.body).visibility === 'hidden',
    typing: document.activeElement.type === 'search',
    full: document.fullscreenElement !== null,
    played: globalThis.played ?? 0,
  }
})()`

const steps: readonly (readonly [keys: string, seen: { readonly [what: string]: unknown }])[] = [
  ['Home', { at: 'hero', is: 'open', layout: 'Wall' }],
  ['→', { at: 'hero#2' }],
  ['↓', { at: 'pot[black,slate]' }],
  ['↑', { at: 'hero#2' }],
  ['←', { at: 'hero' }],
  ['End', { at: 'voice' }],
  ['k', { played: 1 }],
  ['k', { played: 0 }],
  ['Home Enter', { over: 'hero' }],
  ['→', { over: 'hero#2' }],
  ['z', { near: true }],
  ['z', { near: false }],
  ['Enter', { over: '' }],
  ['Space', { over: 'hero#2' }],
  ['Esc', { over: '', at: 'hero#2' }],
  // One key decides and moves on; stars and notes stay.
  ['p', { at: 'hero#3', said: 'hero#2 picked' }],
  ['x', { at: 'pot[red,slate]', said: 'hero#3 rejected', isOver: false }],
  // What was said covers nothing for long.
  ['Home', { said: 'hero#3 rejected', isOver: true }],
  ['Home → 4', { at: 'hero#2', is: 'approved', stars: 4 }],
  ['1', { stars: 1 }],
  ['2', { stars: 2 }],
  ['3', { stars: 3 }],
  ['5', { stars: 5 }],
  ['0', { stars: 0 }],
  ['u', { at: 'hero#3', is: 'rejected', said: 'hero#2 undecided' }],
  ['Ctrl+Z', { at: 'hero#2', is: 'approved', said: 'hero#2 undecided, taken back' }],
  ['n', { over: 'A note on hero#2' }],
  ['Esc', { over: '' }],
  ['m', { marked: true }],
  ['Home c', { over: 'hero#2 and hero' }],
  ['s', { slider: true }],
  ['s', { slider: false }],
  ['v', { over: 'hero and hero#2', at: 'hero#2' }],
  ['Esc', { over: '' }],
  // Of the two takes that are not rejected one is left, and picked.
  ['d', { over: 'hero and hero#2' }],
  ['←', { over: '', said: 'hero picked' }],
  ['Home', { at: 'hero', is: 'approved' }],
  // A report has no manifest in which a prompt could be edited.
  ['e', { over: '', at: 'hero' }],
  ['f', { full: true }],
  ['f', { full: false }],
  // Its other takes were rejected for the one that is picked.
  ['r', { over: '', said: 'there is no job of which everything is rejected' }],
  ['x r', { over: 'One take more where all are rejected' }],
  ['Esc Ctrl+Z', { over: '', at: 'hero', is: 'approved' }],
  ['o', { over: 'Order what is not there' }],
  ['Esc', { over: '' }],
  // The grid has no heroes: nobody decides about what is not in sight.
  ['g', { layout: 'Grid', at: '' }],
  ['x', { said: 'nothing in sight is chosen: an arrow key chooses' }],
  ['Enter', { over: '' }],
  ['↓', { at: 'pot[red,slate]' }],
  ['↓', { at: 'pot[black,slate]' }],
  ['→', { at: 'pot[black,snow]' }],
  ['t', { layout: 'Takes', at: '' }],
  ['w', { layout: 'Wall', at: 'pot[black,snow]' }],
  ['/', { typing: true }],
  ['Esc', { typing: false }],
  ['Home', { is: 'approved' }],
]

const names: { readonly [key: string]: string } = {
  '←': 'ArrowLeft',
  '→': 'ArrowRight',
  '↑': 'ArrowUp',
  '↓': 'ArrowDown',
  Esc: 'Escape',
  Space: ' ',
  'Ctrl+Z': 'Control+z',
}

test('each key does what the help says, and the help names each', async context => {
  needs(context, 'chromium')
  const browser = await chromium.launch({ executablePath: whereIs('chromium'), args: ['--no-sandbox'] })
  onTestFinished(() => browser.close())
  const at = join(freshFolder(), 'report.html')
  writeFileSync(at, pageDocument('tea', page))
  const tab = await browser.newPage()
  const broken: string[] = []
  tab.on('pageerror', error => broken.push(String(error)))
  await tab.addInitScript(hearing)
  await tab.goto(pathToFileURL(at).href)
  await tab.keyboard.press('?')
  const named = await tab.locator('dialog kbd').allTextContents()
  await tab.keyboard.press('Escape')
  for (const [keys, seen] of steps) {
    for (const key of keys.split(' ')) await tab.keyboard.press(names[key] ?? key)
    await expect.poll(() => tab.evaluate(looked), { message: keys, timeout: 30_000 }).toMatchObject(seen)
  }
  // The browser tells of a closed dialog a moment later: a key that was pressed meanwhile has opened the next one.
  await tab.keyboard.press('?')
  await tab.evaluate(`(() => {
    document.querySelector('dialog').close()
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }))
  })()`)
  await tab.waitForTimeout(500)
  expect(await tab.evaluate(looked)).toMatchObject({ over: 'A note on hero' })
  const pressed = new Set(steps.flatMap(([keys]) => keys.split(' ')))
  const told = named
    .join(' ')
    .replace('1 – 5', '1 2 3 4 5')
    .replace('Ctrl Z', 'Ctrl+Z')
    .match(/[^ ,]+/g)
  expect(told).not.toContain('e')
  expect(told?.filter(each => !pressed.has(each))).toEqual(['wheel', 'drag', '?'])
  expect(broken).toEqual([])
})

/** Runs in the page: whether a sound is on. */
const hearing = `
  globalThis.played = 0
  const turned = isOn => function () {
    Object.defineProperty(this, 'paused', { value: !isOn, configurable: true })
    globalThis.played = Number(isOn)
    return Promise.resolve()
  }
  Object.assign(HTMLMediaElement.prototype, { play: turned(true), pause: turned(false) })
`
