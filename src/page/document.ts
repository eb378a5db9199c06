import { createHash } from 'node:crypto'
import { display } from '../base/display.ts'
import { markup } from '../base/markup.ts'
import { isAsset, readAsset } from '../disk/own.ts'
import type { ShownPage } from './client/shown.ts'

/** The page of results as one HTML document, and the policy that lets its own style and script through and nothing else. */
interface PageDocument {
  readonly html: string
  readonly policy: string
}

/**
 * With `data` the page has all that it shows in itself, and can only be looked at; without it asks the server that it comes from.
 * Texts get into it as text alone: the script makes no markup of anything (`trusted-types`).
 */
export function pageDocument(title: string, data?: ShownPage): PageDocument {
  // From a disk, what lies beside the page is no part of 'self'.
  const beside = data === undefined ? "'self'" : "'self' file:"
  const [script, style] = [assetText('page.js'), assetText('page-style.css')]
  const policy = [
    "default-src 'none'",
    `img-src ${beside} data: blob:`,
    `media-src ${beside} data: blob:`,
    `connect-src ${data === undefined ? "'self'" : "'none'"}`,
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
${pageMark}
${data === undefined ? '' : `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`}<title>${markup(display(title, 200))}</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript><p>This page is drawn by its script.</p></noscript>
${data === undefined ? '' : `<script type="application/json" id="data">${jsonForMarkup(data)}</script>\n`}<script type="module">${script}</script>
</body>
</html>
`
  return { html, policy }
}

/** By which a page is known for one of ours, that may be replaced. */
export const pageMark = '<meta name="generator" content="genrun">'

/** No text can end the element that it stands in. */
function jsonForMarkup(value: object): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Beside the executable in parts of its own, and for a checkout in what was built last. */
const places = ['./page/', '../page/', '../../dist/page/']

function assetText(name: string): string {
  const found = places.map(place => new URL(`${place}${name}`, import.meta.url)).find(place => isAsset(place))
  if (!found) throw new Error(`${name} is not built: npm run build`)
  return readAsset(found).toString('utf8').trimEnd()
}
