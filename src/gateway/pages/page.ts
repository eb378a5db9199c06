import { createHash } from 'node:crypto'
import { markup as escaped } from '../../base/display.ts'
import type { Model } from '../../catalog/index.ts'
import { modelTitle } from '../../forms/schema.ts'
import type { Links } from '../files/links.ts'
import type { GatewayAnswer } from '../http/answer.ts'
import { type GatewayRun, isFinished, type RunOutput } from '../runs/run.ts'
import { styles } from './page-style.ts'

/** What the human page shows. Everything that came with a request is shown as text. */
interface PageView {
  readonly models: readonly Model[]
  /** The latest first. */
  readonly runs: readonly GatewayRun[]
  readonly baseUrl: string
  readonly links: Links
  /** Whether a run's files are still there. */
  readonly isKept: (run: string) => boolean
  readonly origin: string
  readonly now: number
  /** What the wall clock shows at a date of `now`. */
  readonly dateOf: (at: number) => number
}

/** While something is under way the page comes anew by itself: no script may do that. */
const refresh = '\n<meta http-equiv="refresh" content="3">'

/** The page at `/`: how to reach the gateway, its recent runs with their media, its models. No script runs on it. */
export function pageAnswer(view: PageView): GatewayAnswer {
  return { status: 200, headers: pageHeaders, body: page(view) }
}

function page(view: PageView): string {
  const runs = view.runs.map(run => runCard(run, view)).join('\n')
  const models = view.models.map(modelRow).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">${view.runs.every(isFinished) ? '' : refresh}
<title>genrun gateway</title>
<style>${styles}</style>
</head>
<body>
<header>
<h1>genrun gateway</h1>
<p>Real files, rendered offline, for nothing. The interface is at <code>${escaped(view.baseUrl)}</code>
and described by <a href="/gw-v2/openapi.json">openapi.json</a>.</p>
</header>
<main>
<section aria-labelledby="runs">
<h2 id="runs">Recent runs</h2>
${runs === '' ? '<p>None yet.</p>' : `<ol class="runs">\n${runs}\n</ol>`}
</section>
<section aria-labelledby="models">
<h2 id="models">Models</h2>
<table>
<thead><tr><th scope="col">Model</th><th scope="col">What it does</th><th scope="col">Parameters</th></tr></thead>
<tbody>
${models}
</tbody>
</table>
</section>
</main>
</body>
</html>
`
}

function runCard(run: GatewayRun, view: PageView): string {
  const { state } = run
  const isKept = view.isKept(run.id)
  const media =
    state.is === 'completed' && isKept ? state.outputs.map(output => figure(output, run, view)).join('') : ''
  const failure = state.is === 'failed' ? `<p class="failure">${escaped(state.message)}</p>` : ''
  const warnings = state.is === 'completed' ? state.outputs.flatMap(({ warning }) => warning ?? []) : []
  const remarks =
    state.is === 'completed' && !isKept ? [...warnings, 'its files are no longer kept'] : warnings
  const remark = [...new Set(remarks)].map(text => `<p class="remark">${escaped(text)}</p>`).join('')
  const title = run.job === undefined ? run.workflow : `${run.job}, ${run.workflow}`
  return `<li class="run">
<h3>${escaped(title)}</h3>
<p class="facts"><span class="state ${state.is}">${state.is}</span> <time datetime="${acceptedOn(run, view)}">${ago(run, view)}</time></p>
${failure}${remark}${media === '' ? '' : `<div class="media">${media}</div>`}
${run.prompt === '' ? '' : `<p class="prompt">${escaped(shortened(run.prompt))}</p>`}
</li>`
}

function figure(output: RunOutput, run: GatewayRun, { links, origin }: PageView): string {
  const url = escaped(links.to(output, origin))
  const label = escaped(`${run.workflow}: ${shortened(run.prompt)}`)
  const [kind] = output.type.split('/')
  if (kind === 'image') return `<a href="${url}"><img src="${url}" alt="${label}" loading="lazy"></a>`
  if (kind === 'video')
    return `<video src="${url}" aria-label="${label}" controls preload="metadata"></video>`
  return `<audio src="${url}" aria-label="${label}" controls preload="metadata"></audio>`
}

function modelRow(model: Model): string {
  const params = Object.entries(model.params).map(([name, param]) =>
    param.required ? `<b>${escaped(name)}</b>` : escaped(name),
  )
  const title = modelTitle(model).slice(model.id.length + 2)
  return `<tr><th scope="row"><code>${escaped(model.id)}</code></th><td>${escaped(title)}</td><td>${params.join(', ')}</td></tr>`
}

function ago(run: GatewayRun, view: PageView): string {
  const seconds = Math.max(0, Math.round((view.now - run.acceptedAt) / 1000))
  const since =
    seconds < 60
      ? `${seconds} s ago`
      : seconds < 3600
        ? `${Math.round(seconds / 60)} min ago`
        : acceptedOn(run, view)
  return isFinished(run) ? since : since.replace(/(.*) ago/, 'for $1')
}

function acceptedOn({ acceptedAt }: GatewayRun, { dateOf }: PageView): string {
  return new Date(dateOf(acceptedAt)).toISOString()
}

function shortened(text: string): string {
  const characters = [...text]
  return characters.length <= 280 ? text : `${characters.slice(0, 279).join('')}…`
}

// Nothing is loaded from elsewhere and no script runs, whatever a prompt says.
const styleHash = createHash('sha256').update(styles).digest('base64')

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; img-src 'self'; media-src 'self'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}
