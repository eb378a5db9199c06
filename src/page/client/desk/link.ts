import type { ShownChange, ShownOrder, ShownPage, ShownQuote } from '../../data/shown.ts'
import { type GivenPick, type GivenVerdict, withNews } from '../../data/verdicts.ts'
import type { Link, Waiting } from './linked.ts'

/** A page that has everything in itself. What is decided stays in this browser, and is handed over as a file. */
export function fileLink(): Link {
  const nothing = { trouble: 'nothing can be ordered from a report' }
  const keptAs = `genrun report ${location.pathname}`
  const [kept] = keptIn(keptAs)
  let verdicts = kept
  let hear: (waiting: Waiting) => void = () => undefined
  const waiting = (): Waiting => ({ verdicts, picks: [], isLost: false })
  return {
    urlOf: ({ url = '' }) => url,
    thumbnailOf: ({ thumb, url, type, isStill }) =>
      thumb ?? (isStill || type.startsWith('image/') ? url : undefined),
    send(change) {
      verdicts = withNews(verdicts, change.verdicts)
      keepIn(keptAs, verdicts, [])
      hear(waiting())
    },
    waiting,
    onChange: listener => void (hear = listener),
    onSaved: () => undefined,
    quote: () => Promise.resolve(nothing),
    order: () => Promise.resolve(nothing.trouble),
    rehearse: () => Promise.resolve({ text: nothing.trouble, isWell: false }),
    stop: () => Promise.resolve(),
    edit: () => Promise.resolve({ trouble: 'a report has no manifest' }),
    whyNoEdit: () => Promise.resolve('a report has no manifest'),
    takeBack: () => Promise.resolve('a report has no manifest'),
  }
}

function keptIn(name: string): [readonly GivenVerdict[], readonly GivenPick[]] {
  try {
    const { verdicts, picks } = JSON.parse(localStorage.getItem(name) ?? '{}')
    return [Array.isArray(verdicts) ? verdicts : [], Array.isArray(picks) ? picks : []]
  } catch {
    // Nothing was kept, or the browser keeps nothing.
    return [[], []]
  }
}

function keepIn(name: string, verdicts: readonly GivenVerdict[], picks: readonly GivenPick[]): void {
  try {
    if (verdicts.length + picks.length === 0) localStorage.removeItem(name)
    else localStorage.setItem(name, JSON.stringify({ verdicts, picks }))
  } catch {
    // It is still here, in this page.
  }
}

interface Hearing {
  readonly change: (change: ShownChange) => void
  readonly order: (order: ShownOrder) => void
  readonly picks: (picks: { waiting: readonly string[]; trouble?: string }) => void
  /** Nothing is being ordered; how the last order ended. */
  readonly idle: (idle: { readonly last?: ShownOrder }) => void
  /** Something was missed: all of it, as it is now. */
  readonly anew: (page: ShownPage, isOtherServer: boolean) => void
}

interface ServerLink extends Link {
  data(): Promise<ShownPage>
  /** `serial`: that of the data which is shown. */
  listen(hearing: Hearing, serial: string): void
}

// What is typed here is not lost with the page: it is sent when the page is back. The token in its path makes the name its own.
const keptAs = `genrun review ${location.pathname}`

