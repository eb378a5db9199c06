import { createHash } from 'node:crypto'
import { display } from '../base/display.ts'
import { markup } from '../base/markup.ts'
import { amountText, bytesText, counted, grouped, secondsText } from '../base/measure.ts'
import type { Json } from '../base/names.ts'
import type { SavedFile } from '../base/state.ts'

import type { Exhibit, Gallery } from '../verbs/gallery.ts'
import type { Ending } from '../wording/report.ts'
import { endings, endingWords, isDelivered } from './endings.ts'
import { galleryScript } from './gallery-script.ts'
import { galleryStyles } from './gallery-style.ts'

/**
 * The results of a manifest as one HTML page that lies in the output folder and shows the files beside it: it is opened
 * from disk, loads nothing from elsewhere, and shows every text as text.
 */
export function galleryPage(gallery: Gallery): string {
  const { report } = gallery
  const title = text(report.name)
  const cards = gallery.exhibits.map(exhibit => card(exhibit, gallery.currency)).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
${galleryMark}
<title>${title}</title>
<style>${galleryStyles}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${text(countsText(gallery))}</p>
${report.rehearsal ? '<p class="banner">A rehearsal: the files are placeholders, nothing was paid.</p>' : ''}
</header>
<main>
<form class="search" role="search">
<input type="search" aria-label="Filter by words" placeholder="Words of a prompt, a model, a job; -word leaves out" autocomplete="off">
<output role="status">${text(counted(report.jobs.length, 'job'))}</output>
</form>
<ol>
${cards}
</ol>
</main>
<script>${galleryScript}</script>
</body>
</html>
`
}

/** By which a page is known for one of ours, that may be replaced. */
export const galleryMark = '<meta name="generator" content="genrun">'

/** Nothing is loaded but files of the same disk, and no script runs but ours, whatever a prompt says. */
const policy = [
  "default-src 'none'",
  "img-src 'self' file:",
  "media-src 'self' file:",
  `style-src '${hash(galleryStyles)}'`,
  `script-src '${hash(galleryScript)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function hash(of: string): string {
  return `sha256-${createHash('sha256').update(of).digest('base64')}`
}

function countsText({ report: { jobs, counts }, exhibits, currency }: Gallery): string {
  const said = endings.flatMap(ending => {
    const count = counts[ending] ?? 0
    return count > 0 ? [`${grouped(count)} ${wordOf(ending)}`] : []
  })
  const files = exhibits.flatMap(each => each.files)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const costs = exhibits.flatMap(({ cost, files: made }) =>
    cost?.is === 'known' && made.length > 0 ? [cost.amount] : [],
  )
  const told = exhibits.flatMap(({ spent }) => spent?.credits ?? [])
  const parts = [
    `${counted(jobs.length, 'job')}: ${said.join(', ') || 'none'}`,
    files.length > 0 && `${counted(files.length, 'file')}, ${bytesText(bytes)}`,
    currency !== undefined &&
      costs.length > 0 &&
      `about ${amountText(
        costs.reduce((sum, each) => sum + each, 0),
        currency,
      )} for what is made`,
    told.length > 0 &&
      `${amountText(
        told.reduce((sum, each) => sum + each, 0),
        'credits',
      )} by the service`,
  ]
  return parts.filter(Boolean).join(' · ')
}

/** Whoever looks at results does not ask which run made them. */
function wordOf(ending: Ending): string {
  if (ending === 'kept') return endingWords.made
  return ending === 'skipped' ? 'not made' : endingWords[ending]
}

function card(exhibit: Exhibit, currency: string | undefined): string {
  const { address, model, prompt = '', file, line, files } = exhibit
  const isLong = prompt.length > 280
  const place = `${file}:${line}`
  return `<li class="job" id="${text(address)}">
${mediaText(exhibit)}
<div class="words">
<h2>${text(address)}</h2>
<p class="facts">${[stateText(exhibit), text(model), costText(exhibit, currency), text(place)].filter(Boolean).join(' · ')}</p>
${messageText(exhibit)}${pickText(exhibit)}${prompt === '' ? '' : `<p class="prompt${isLong ? ' long" tabindex="0' : ''}">${paragraphs(prompt)}</p>\n`}${detailsText(exhibit)}${
  files.length === 0 ? '' : `<ul class="files">${files.map(fileText).join('')}</ul>\n`
}</div>
</li>`
}

