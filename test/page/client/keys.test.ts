import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { toPcm, wav } from '../../../src/gateway/render/sound/wav.ts'
import type { Shown, ShownPage } from '../../../src/page/data/shown.ts'
import { needs } from '../../gateway/tools.ts'
import { seen, shown } from '../data/shown.ts'
import { dot, tabs } from './tab.ts'

// Every key that the page's help names, pressed in a browser, with what is seen after it. From a file: no server is needed.

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
  who: 'Lead',
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
  // What is covered is not drawn anew.
  ['→', { over: 'hero#2', at: 'hero' }],
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
  ['v', { over: 'hero and hero#2' }],
  ['Esc', { over: '' }],
  // Of the two takes that are not rejected one is left, and picked.
  ['d', { over: 'hero#2 and hero' }],
  ['→', { over: '', said: 'hero picked' }],
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
  ['e', { said: 'nothing in sight is chosen: an arrow key chooses' }],
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

const tabWith = tabs()

function until(tab: Page, what: string) {
  return expect.poll(() => tab.evaluate(what), { message: what, timeout: 30_000 })
}

test('each key does what the help says, and the help names each', async context => {
  needs(context, 'chromium')
  const tab = await tabWith(page, hearing)
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
})

/** How much of the chosen card is in sight, in percent, beside and below the heads that stick. */
const inSight = `(() => {
  const list = document.querySelector('.list').getBoundingClientRect()
  const card = document.querySelector('.card.here')?.getBoundingClientRect()
  if (!card) return 'nowhere'
  const heads = document.querySelector('.corner')?.getBoundingClientRect() ?? { right: list.left, bottom: list.top }
  const wide = Math.min(card.right, list.right, innerWidth) - Math.max(card.left, heads.right)
  const high = Math.min(card.bottom, list.bottom, innerHeight) - Math.max(card.top, heads.bottom)
  return Math.round((100 * Math.max(0, wide) * Math.max(0, high)) / (card.width * card.height))
})()`

