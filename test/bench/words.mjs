// Whether words are found on pictures: `node test/bench/words.mjs [good pictures] [planted of each kind] [kinds]`. Signs are drawn by the canvas
// library, in six faces, on plain and on busy grounds, straight and aslant, as PNG, JPEG and WebP; a defect is what a model does to words.
// Prints recall, false alarms and the processor time of a picture. Prints what was missed and what was wrongly told.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..')
const [good = 100, planted = 20] = process.argv.slice(2, 4).map(Number)
const kinds = process.argv.slice(4)

const inter = join(root, 'node_modules/@fontsource/inter/files/inter-latin')
GlobalFonts.registerFromPath(`${inter}-700-normal.woff2`, 'Inter Bold')
GlobalFonts.registerFromPath(`${inter}-400-normal.woff2`, 'Inter')
const faces = [
  'Inter Bold',
  'DejaVu Serif',
  'DejaVu Sans',
  'Inter',
  'DejaVu Sans Mono',
  'DejaVu Serif Condensed',
]
const texts = [
  'OPEN',
  'Grand Opening',
  'Fresh Coffee',
  'SALE',
  'Mountain Trail 2026',
  'Hello World',
  'Keep Out',
  'The Blue Door',
  'NO PARKING',
  'Tea & Toast',
  'Summer Festival',
  'Quiet please',
  'LIBRARY',
  'Bakery',
  'Café Olé',
  'Last Exit',
  'Happy Birthday Anna',
  '50% off',
  'Welcome home',
  'Route 66',
]
const sizes = [
  [512, 512],
  [1024, 768],
  [768, 1024],
  [1280, 720],
  [1024, 1024],
  [2048, 1152],
]

const longest = text => text.match(/[\p{L}]+/gu).toSorted((a, b) => b.length - a.length)[0]
const changed = (text, change) => text.replace(longest(text), change)
const defects = {
  'no words': () => '',
  'other words': text => texts[(texts.indexOf(text) + 7) % texts.length],
  'a letter too few': text => changed(text, word => word.slice(0, 2) + word.slice(3)),
  'a letter twice': text => changed(text, word => word.slice(0, 2) + word[1] + word.slice(2)),
  'letters swapped': text =>
    changed(text, ([a, b, c, ...rest]) => [...(b === c ? [b, a, c] : [a, c, b]), ...rest].join('')),
  'another letter': text =>
    changed(text, word => `${word.slice(0, 2)}${word[2] === 'x' ? 'n' : 'x'}${word.slice(3)}`),
  'a word missing': text => (text.includes(' ') ? text.replace(longest(text), '') : ''),
  mirrored: text => text,
}

const folder = mkdtempSync(join(root, 'node_modules', '.bench-words-'))
const media = mkdtempSync(join(tmpdir(), 'genrun-words-'))
try {
  const outfile = join(folder, 'words.mjs')
  await build({
    entryPoints: [join(root, 'src/looks/words.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
    logLevel: 'error',
  })
  await measure(await import(outfile))
} finally {
  for (const path of [folder, media]) rmSync(path, { recursive: true, force: true })
}

async function measure({ lookForWords }) {
  const stop = new AbortController().signal
  const look = (nth, text, shown, isMirrored = false) => {
    const path = join(media, `${nth}`)
    writeFileSync(path, drawn(nth, shown, isMirrored))
    return lookForWords({ path, type: 'image/png', prompt: `A sign that says "${text}" by a road`, stop })
  }
  for (const [kind, change] of Object.entries(defects)) {
    if (kinds.length > 0 && !kinds.includes(kind)) continue
    let found = 0
    for (let nth = 0; nth < planted; nth++) {
      const text = texts[nth % texts.length]
      const seen = await look(nth, text, change(text), kind === 'mirrored')
      if (seen?.verdict === 'warn') found++
      else console.log(`  missed: ${kind} ${nth} ${text} as ${change(text)} ${JSON.stringify(seen)}`)
    }
    row(`recall: ${kind}`, `${found} of ${planted}`)
  }
  let alarms = 0
  const before = process.cpuUsage()
  for (let nth = 0; nth < good; nth++) {
    const text = texts[(nth * 7 + Math.floor(nth / 20)) % texts.length]
    const seen = await look(nth, text, text)
    if (seen) alarms++
    if (seen) console.log(`  alarm: ${nth} ${JSON.stringify(seen)}`)
  }
  const { user, system } = process.cpuUsage(before)
  row('false alarms', `${alarms} of ${good}`)
  row(
    'processor time of a good picture, its drawing included',
    `${Math.round((user + system) / 1000 / good)} ms`,
  )
}

/** The same for the same number. */
function drawn(nth, text, isMirrored) {
  const chance = chanceFrom(nth + 1)
  const [width, height] = sizes[nth % sizes.length]
  const canvas = createCanvas(width, height)
  const pen = canvas.getContext('2d')
  const isDark = nth % 3 === 0
  const ground = pen.createLinearGradient(0, 0, width, height)
  const hue = chance() * 360
  ground.addColorStop(0, `hsl(${hue},50%,${isDark ? 12 : 88}%)`)
  ground.addColorStop(1, `hsl(${hue + 60},50%,${isDark ? 25 : 72}%)`)
  pen.fillStyle = ground
  pen.fillRect(0, 0, width, height)
  for (let spot = 0; spot < (nth % 4) * 6; spot++) {
    pen.fillStyle = `hsla(${chance() * 360},60%,${isDark ? 30 : 65}%,0.5)`
    pen.beginPath()
    pen.arc(chance() * width, chance() * height, 20 + (chance() * width) / 8, 0, 7)
    pen.fill()
  }
  // Half of the signs are boards.
  const isBoard = nth % 2 === 1
  if (isBoard) {
    pen.fillStyle = isDark ? '#000000aa' : '#ffffffdd'
    pen.fillRect(width * 0.05, height * 0.3, width * 0.9, height * 0.4)
  }
  const set = pixels => (pen.font = `${pixels}px "${faces[nth % faces.length]}"`)
  let pixels = width / [7, 9, 12, 16][nth % 4]
  for (set(pixels); pen.measureText(text).width > width * 0.85; set(pixels)) pixels *= 0.9
  pen.translate(width / 2, height / 2)
  if (isMirrored) pen.scale(-1, 1)
  pen.rotate([0, 0, 0.05, -0.05, 0.1][nth % 5])
  pen.fillStyle = isDark ? '#f4f0e0' : ['#101018', '#7a1020', '#0c3a2a'][nth % 3]
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillText(text, 0, 0)
  return nth % 3 === 0 ? canvas.encodeSync('png') : canvas.encodeSync(nth % 3 === 1 ? 'jpeg' : 'webp', 80)
}

function chanceFrom(seed) {
  let state = (seed * 2654435761) >>> 0
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32
}

function row(what, value) {
  console.log(`${what.padEnd(56)} ${value}`)
}
