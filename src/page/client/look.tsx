import { useEffect, useMemo } from 'preact/hooks'
import type { Shown } from '../data/shown.ts'
import { alteredAdvice, formerVerdict, pickWord, verdictOn } from '../data/verdicts.ts'
import {
  bytesText,
  counted,
  grouped,
  looksBeside,
  measuresText,
  messageBeside,
  shownCost,
} from '../data/words.ts'
import { beginDuel, toggleComparison, whyNoDuel } from './desk/comparing.ts'
import { draftName, promptDraftName } from './desk/drafts.ts'
import { canEdit, type Desk, openNote, takesOf } from './desk/state.ts'
import { fit } from './desk/zooming.ts'
import { Card } from './parts/card.tsx'
import { Large, Stage } from './parts/media.tsx'
import { Foreign, Joined, Marked, NoAnswer } from './parts/texts.tsx'

/** One result as large as there is room, with all that there is to say of it. */
export function LookAtOne({ desk, result }: { readonly desk: Desk; readonly result: Shown }) {
  const { state } = desk
  const shown = desk.shown()
  const at = shown.findIndex(each => each.address === result.address)
  const takes = takesOf(state, result)
  useEffect(() => {
    // What comes next is there before anybody asks for it.
    ahead = [shown[at + 1], shown[at + 2]].flatMap(next => pictureOf(desk, next) ?? [])
  }, [result.address])
  return (
    <section class="look" role="dialog" aria-modal="true" aria-label={result.address}>
      <div class="view">
        <header>
          <button
            type="button"
            class="quiet"
            onClick={() => desk.set({ isOpen: false, zoom: fit })}
            aria-label="Back to all results"
          >
            ‹ All
          </button>
          <span class="where">
            {at < 0 ? <Foreign text={result.address} /> : `${grouped(at + 1)} of ${grouped(shown.length)}`}
          </span>
          <span class="spring" />
          <button type="button" class="quiet" onClick={() => desk.move('left')} aria-label="The one before">
            ←
          </button>
          <button type="button" class="quiet" onClick={() => desk.move('right')} aria-label="The next one">
            →
          </button>
        </header>
        <div class="banners">
          <NoAnswer waiting={state.waiting} />
        </div>
        <Stage desk={desk}>
          <Large result={result} link={desk.link} zoom={state.zoom} />
        </Stage>
        <Decisions desk={desk} result={result} />
        {takes.length > 1 ? (
          <div class="strip" tabIndex={0} role="listbox" aria-label={`Takes of ${result.job}`}>
            {takes.map(take => (
              <div class="slot" key={take.address}>
                <Card desk={desk} result={take} width={124} height={126} left={0} isAmongTakes />
              </div>
            ))}
          </div>
        ) : null}
      </div>
      <About desk={desk} result={result} />
    </section>
  )
}

/** Held, as the browser drops what nobody holds. */
let ahead: readonly HTMLImageElement[] = []

function pictureOf({ link }: Desk, result: Shown | undefined): HTMLImageElement | undefined {
  const file = result?.files[0]
  if (!file?.type.startsWith('image/')) return undefined
  const url = link.urlOf(file)
  const known = ahead.find(each => each.getAttribute('src') === url)
  if (known) return known
  const picture = new Image()
  picture.src = url
  return picture
}