function stateText({ ending, message, take, picked }: Exhibit): string {
  const isGood = isDelivered({ ending }) && message === undefined
  const kind = isGood ? 'good' : ending === 'failed' || ending === 'doubt' ? 'bad' : 'warn'
  const word = wordOf(ending)
  const more = [take > 1 && ` · take ${take}`, picked && ' · picked'].filter(Boolean).join('')
  return `<span class="state ${kind}">${text(word)}</span>${more}`
}

function costText({ cost, spent }: Exhibit, currency: string | undefined): string {
  const told = spent?.credits === undefined ? '' : `${amountText(spent.credits, 'credits')} by the service`
  const estimate = cost?.is === 'known' && currency !== undefined ? amountText(cost.amount, currency) : ''
  return text([estimate, told].filter(Boolean).join(', '))
}

function messageText({ message, hint, ending, missing, accepted = [] }: Exhibit): string {
  const mild = ending === 'failed' || ending === 'doubt' ? '' : ' mild'
  const gone = missing.length > 0 ? `not there: ${missing.join(', ')}` : undefined
  return [message, ...accepted.map(each => `accepted: ${each}`), gone, hint]
    .flatMap(each => (each ? [`<p class="message${mild}">${text(each)}</p>\n`] : []))
    .join('')
}

function pickText({ pick }: Exhibit): string {
  return pick === undefined ? '' : `<p class="pick">To pick it: <code>${text(pick)}</code></p>\n`
}

function detailsText({ params, defaults, inputs, tags }: Exhibit): string {
  const rows = [
    ...inputs.map(([at, from]) => row(at.slice(1), from)),
    ...Object.entries(params).map(([name, value]) => row(name, valueText(value))),
    ...Object.entries(defaults).map(([name, value]) => row(name, valueText(value), true)),
    ...(tags.length > 0 ? [row('tags', tags.join(', '))] : []),
  ]
  if (rows.length === 0) return ''
  return `<details><summary>${counted(rows.length, 'parameter')}</summary><dl>${rows.join('')}</dl></details>\n`
}

function row(name: string, value: string, isDefault = false): string {
  return `<dt>${text(name)}</dt><dd${isDefault ? ' class="default" title="not written: the default"' : ''}>${text(value)}</dd>`
}

function valueText(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function mediaText({ files, address, kind, prompt = '' }: Exhibit): string {
  if (files.length === 0) return `<div class="none">no ${kind}</div>`
  const label = text(`${address}: ${prompt.slice(0, 200)}`)
  return `<div class="media">${files.map(file => player(file, label)).join('')}</div>`
}

function player({ path, type, width, height }: SavedFile, label: string): string {
  const url = text(urlOf(path))
  const size = width !== undefined && height !== undefined ? ` width="${width}" height="${height}"` : ''
  const [kind] = type.split('/')
  if (kind === 'image')
    return `<a href="${url}"><img src="${url}" alt="${label}" loading="lazy" decoding="async"${size}></a>`
  if (kind === 'video')
    return `<video src="${url}" aria-label="${label}" controls preload="none"${size}></video>`
  return `<audio src="${url}" aria-label="${label}" controls preload="none"></audio>`
}

function fileText({ path, width, height, seconds, bytes }: SavedFile): string {
  const measures = [
    width !== undefined && height !== undefined && `${width}×${height}`,
    seconds !== undefined && secondsText(seconds),
    bytesText(bytes),
  ].filter(Boolean)
  return `<li><a href="${text(urlOf(path))}">${text(path)}</a> <span>${text(measures.join(', '))}</span></li>`
}

/** A relative reference: a name that begins like a scheme stays a name. */
function urlOf(path: string): string {
  return `./${path.split('/').map(encodeURIComponent).join('/')}`
}

function text(of: string): string {
  return markup(display(of, 20_000))
}

/** A prompt keeps its lines. */
function paragraphs(prompt: string): string {
  return prompt
    .split(/\r\n|\r|\n/)
    .map(text)
    .join('\n')
}
