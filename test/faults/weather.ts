import type { RunKinds } from './service.ts'

/** How likely each thing goes wrong; names by what happens. Weights, not shares. */
export interface Weather {
  readonly order: { readonly [fate in OrderFate]: number }
  readonly read: { readonly [fate in ReadFate]: number }
  readonly download: { readonly [fate in DownloadFate]: number }
  readonly runs: RunKinds
}

export type OrderFate =
  | 'fine'
  | 'no connection'
  | 'slow connection'
  | 'closed at once'
  | 'request lost'
  | 'answer lost'
  | 'answer late'
  | 'answer cut'
  | '5xx before'
  | '5xx after'
  | '503 before'
  | 'busy'
  | 'refused'
  | 'odd'

type ReadFate = 'fine' | 'reset' | 'cut' | '5xx' | 'busy' | 'other run' | 'page' | 'stale' | 'no key'

type DownloadFate = 'fine' | 'reset' | 'busy' | 'expired' | 'short file'

const fairOrder: Weather['order'] = {
  fine: 1,
  'no connection': 0,
  'slow connection': 0,
  'closed at once': 0,
  'request lost': 0,
  'answer lost': 0,
  'answer late': 0,
  'answer cut': 0,
  '5xx before': 0,
  '5xx after': 0,
  '503 before': 0,
  busy: 0,
  refused: 0,
  odd: 0,
}

const fairRead: Weather['read'] = {
  fine: 1,
  reset: 0,
  cut: 0,
  '5xx': 0,
  busy: 0,
  'other run': 0,
  page: 0,
  stale: 0,
  'no key': 0,
}

const fairDownload: Weather['download'] = { fine: 1, reset: 0, busy: 0, expired: 0, 'short file': 0 }

/** Nothing goes wrong. */
export const fair: Weather = {
  order: fairOrder,
  read: fairRead,
  download: fairDownload,
  runs: { failed: 0, rejected: 0, gone: 0, odd: 0, stalls: 0, hidden: 0, lengths: [0, 900, 5000] },
}

// The longest outlast the shortest deadlines.
const lengths = [0, 900, 900, 5000, 20_000, 70_000]

/** A service as one meets it on a bad day. */
const rough: Weather = {
  order: {
    fine: 40,
    'no connection': 6,
    'slow connection': 1,
    'closed at once': 2,
    'request lost': 3,
    'answer lost': 6,
    'answer late': 1,
    'answer cut': 3,
    '5xx before': 3,
    '5xx after': 4,
    '503 before': 2,
    busy: 10,
    refused: 1,
    odd: 2,
  },
  read: { fine: 60, reset: 5, cut: 3, '5xx': 5, busy: 5, 'other run': 2, page: 2, stale: 2, 'no key': 0.3 },
  download: { fine: 60, reset: 8, busy: 3, expired: 5, 'short file': 4 },
  runs: { failed: 0.06, rejected: 0.03, gone: 0, odd: 0.03, stalls: 0.03, hidden: 0.2, lengths },
}

/** Requests are answered, but hardly ever in time or at all. */
const storm: Weather = {
  order: {
    fine: 10,
    'no connection': 8,
    'slow connection': 3,
    'closed at once': 4,
    'request lost': 8,
    'answer lost': 10,
    'answer late': 3,
    'answer cut': 6,
    '5xx before': 6,
    '5xx after': 8,
    '503 before': 4,
    busy: 25,
    refused: 2,
    odd: 4,
  },
  read: { fine: 20, reset: 10, cut: 5, '5xx': 15, busy: 12, 'other run': 4, page: 4, stale: 4, 'no key': 1 },
  download: { fine: 20, reset: 15, busy: 8, expired: 10, 'short file': 8 },
  runs: { failed: 0.15, rejected: 0.05, gone: 0, odd: 0.06, stalls: 0.05, hidden: 0.5, lengths },
}

/** The same with a service that often brings fewer files than were ordered. Of an odd one among them nobody would know the place. */
export function short(weather: Weather): Weather {
  const { runs } = weather
  return { ...weather, runs: { ...runs, failed: runs.failed * 3, odd: 0, short: 0.4 } }
}

/** What a seed draws from: in fair weather only our own side fails, by crashes and the disk. */
export const weathers: readonly Weather[] = [fair, rough, rough, storm]