/** The keys as buttons, for hands and for those who do not know the keys yet. */
export function Decisions({ desk, result }: { readonly desk: Desk; readonly result: Shown }) {
  const { state } = desk
  const noDuel = whyNoDuel(desk, result)
  const isDraft = state.drafts[draftName(result)] !== undefined
  if (!state.page.can.judge) return null
  const verdict = verdictOn(result, state.verdicts)
  const isOff = result.files.length === 0
  return (
    <div class="decisions" role="group" aria-label="Decide">
      <button
        type="button"
        class="good"
        disabled={isOff}
        aria-pressed={verdict?.is === 'approved'}
        onClick={() => desk.decide({ is: 'approved' })}
      >
        Pick <kbd>p</kbd>
      </button>
      <button
        type="button"
        class="bad"
        disabled={isOff}
        aria-pressed={verdict?.is === 'rejected'}
        onClick={() => desk.decide({ is: 'rejected' })}
      >
        Reject <kbd>x</kbd>
      </button>
      <button type="button" disabled={isOff} onClick={() => desk.decide({ is: 'undecided' })}>
        Undecided <kbd>u</kbd>
      </button>
      <button
        type="button"
        disabled={isOff}
        title={isDraft ? 'go on with the note that was begun' : 'a note on it'}
        onClick={() => openNote(desk, result)}
      >
        {isDraft ? 'Draft…' : 'Note…'} <kbd>n</kbd>
      </button>
      <span class="stars" role="group" aria-label="Stars">
        {[1, 2, 3, 4, 5].map(stars => (
          <button
            type="button"
            key={stars}
            disabled={isOff}
            aria-label={`${stars} ${stars === 1 ? 'star' : 'stars'}`}
            aria-pressed={(verdict?.stars ?? 0) >= stars}
            onClick={() => desk.decide({ stars: verdict?.stars === stars ? 0 : stars })}
          >
            {(verdict?.stars ?? 0) >= stars ? '★' : '☆'}
          </button>
        ))}
      </span>
      {state.comparison ? null : (
        <button type="button" disabled={isOff} onClick={() => toggleComparison(desk)}>
          Compare <kbd>c</kbd>
        </button>
      )}
      {state.comparison?.isDuel ? null : (
        <button
          type="button"
          disabled={noDuel !== undefined}
          title={noDuel ?? 'its takes against each other, two at a time'}
          onClick={() => beginDuel(desk)}
        >
          Duel <kbd>d</kbd>
        </button>
      )}
    </div>
  )
}

/** What was asked, what came of it, and what hangs on it. */
function About({ desk, result }: { readonly desk: Desk; readonly result: Shown }) {
  const { state } = desk
  const { page, verdicts } = state
  const verdict = verdictOn(result, verdicts)
  const former = formerVerdict(result, verdicts)
  const message = messageBeside(result)
  const cost = shownCost(result, page.currency)
  // What is not made asks for whichever take is picked.
  const users = page.results.filter(
    ({ uses, standing }) =>
      uses.includes(result.address) || (standing !== 'made' && uses.includes(result.job)),
  )
  return (
    <aside class="about" aria-label={`About ${result.address}`}>
      <h2>
        <Foreign text={result.address} />
      </h2>
      <p class="soft">
        <Joined all={[result.standing, pickWord(result, page), result.model, cost, result.place]} />
      </p>
      {message === undefined ? null : (
        <p class="message">
          <Foreign text={message} />
        </p>
      )}
      {result.hint === undefined ? null : (
        <p class="soft">
          <Foreign text={result.hint} />
        </p>
      )}
      {looksBeside(result).map(({ look, verdict, why = '' }, nth) => (
        <p class={verdict === 'fail' ? 'message' : 'soft'} key={nth}>
          {look === 'all' ? '' : `${look}: `}
          {verdict}
          {why === '' ? '' : ': '}
          <Foreign text={why} />
        </p>
      ))}
      {verdict ? (
        <p class={`verdict ${verdict.is ?? ''}`}>
          <Joined
            all={[verdict.is ?? 'undecided', verdict.stars !== undefined && '★'.repeat(verdict.stars)]}
          />
          {' · by '}
          <Foreign text={verdict.who} />, {verdict.when.slice(0, 10)}
          {verdict.note === undefined ? null : (
            <q>
              <Foreign text={verdict.note} />
            </q>
          )}
        </p>
      ) : null}
      {former ? (
        <p class="message">
          The verdict of <Foreign text={former.who} /> ({former.is ?? 'a note'}) was about other files.
        </p>
      ) : null}
      <Prompt desk={desk} result={result} />
      <Table rows={result.params} />
      {result.defaults.length > 0 ? (
        <details>
          <summary>{counted(result.defaults.length, 'default')}</summary>
          <Table rows={result.defaults} />
        </details>
      ) : null}
      {result.files.map(file => (
        <p class="file" key={file.path}>
          {/^(data:|$)/.test(desk.link.urlOf(file)) ? (
            <Foreign text={file.path} />
          ) : (
            <a href={desk.link.urlOf(file)} target="_blank" rel="noreferrer">
              <Foreign text={file.path} />
            </a>
          )}
          <br />
          <span class="soft">{measuresText(file)} · </span>
          <code title={`sha256:${file.key}`}>{file.key.slice(0, 12)}</code>
        </p>
      ))}
      {(result.missing ?? []).map(path => (
        <p class="message" key={path}>
          not there: <Foreign text={path} />
        </p>
      ))}
      {(result.altered ?? []).map(path => (
        <p class="message" key={path}>
          altered on disk: <Foreign text={path} /> is not the file that was made. {alteredAdvice}
        </p>
      ))}
      <Others
        desk={desk}
        title="Made from"
        all={result.uses.flatMap(each => state.byAddress.get(each) ?? [])}
      />
      <Table rows={result.inputs} />
      <Others desk={desk} title="What is made from it" all={users} />
      {result.tags.length > 0 ? (
        <p class="soft">
          Tags:{' '}
          {result.tags.map((tag, nth) => (
            <span key={tag}>
              {nth === 0 ? '' : ', '}
              <Foreign text={tag} />
            </span>
          ))}
        </p>
      ) : null}
    </aside>
  )
}

