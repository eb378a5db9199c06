import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { systemClock } from '../base/clock.ts'
import { defined } from '../base/defined.ts'
import { systemRandom } from '../base/random.ts'
import { servedDocument } from '../page/document.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { systemDisk } from '../store/files/disk.ts'
import { openThumbnails } from '../thumbnails/thumbnails.ts'
import type { Review } from '../verbs/review.ts'
import { waitingPicks } from '../workspace/records/waiting-picks.ts'
import { type ReviewEvent, reviewApp } from './app.ts'
import { openPromptEdits } from './edit-prompt.ts'
import { openModel } from './model.ts'
import { type OrderMeans, openReviewOrders } from './orders.ts'
import { openPicks } from './picks.ts'
import { readingOf } from './reader.ts'
import { openReaderAside } from './reader-thread.ts'
import { openSeat } from './seat.ts'

/** What a review is served with. */
interface ReviewOptions {
  readonly request: WorkspaceRequest
  /** As it was read before the server was started. */
  readonly first: Review
  /** The first that is free is taken; 0 is any. That of a server that was killed goes before them. */
  readonly ports: readonly number[]
  readonly who: string
  readonly redact: (text: string) => string
  readonly buying: Pick<OrderMeans, 'served' | 'more' | 'rehearsed'>
  readonly canJudge?: boolean
}

export interface ReviewServer {
  /** For a browser, with the token: `http://127.0.0.1:4042/3f2a…/`. */
  readonly url: string
  close(): Promise<void>
}

/** Serves the page of one manifest on the loopback address alone. Rejects with the system's error when the port cannot be had. */
export async function startReview(options: ReviewOptions): Promise<ReviewServer> {
  const { request, first, ports, who, redact, buying, canJudge = true } = options
  const seat = openSeat(first.paths.state)
  const listeners = new Set<(event: ReviewEvent) => void>()
  const tell = (event: ReviewEvent) => {
    for (const hear of listeners) hear(event)
  }
  const can = { judge: canJudge, ...('not' in buying.served && { notBuy: buying.served.not }) }
  const about = { can, who }
  const reader = openReaderAside({ request, about, paths: first.paths, output: first.report.output })
  const model = openModel({
    look: reader.look,
    first: readingOf(first, about),
    clock: systemClock,
    random: systemRandom,
    redact,
  })
  const waiting = () => waitingPicks(first.paths.verdicts, systemDisk)
  const tellPicks = (trouble?: string) =>
    tell({
      event: 'picks',
      data: { waiting: waiting().map(({ address }) => address), ...defined({ trouble }) },
    })
  const picks = openPicks({
    pickWaiting: reader.pickWaiting,
    areWaiting: () => waiting().length > 0,
    clock: systemClock,
    isOrdering: () => orders.isUnderWay,
    async picked() {
      await model.refresh()
      tellPicks()
    },
    trouble: tellPicks,
  })
  const orders = openReviewOrders({
    request,
    quote: reader.quote,
    ...buying,
    random: systemRandom,
    tell(order) {
      if (order.is === 'over') void model.refresh()
      tell({ event: 'order', data: order })
    },
  })
  const unlisten = model.listen(data => {
    tell({ event: 'change', data })
    if (canJudge && waiting().length > 0) picks.begin()
  })
  let origin = ''
  let { token } = seat
  const app = reviewApp({
    token: () => token,
    origin: () => origin,
    document: servedDocument(`${first.report.name}: review`),
    manifest: request.manifest,
    edit: reader.edit,
    whyNoEdit: reader.whyNoEdit,
    prompts: openPromptEdits(request, reader.edit),
    model,
    thumbnails: openThumbnails(first.paths.thumbnails, key => model.files(key).length > 0),
    picks,
    waiting,
    orders,
    clock: systemClock,
    canJudge,
    who,
    listen(hear) {
      listeners.add(hear)
      return () => listeners.delete(hear)
    },
  })
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server // without HTTP/2 options
  try {
    const port = await listenOnOne(server, [...(seat.port === undefined ? [] : [seat.port]), ...ports])
    // Before anything is waited for: a page that was open asks at once.
    origin = `http://127.0.0.1:${port}`
    // Somebody has the seat: a page of theirs is nothing to us.
    if (seat.port !== undefined && seat.port !== port) token = systemRandom.token()
    else await seat.take(port)
    // What an earlier server could not carry out.
    if (canJudge) picks.begin()
  } catch (cause) {
    model.close()
    await reader.close()
    throw cause
  }
  return {
    url: `${origin}/${token}/`,
    async close() {
      // What a page that is open has kept comes to the next server.
      const isOpen = listeners.size > 0
      const ended = new Promise<void>(resolve => server.close(() => resolve()))
      unlisten()
      model.close()
      await Promise.all([picks.close(), orders.close()])
      await reader.close()
      server.closeAllConnections()
      await ended
      if (token === seat.token && !isOpen) seat.leave()
    },
  }
}

async function listenOnOne(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of ports.slice(0, -1)) {
    try {
      return await listen(server, port)
    } catch (cause) {
      const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
      if (!isTaken) throw cause
    }
  }
  return listen(server, ports.at(-1) ?? 0)
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port) // it listens on a port
    })
  })
}
