import { Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import { characterParts, counted } from '../../data/words.ts'
import type { Waiting } from '../desk/linked.ts'
import { piecesOf } from './differs.ts'

/**
 * A text that others wrote, or that has one in it: what it does to the order of characters ends where it ends, and what is not seen of it
 * is shown. Its own direction is that of its first letter.
 */
export function Foreign({ text }: { readonly text: string }) {
  return (
    <bdi>
      <Characters text={text} />
    </bdi>
  )
}

/** That nobody hears what is decided: wherever it is decided. */
export function NoAnswer({ waiting: { isLost, verdicts } }: { readonly waiting: Waiting }) {
  if (!isLost) return null
  return (
    <p class="bad" role="alert">
      genrun does not answer.{' '}
      {verdicts.length > 0
        ? `${counted(verdicts.length, 'verdict')} not saved yet: kept in this browser, and sent when it is back.`
        : 'Everything that was decided is saved.'}
    </p>
  )
}

/** Several beside each other. */
export function Joined({ all }: { readonly all: readonly (string | false | undefined)[] }) {
  return (
    <>
      {all
        .filter(each => typeof each === 'string' && each !== '')
        .map((each, nth) => (
          <Fragment key={nth}>
            {nth === 0 ? '' : ' · '}
            <Foreign text={String(each)} />
          </Fragment>
        ))}
    </>
  )
}

/** A prompt in which stands out what those beside it do not say. */
export function Marked({ text, beside }: { readonly text: string; readonly beside: readonly string[] }) {
  const pieces = useMemo(() => piecesOf(text, beside), [text, beside.join('\n')])
  return (
    <>
      {pieces.map(({ text: piece, differs }, nth) =>
        differs ? (
          <mark key={nth}>
            <Characters text={piece} />
          </mark>
        ) : (
          <Characters key={nth} text={piece} />
        ),
      )}
    </>
  )
}

/** The character itself stays there for whoever copies it; its box keeps it from acting on what is around it. */
function Characters({ text }: { readonly text: string }) {
  const parts = characterParts(text)
  return (
    <>
      {parts.map(({ text: part, code }, nth) =>
        code === undefined ? (
          part
        ) : (
          <i key={nth} class="control" data-code={code}>
            {part}
          </i>
        ),
      )}
    </>
  )
}