/** The words in which it differs from its siblings stand out. */
function Prompt({ desk, result }: { readonly desk: Desk; readonly result: Shown }) {
  const { prompt, asked, family } = result
  const siblings = useMemo(() => {
    const all = desk.state.page.results
      .filter(each => each.family === family)
      .flatMap(each => each.prompt ?? [])
    // Enough to see what they have in common.
    return [...new Set(all)].slice(0, 400)
  }, [prompt, family, desk.state.page.results.length])
  if (prompt === undefined) return null
  return (
    <>
      <p class="prompt">
        <Marked text={prompt} beside={siblings} />
      </p>
      {asked === undefined ? null : (
        <>
          <h3>The manifest has by now</h3>
          <p class="prompt">
            <Marked text={asked} beside={[prompt]} />
          </p>
        </>
      )}
      {canEdit(desk) ? (
        <p>
          <button type="button" class="quiet" onClick={() => desk.set({ dialog: { is: 'prompt' } })}>
            {desk.state.drafts[promptDraftName(result)] === undefined
              ? 'Edit the prompt…'
              : 'Draft of a prompt…'}{' '}
            <kbd>e</kbd>
          </button>
        </p>
      ) : null}
    </>
  )
}

function Table({ rows }: { readonly rows: readonly (readonly [string, string])[] }) {
  if (rows.length === 0) return null
  return (
    <dl>
      {rows.map(([name, value], nth) => (
        <div key={`${name} ${nth}`}>
          <dt>
            <Foreign text={name} />
          </dt>
          <dd>
            <Foreign text={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Others({
  desk,
  title,
  all,
}: {
  readonly desk: Desk
  readonly title: string
  readonly all: readonly Shown[]
}) {
  if (all.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class="others">
        {all.slice(0, 30).map(({ address, files }) => (
          <li key={address}>
            <button
              type="button"
              class="link"
              onClick={() => desk.set({ cursor: address, isOpen: true, zoom: fit })}
            >
              <Foreign text={address} />
            </button>{' '}
            <span class="soft">
              {files.length === 0 ? 'not made' : bytesText(files.reduce((sum, { bytes }) => sum + bytes, 0))}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
