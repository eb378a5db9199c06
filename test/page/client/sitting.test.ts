import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { toPcm, wav } from '../../../src/gateway/render/sound/wav.ts'
import { peaksIn } from '../../../src/page/data/bars.ts'
import type { Shown, ShownPage } from '../../../src/page/data/shown.ts'
import { needs } from '../../gateway/tools.ts'
import { seen, shown } from '../data/shown.ts'
import { tabs } from './tab.ts'

// The page by hand and by keys, in a browser: what is begun, compared and told on it. From a file: no server is needed.

const page: ShownPage = {
  name: 'tea',
  manifest: 'tea.yaml',
  isRehearsal: false,
  axes: {},
  results: ['hero', 'hero#2', 'hero#3', 'cup'].map(address => seen(address)),
  verdicts: [],
  can: { judge: true, sends: true, notBuy: 'nothing can be ordered from a report' },
  who: 'Lead',
}

const tabWith = tabs()

/** A telephone. */
const telephone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }

/** What keeps somebody from using it who sees little, or has no mouse. */
async function hindrances(tab: Page): Promise<string[]> {
  await tab.evaluate(axe.source)
  const { violations } = (await tab.evaluate('axe.run()')) as axe.AxeResults // what it resolves with
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

/** What can be pressed there, and is narrower or lower than a fingertip. */
const small = (least: number) => `[...document.querySelectorAll('.decisions button')].flatMap(each => {
  const { width, height, left, right } = each.getBoundingClientRect()
  const fits = width >= ${least} && height >= ${least} && left >= 0 && right <= innerWidth
  return fits ? [] : [each.textContent + ' ' + width + 'x' + height]
})`

test('by touch a note is written and a duel is begun, where the other actions are', async context => {
  needs(context, 'chromium')
  const tab = await tabWith(page, '', telephone)
  const decide = tab.getByRole('group', { name: 'Decide' })
  await tab.locator('[id="result-hero#2"]').tap()
  // The wall has no buttons.
  expect(await decide.count()).toBe(0)
  await tab.locator('[id="result-hero#2"]').tap()
  expect(await tab.evaluate(small(36))).toEqual([])
  expect(await hindrances(tab)).toEqual([])
  await decide.getByRole('button', { name: 'Note…' }).tap()
  await tab.getByRole('textbox', { name: 'Note' }).fill('The handle is too thin')
  await tab.getByRole('button', { name: 'Keep' }).tap()
  await tab.locator('.about q').getByText('The handle is too thin').waitFor()
  await decide.getByRole('button', { name: 'Duel' }).tap()
  expect(await tab.locator('.compare .caption b').allTextContents()).toEqual(['hero#2', 'hero'])
  await tab.getByRole('button', { name: 'Keep the left' }).tap()
  await tab.getByRole('button', { name: 'Keep the left' }).tap()
  await tab.locator('.said').getByText('hero#2 picked').waitFor()

  // A result alone is in no duel.
  await tab.getByRole('button', { name: 'Back to all results' }).tap()
  await tab.locator('#result-cup').tap()
  await tab.locator('#result-cup').tap()
  expect(await decide.getByRole('button', { name: 'Duel' }).isDisabled()).toBe(true)

  // Where takes stand side by side it is done there.
  await tab.getByRole('button', { name: 'Back to all results' }).tap()
  await tab.getByText('Layout and filters').tap()
  await tab.getByRole('button', { name: 'Takes' }).tap()
  await tab.getByText('Layout and filters').tap()
  await tab.locator('[id="result-hero#3"]').tap()
  expect(await tab.evaluate(small(36))).toEqual([])
  expect(await hindrances(tab)).toEqual([])
  await decide.getByRole('button', { name: 'Undecided' }).tap()
  await decide.getByRole('button', { name: 'Note…' }).tap()
  await tab.getByRole('dialog', { name: 'A note on hero#3' }).waitFor()
  await tab.getByRole('button', { name: 'Cancel' }).tap()
  await decide.getByRole('button', { name: 'Duel' }).tap()
  expect(await tab.locator('.compare .caption b').allTextContents()).toEqual(['hero#3', 'hero#2'])
})

test('by a pointer no button of a decision is smaller than 24 pixels, and each tells its key', async context => {
  needs(context, 'chromium')
  const tab = await tabWith(page)
  await tab.keyboard.press('Enter')
  expect(await tab.evaluate(small(24))).toEqual([])
  expect(await tab.locator('.decisions kbd').allTextContents()).toEqual(['p', 'x', 'u', 'n', 'c', 'd'])
})

test('a note that is begun and left stays as a draft, beyond a reload, until it is kept or discarded', async context => {
  needs(context, 'chromium')
  const tab = await tabWith(page)
  const dialog = tab.getByRole('dialog', { name: 'A note on hero' })
  const text = tab.getByRole('textbox', { name: 'Note' })
  const said = tab.locator('.said')
  // Where nothing was typed Esc closes.
  await tab.keyboard.press('n')
  await tab.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await tab.keyboard.press('n')
  await tab.keyboard.type('Half of a th')
  await tab.keyboard.press('Escape')
  await dialog.getByText('It stays here as a draft. Esc again closes.').waitFor()
  expect(await text.inputValue()).toBe('Half of a th')
  expect(await hindrances(tab)).toEqual([])
  await tab.keyboard.type('ought')
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Escape')
  await said.getByText('the note on hero is a draft: n goes on with it').waitFor()
  await dialog.waitFor({ state: 'detached' })
  // It is of that result, and of no other; it is no verdict.
  await tab.keyboard.press('ArrowRight')
  await tab.keyboard.press('n')
  expect(await text.inputValue()).toBe('')
  await tab.keyboard.press('Escape')
  expect(await tab.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
  await tab.reload()
  await tab.keyboard.press('Home')
  await tab.keyboard.press('Enter')
  await tab.getByRole('button', { name: 'Draft…' }).click()
  expect(await text.inputValue()).toBe('Half of a thought')
  await tab.getByRole('button', { name: 'Keep' }).click()
  await tab.locator('.about q').getByText('Half of a thought').waitFor()
  // What was kept is undone as before, and discarding takes away no more than the draft.
  await tab.keyboard.press('n')
  await tab.keyboard.type(', and more')
  await tab.getByRole('button', { name: 'Discard the draft' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await tab.locator('.about q').textContent()).toBe('Half of a thought')
  expect(await tab.getByRole('button', { name: 'Note…' }).count()).toBe(1)
  await tab.keyboard.press('Control+z')
  await tab.locator('.about q').waitFor({ state: 'detached' })
})

test('the one that was looked at first is on the left, compared, behind the slider and in a duel', async context => {
  needs(context, 'chromium')
  const tab = await tabWith({
    ...page,
    results: ['hero', 'hero#2', 'hero#3'].map(address => seen(address, { prompt: `Asked as ${address}` })),
  })
  /** Captions from left to right, what is decided on among them, and which picture the slider has on its left. */
  const sides = async () => {
    const [left, right] = await tab.locator('.two.captions .caption').all()
    const [one, other] = [await left!.boundingBox(), await right!.boundingBox()]
    expect(one!.x).toBeLessThan(other!.x)
    const clipped = '[...document.querySelectorAll(".layer")].find(each => each.style.clipPath)'
    return {
      captions: await tab.locator('.caption b').allTextContents(),
      pictures: await tab
        .locator('.two figure img')
        .evaluateAll(all => all.map(each => each.getAttribute('alt'))),
      sliderLeft: await tab.evaluate(`${clipped}?.querySelector('img').alt`),
      here: await tab.locator('.caption.here b').textContent(),
    }
  }
  const named = (address: string) => `${address}: Asked as ${address}`
  await tab.keyboard.press('ArrowRight')
  for (const key of ['c', 'd']) {
    await tab.keyboard.press(key)
    expect(await sides(), key).toEqual({
      captions: ['hero#2', 'hero'],
      pictures: ['hero#2', 'hero'].map(named),
      here: 'hero#2',
    })
    await tab.keyboard.press('s')
    expect(await sides(), `${key} s`).toEqual({
      captions: ['hero#2', 'hero'],
      pictures: [],
      sliderLeft: named('hero#2'),
      here: 'hero#2',
    })
    await tab.keyboard.press('Escape')
  }
  // What was marked was looked at before that.
  await tab.keyboard.press('m')
  await tab.keyboard.press('ArrowRight')
  await tab.keyboard.press('c')
  expect(await sides()).toMatchObject({ captions: ['hero#2', 'hero#3'], here: 'hero#3' })
})

test('what is chosen and out of sight is named to nobody, and long prompts are scrolled by keys', async context => {
  needs(context, 'chromium')
  const long = 'A pot on wet slate in the light of a morning. '.repeat(20)
  const results = page.results.map(each => ({ ...each, prompt: `${long} ${each.address}` }))
  const tab = await tabWith({ ...page, results }, '', telephone)
  const named = () => tab.locator('.list').getAttribute('aria-activedescendant')
  await tab.keyboard.press('End')
  expect(await named()).toBe('result-cup')
  // It has no takes.
  await tab.keyboard.press('t')
  await tab
    .getByRole('button', { name: 'Takes', pressed: true, includeHidden: true })
    .waitFor({ state: 'attached' })
  expect(await named()).toBeNull()
  expect(await hindrances(tab)).toEqual([])
  await tab.keyboard.press('Home')
  expect(await named()).toBe('result-hero')
  await tab.keyboard.press('c')
  for (const how of ['side by side', 'slider']) {
    await tab.locator('.captions').waitFor()
    expect(await hindrances(tab), how).toEqual([])
    await tab.keyboard.press('s')
  }
  expect(
    await tab.evaluate(
      'document.querySelector(".captions").scrollHeight > document.querySelector(".captions").clientHeight',
    ),
  ).toBe(true)
})

test('of two sounds beside each other the quieter one looks quieter, and each tells its peak', async context => {
  needs(context, 'chromium')
  const spoken = (address: string, loud: number): Shown => ({
    ...shown(address, { kind: 'speech' }),
    files: [
      {
        ...{ key: address.padEnd(64, '0'), path: `${address}.wav`, type: 'audio/wav', bytes: 44, seconds: 2 },
        ...{ url: `${sound(loud)}#${address}` },
        // A page without a server has been told.
        peaks: peaksIn([samples(loud)], 120),
      },
    ],
  })
  const tab = await tabWith({ ...page, results: [spoken('voice', 1), spoken('voice#2', 10 ** (-10 / 20))] })
  const tall = `[...document.querySelectorAll('.look canvas, .compare canvas, .list canvas')].map(canvas => {
    const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const inked = Array.from({ length: height }, (_, y) => y).filter(y =>
      Array.from({ length: width }, (_, x) => data[(y * width + x) * 4 + 3]).some(alpha => alpha > 0))
    return inked.length
  })`
  const badges = () => tab.locator('.badge.length').allTextContents()
  await expect.poll(badges).toEqual(['0:02 · 0 dB', '0:02 · −10 dB'])
  await tab.keyboard.press('c')
  await tab.locator('.compare canvas').nth(1).waitFor()
  const heights = async () => {
    const [loud = 0, quiet = 0] = ((await tab.evaluate(tall)) as number[]).slice(-2) // numbers of lines
    return quiet / loud
  }
  await expect.poll(heights).toBeCloseTo(0.5, 1)
})

/** Two seconds that peak there. */
function samples(loud: number): Float32Array {
  return Float32Array.from({ length: 8000 }, (_, at) => Math.sin(at / 2) * loud)
}

function sound(loud: number): string {
  return `data:audio/wav;base64,${Buffer.from(wav(toPcm(4000, [samples(loud)]))).toString('base64')}`
}

test('the help names no key that does nothing on this page', async context => {
  needs(context, 'chromium')
  const some = [...page.results, shown('voice', { kind: 'speech' })]
  const keysOf = async (can: ShownPage['can'], axes: ShownPage['axes'] = {}, results = some) => {
    const tab = await tabWith({ ...page, can, axes, results })
    await tab.keyboard.press('?')
    return (await tab.locator('dialog kbd').allTextContents()).join(' ')
  }
  const looking = (layouts: string) => `← ↑ ↓ → Space, Enter c m s, v z, wheel, drag k f ${layouts} / ?`
  expect(await keysOf({ judge: false })).toBe(looking('w, t'))
  expect(await keysOf({ judge: false }, { pot: ['colour'] })).toBe(looking('w, g, t'))
  expect(await keysOf({ judge: true, sends: true })).toBe(
    '← ↑ ↓ → Space, Enter p x u 1 – 5, 0 n c d m s, v z, wheel, drag k f w, t / Ctrl Z ?',
  )
  expect(await keysOf({ judge: true })).toBe(
    '← ↑ ↓ → Space, Enter p x u 1 – 5, 0 n e c d m s, v z, wheel, drag k f r o w, t / Ctrl Z ?',
  )
  // One result alone: there is nothing to compare, no takes and no sound.
  expect(await keysOf({ judge: true, sends: true }, {}, [seen('cup')])).toBe(
    '← ↑ ↓ → Space, Enter p x u 1 – 5, 0 n z, wheel, drag f w, t / Ctrl Z ?',
  )
  expect(await keysOf({ judge: true, sends: true }, {}, [seen('cup'), seen('pot')])).toBe(
    '← ↑ ↓ → Space, Enter p x u 1 – 5, 0 n c m s, v z, wheel, drag f w, t / Ctrl Z ?',
  )
})

test('a long name above its takes is there whole on a telephone', async context => {
  needs(context, 'chromium')
  const name = 'the-'.padEnd(60, 'teapot')
  const results = [name, `${name}#2`].map(address => seen(address))
  const tab = await tabWith({ ...page, results }, '', telephone)
  await tab.keyboard.press('t')
  await tab.locator('h2.row').waitFor()
  expect(
    await tab.evaluate(`(() => {
      const head = document.querySelector('h2.row')
      const text = head.querySelector('bdi')
      const count = head.querySelector('small').getBoundingClientRect()
      return [text.scrollWidth <= text.clientWidth, text.scrollHeight <= text.clientHeight + 1,
        count.right <= innerWidth, head.scrollHeight <= head.clientHeight]
    })()`),
  ).toEqual([true, true, true, true])
})