test('the chosen card is in sight after each arrow, also where a row of the grid is higher than the window', async context => {
  needs(context, 'chromium')
  const cells = page.results.filter(({ cell }) => cell.colour !== undefined)
  const takes = cells.flatMap(each => [
    each,
    ...[2, 3].map(take => seen(`${each.address}#${take}`, { cell: each.cell, take, job: each.address })),
  ])
  const [first, ...rest] = takes
  const turned = 'ab\u202ecd\u2066e'
  const broken = {
    ...first!,
    tags: [turned, 'b'],
    prompt: `${turned}\nשלום`,
    files: first!.files.map(file => ({ ...file, url: 'data:image/png;base64,AAAA' })),
  }
  const tab = await tabWith({ ...page, results: [broken, ...rest] }, '')
  // The second is a usual window at 400 %.
  const sizes = [
    { width: 360, height: 560 },
    { width: 320, height: 256 },
  ]
  for (const layout of ['g', 'w', 'g low', 'w low'])
    for (const key of [layout, 'Home', '↓', '↓', '↓', '↑', '→', '→', 'x', '→', 'End', '←', '↑']) {
      if (key === layout) await tab.setViewportSize(sizes[layout.endsWith('low') ? 1 : 0]!)
      await tab.keyboard.press(key === layout ? key.slice(0, 1) : (names[key] ?? key))
      if (key !== layout)
        await expect.poll(() => tab.evaluate(inSight), { message: `${layout} ${key}` }).toBe(100)
    }
  // What is above the list does not run through what is below it, and a picture has most of the window.
  await tab.keyboard.press('g')
  expect(
    await tab.evaluate(`(() => {
      const [axes, list, bottom] = ['.axes', '.list', '.bottom'].map(each => document.querySelector(each).getBoundingClientRect())
      return axes.bottom <= list.top && list.bottom <= bottom.top
    })()`),
  ).toBe(true)
  await tab.keyboard.press('Enter')
  expect(
    await tab.evaluate(`(() => {
      const { top, bottom } = document.querySelector('.look .stage').getBoundingClientRect()
      return Math.min(innerHeight, bottom) - top > innerHeight / 2
    })()`),
  ).toBe(true)
  for (const key of ['c', 's']) {
    await tab.keyboard.press(key)
    expect(
      await tab.evaluate(`[...document.querySelectorAll('.compare .stage')].every(each => {
        const { top, bottom, width } = each.getBoundingClientRect()
        return width > innerWidth / 3 && Math.min(innerHeight, bottom) - top > innerHeight / 2
      })`),
      key,
    ).toBe(true)
  }
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Escape')
  await tab.setViewportSize(sizes[0]!)

  // What cannot be drawn is no broken image.
  await tab.keyboard.press('Home')
  expect(await tab.locator('.card.here .none').textContent()).toBe('it cannot be shown')
  await tab.keyboard.press('Enter')
  await tab.locator('.look .stage .none').getByText('it cannot be shown').waitFor()
  await tab.keyboard.press('Escape')

  // What turns a text around ends with it, is seen, and is copied as it is.
  await tab.keyboard.press('w')
  await tab.setViewportSize({ width: 1280, height: 800 })
  await tab.reload()
  await tab.keyboard.press('Home')
  await tab.keyboard.press('Enter')
  expect(await tab.locator('.about .prompt').textContent()).toBe(`${turned}\nשלום`)
  expect(
    await tab.evaluate(`(() => {
      getSelection().selectAllChildren(document.querySelector('.about .prompt'))
      return getSelection().toString()
    })()`),
  ).toBe(`${turned}\nשלום`)
  await tab.keyboard.press('Escape')
  expect(
    await tab.evaluate(`(() => {
      const chip = [...document.querySelectorAll('.chip')].find(each => each.textContent.includes('cd'))
      const [text, count] = ['bdi', 'small'].map(each => chip.querySelector(each).getBoundingClientRect())
      const codes = [...chip.querySelectorAll('.control')].map(each => getComputedStyle(each, '::before').content)
      // In the order in which they were written, each letter to the right of the one before.
      const places = [...chip.querySelector('bdi').childNodes].map(node => {
        const range = document.createRange()
        range.selectNode(node)
        return range.getBoundingClientRect().left
      })
      return [codes, count.left >= text.right, places.join() === places.toSorted((a, b) => a - b).join()]
    })()`),
  ).toEqual([['"\\\\u{202e}"', '"\\\\u{2066}"'], true, true])

  // The first stop of the tabulator leads past all chips; what it stands on is pressed by the keyboard, and no card is opened by that.
  await tab.setViewportSize({ width: 360, height: 560 })
  await tab.reload()
  await tab.keyboard.press('Tab')
  expect(await tab.evaluate(`getComputedStyle(document.activeElement).opacity`)).toBe('1')
  await tab.keyboard.press('Enter')
  expect(await tab.evaluate(`document.activeElement.ariaLabel`)).toBe('Results')
  expect(await tab.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('none')
  await tab.locator('summary').focus()
  await tab.keyboard.press('Enter')
  expect(await tab.locator('.filters').getAttribute('open')).not.toBeNull()
  expect(await tab.locator('.look').count()).toBe(0)
})

test('sounds share one player: the next one stops the last, and a click goes to its place', async context => {
  needs(context, 'chromium')
  const sound = `data:audio/wav;base64,${tone(30).toString('base64')}`
  const spoken = (address: string): Shown => ({
    ...shown(address, { kind: 'speech' }),
    files: [
      {
        ...{ key: address.repeat(64), path: `${address}.wav`, type: 'audio/wav', bytes: 44, seconds: 30 },
        ...{ url: `${sound}#${address}`, peaks: [1, 0.5] },
      },
    ],
  })
  const tab = await tabWith({ ...page, axes: {}, results: ['a', 'b'].map(spoken) }, counting)
  const now = `sounds.map(each => [each.src.replace(/.*#/, ''), each.paused ? 'silent' : 'heard'].join(' ')).join()`
  await tab.keyboard.press('Home')
  await tab.keyboard.press('k')
  await until(tab, now).toBe('a heard')
  await until(tab, 'sounds[0].currentTime > 0').toBe(true)
  await tab.keyboard.press('ArrowRight')
  await tab.keyboard.press('k')
  await until(tab, now).toBe('b heard')
  // As large as there is room it is the same player.
  await tab.keyboard.press('Enter')
  const { x, y, width, height } = (await tab.locator('.seekable').boundingBox())!
  await tab.mouse.click(x + width / 2, y + height / 2)
  await until(tab, 'Math.abs(sounds[0].currentTime - 15) < 5').toBe(true)
  await tab.getByRole('button', { name: 'Play or pause' }).click()
  await until(tab, now).toBe('b silent')
  await tab.keyboard.press('k')
  await until(tab, now).toBe('b heard')
})

test('paper has the picture and the caption of every result, and nothing to press', async context => {
  needs(context, 'chromium')
  const count = 90
  const results = Array.from({ length: count }, (_, nth) => {
    const cell = { nth: String(Math.floor(nth / 5)), view: 'abcde'[nth % 5] ?? '' }
    const result = shown(`pot[${cell.nth},${cell.view}]`, { cell })
    return { ...result, files: result.files.map(file => ({ ...file, url: dotOf(nth) })) }
  })
  const tab = await tabWith({ ...page, axes: { pot: ['nth', 'view'] }, results }, '')
  await tab.setViewportSize({ width: 1400, height: 700 })
  expect(await tab.locator('.card').count()).toBeLessThan(count)
  const sheets = async () => {
    const text = (await tab.pdf({ format: 'A4' })).toString('latin1')
    return {
      pictures: text.match(/\/Subtype\s*\/Image\b/g)?.length,
      sheets: text.match(/\/Type\s*\/Page\b/g)?.length ?? 0,
    }
  }
  for (const layout of ['w', 'g']) {
    await tab.keyboard.press(layout)
    const { pictures, sheets: many } = await sheets()
    expect(pictures, layout).toBe(count)
    expect(many, layout).toBeGreaterThan(1)
  }
  // Also what is covered.
  await tab.keyboard.press('w')
  await tab.keyboard.press('Enter')
  expect((await sheets()).pictures).toBe(count)
  await tab.keyboard.press('Enter')
  // What a printer is sent, looked at as a page of its width.
  await tab.emulateMedia({ media: 'print' })
  await tab.setViewportSize({ width: 720, height: 1000 })
  await tab.evaluate(`dispatchEvent(new Event('beforeprint'))`)
  const names = results.map(({ cell }) => `${cell.nth} · ${cell.view}`)
  for (const layout of ['w', 'g']) {
    await tab.keyboard.press(layout)
    await until(tab, `document.querySelectorAll('.card').length`).toBe(count)
    await until(tab, `document.querySelector('.list.grid') !== null`).toBe(layout === 'g')
    expect(await tab.evaluate(onPaper), layout).toEqual({ cut: [], over: [], press: [], names })
  }
  await tab.emulateMedia({ media: 'screen' })
  await tab.evaluate(`dispatchEvent(new Event('afterprint'))`)
  await until(tab, `document.querySelectorAll('.card').length < ${count}`).toBe(true)
})

test('pictures that are not in sight are waited for before it is printed', async context => {
  needs(context, 'chromium')
  const results = Array.from({ length: 90 }, (_, nth) => {
    const result = shown(`pot-${nth}`)
    return { ...result, files: result.files.map(file => ({ ...file, url: `./dot.bmp?${nth}` })) }
  })
  const printing = `globalThis.print = () => {
    globalThis.printed = [...document.images].filter(each => each.complete && each.naturalWidth > 0).length
  }`
  const tab = await tabWith({ ...page, axes: {}, results }, printing)
  await tab.keyboard.press('Control+p')
  await until(tab, 'globalThis.printed').toBe(90)
})

/** So many seconds of a sound that is heard. */
function tone(seconds: number): Buffer {
  const rate = 4000
  const samples = Float32Array.from({ length: seconds * rate }, (_, at) => Math.sin(at / 2) / 2)
  return Buffer.from(wav(toPcm(rate, [samples])))
}

function dotOf(nth: number): string {
  return `data:image/bmp;base64,${dot(nth).toString('base64')}`
}

/** Runs in the page: cards that are cut off or lie over another, what could be pressed, and all captions. */
const onPaper = `(() => {
  const cards = [...document.querySelectorAll('.card')]
  const isSeen = each => each.checkVisibility() && each.getBoundingClientRect().width > 1
  const boxes = cards.map(each => each.getBoundingClientRect())
  const isIn = ({ left, right }) => left >= 0 && right <= innerWidth
  const crosses = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
  const hasPicture = card => [...card.querySelectorAll('img')].some(each => isSeen(each) && each.naturalWidth > 0)
  return {
    cut: cards.filter((each, nth) => !isIn(boxes[nth]) || !isSeen(each) || !hasPicture(each)).map(each => each.id),
    over: cards.filter((_, nth) => boxes.some((box, at) => at !== nth && crosses(box, boxes[nth]))).map(each => each.id),
    press: [...document.querySelectorAll('button, input, select, summary')].filter(isSeen).map(each => each.outerHTML),
    names: cards.map(each => each.querySelector('.cap b').textContent),
  }
})()`

/** Runs in the page: all players that were ever made. */
const counting = `
  globalThis.sounds = []
  globalThis.Audio = class {
    constructor() {
      const audio = document.createElement('audio')
      sounds.push(audio)
      return audio
    }
  }
`

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
