import { createHash } from 'node:crypto'
import { display, markup } from '../base/display.ts'
import { isAsset, readAsset } from '../disk/own.ts'
import type { ShownPage } from './data/shown.ts'

/** A page that has all that it shows in itself, and can only be looked at. */
export function pageDocument(title: string, data: ShownPage): string {
  const parts = partsOf("'none'", "'self' file:") // from a disk, what lies beside the page is no part of 'self'
  const policy = `<meta http-equiv="Content-Security-Policy" content="${parts.policy}">\n`
  return htmlOf(title, { ...parts, head: policy, data: dataElement('data', data) })
}

/** A page that asks the server that it comes from, and can be painted before it has an answer: with `first`, what is in sight at first. */
export function servedDocument(title: string): { readonly policy: string; html(first: ShownPage): string } {
  const parts = partsOf("'self'", "'self'")
  return {
    policy: parts.policy,
    html: first => htmlOf(title, { ...parts, head: '', data: dataElement('first', first) }),
  }
}

/** The policy lets the page's own style and script through and nothing else. */
function partsOf(asked: string, beside: string) {
  const [script, style] = [assetText('page.js'), assetText('page-style.css')]
  const policy = [
    "default-src 'none'",
    `img-src ${beside} data: blob:`,
    `media-src ${beside} data: blob:`,
    `connect-src ${asked}`,
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return { script, style, policy }
}

interface DocumentParts {
  readonly script: string
  readonly style: string
  readonly head: string
  readonly data: string
}

// Texts get into it as text alone: the script makes no markup of anything (`trusted-types`).
function htmlOf(title: string, { script, style, head, data }: DocumentParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
${pageMark}
${head}<title>${markup(display(title, 200))}</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript><p>This page is drawn by its script.</p></noscript>
${data}
<script type="module">${script}</script>
</body>
</html>
`
}

/** A mark in the page's own green. Without one a browser asks for /favicon.ico, which is nowhere. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1b6b3a"/><path d="m4 8.5 3 3 5.5-7" fill="none" stroke="#fff" stroke-width="2"/></svg>',
)}`

/** By which a page is known for one of ours, that may be replaced. */
export const pageMark = '<meta name="generator" content="genrun">'

/** No text can end the element that it stands in. */
function dataElement(id: string, value: object): string {
  const text = JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return `<script type="application/json" id="${id}">${text}</script>`
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