/** The page of a running `genrun review`. What is decided is kept until the server says that it is on its disk. */
export function serverLink(): ServerLink {
  let [verdicts, picks] = keptIn(keptAs)
  let isLost = false
  let trouble: string | undefined
  let isSending = false
  let hear: (waiting: Waiting) => void = () => undefined
  let saved: (given: readonly GivenVerdict[], writes: number) => void = () => undefined

  const waiting = (): Waiting => ({ verdicts, picks, isLost, ...(trouble !== undefined && { trouble }) })
  const changed = () => {
    keepIn(keptAs, verdicts, picks)
    hear(waiting())
  }

  async function sendAll(): Promise<void> {
    if (isSending) return
    isSending = true
    trouble = undefined
    while (verdicts.length + picks.length > 0) {
      const [sentVerdicts, sentPicks] = [verdicts, picks]
      const answer = await post('verdicts', { verdicts: sentVerdicts, picks: sentPicks })
      if (!answer) {
        isLost = true
        changed()
        await new Promise(resolve => setTimeout(resolve, 1000))
        continue
      }
      isLost = false
      if (answer.trouble !== undefined) {
        trouble = String(answer.trouble)
        break
      }
      const refused = Array.isArray(answer.refused) ? answer.refused : []
      if (refused.length > 0) trouble = `not noted: ${refused.map(each => each.why).join('; ')}`
      // As they were written down: a result may have another name by now than it had on this page.
      saved(Array.isArray(answer.given) ? answer.given : [], Number(answer.writes))
      verdicts = verdicts.filter(each => !sentVerdicts.includes(each))
      picks = picks.filter(each => !sentPicks.includes(each))
      changed()
    }
    isSending = false
    changed()
  }
  if (verdicts.length + picks.length > 0) void sendAll()

  return {
    urlOf: ({ key }) => `file/${key}`,
    thumbnailOf: ({ key, type }) => (type.startsWith('image/') ? `thumbnail/${key}` : undefined),
    waiting,
    onChange: listener => void (hear = listener),
    onSaved: listener => void (saved = listener),
    send(change) {
      verdicts = withNews(verdicts, change.verdicts)
      picks = [...picks, ...change.picks]
      changed()
      void sendAll()
    },
    data: dataOf,
    listen(hearing, serial) {
      let server = serverIn(serial)
      let latest = serial
      const catchUp = async () => {
        for (;;) {
          const page = await dataOf().catch(() => undefined)
          const { serial: read = '' } = page ?? {}
          // On their way data may be overtaken by changes, and are older then than what is shown.
          const isOld = serverIn(read) === serverIn(latest) && countIn(read) < countIn(latest)
          if (page && !isOld) {
            hearing.anew(page, serverIn(read) !== server)
            server = serverIn(read)
            return
          }
          await new Promise(resolve => setTimeout(resolve, 1000))
        }
      }
      const follow = () => {
        const events = new EventSource(`events?since=${encodeURIComponent(latest)}`)
        events.addEventListener('open', () => {
          isLost = false
          changed()
          // What a server refused that is another now.
          if (verdicts.length + picks.length > 0) void sendAll()
        })
        events.addEventListener('error', () => {
          isLost = true
          changed()
          // A browser comes back by itself to whoever is silent, and never to whoever answers with an error.
          if (events.readyState === EventSource.CLOSED) setTimeout(follow, 1000)
        })
        events.addEventListener('behind', () => void catchUp())
        events.addEventListener('change', ({ data, lastEventId }) => {
          latest = lastEventId
          // Of another server all has to be read first, and then this is in it.
          if (serverIn(lastEventId) === server) hearing.change(JSON.parse(data))
        })
        events.addEventListener('idle', ({ data }) => hearing.idle(JSON.parse(data)))
        events.addEventListener('order', ({ data }) => hearing.order(JSON.parse(data)))
        events.addEventListener('picks', ({ data }) => hearing.picks(JSON.parse(data)))
      }
      follow()
    },
    async quote(wish) {
      const answer = await post('quote', wish)
      // The server's own shape.
      return (answer ?? { trouble: 'genrun cannot be reached' }) as unknown as
        | ShownQuote
        | { trouble: string }
    },
    async order(id) {
      const answer = await post('order', { id })
      if (!answer) return 'genrun cannot be reached: look whether it was ordered before you order again'
      return answer.trouble === undefined ? undefined : String(answer.trouble)
    },
    async rehearse(id) {
      const answer = await post('rehearsal', { id })
      const { text, trouble: why = 'genrun cannot be reached', isWell } = answer ?? {}
      return { text: String(text ?? why), isWell: isWell === true }
    },
    stop: async () => void (await post('stop', {})),
    takeBack: id => troubleOf('prompt/back', { id }),
    async whyNoEdit(edit) {
      const { why } = (await post('prompt/may', edit)) ?? {}
      return why === undefined ? undefined : String(why)
    },
    async edit(edit) {
      const answer = await post('prompt', edit)
      if (!answer) return { trouble: 'genrun cannot be reached: look into the manifest before you try again' }
      const { trouble: why, now, id } = answer
      if (why === undefined) return { id: String(id) }
      return { trouble: String(why), ...(typeof now === 'string' && { now }) }
    },
  }
}

async function dataOf(): Promise<ShownPage> {
  const answer = await fetch('data')
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

/** Of `3f2a….17`: which server counts. */
function serverIn(serial: string): string {
  return serial.replace(/\.\d+$/, '')
}

function countIn(serial: string): number {
  return Number(/\d+$/.exec(serial)?.[0] ?? 0)
}

/** Why it was not done, in words; undefined where it was. */
async function troubleOf(path: string, body: object): Promise<string | undefined> {
  const { trouble } = (await post(path, body)) ?? { trouble: 'genrun cannot be reached' }
  return trouble === undefined ? undefined : String(trouble)
}

/** Undefined where the server cannot be reached. */
async function post(path: string, body: object): Promise<{ readonly [name: string]: unknown } | undefined> {
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return await answer.json()
  } catch {
    return undefined
  }
}
