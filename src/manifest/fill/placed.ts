import type { SourceFile, Span } from '../../base/source.ts'
import type { ScalarStyle, TextScalar } from '../../text/tree.ts'
import type { FilledScalar } from '../shapes/filled.ts'
import type { Literal } from './names.ts'

/**
 * What takes the place of an expression. Where that stands is asked of its node when somebody points at it: there may be a hundred
 * thousand, and a text of JSON is read once more for its places.
 */
abstract class Placed {
  readonly #node: TextScalar

  constructor(node: TextScalar) {
    this.#node = node
  }

  get kind(): 'scalar' {
    return 'scalar'
  }

  get file(): SourceFile {
    return this.#node.file
  }

  get start(): number {
    return this.#node.start
  }

  get end(): number {
    return this.#node.end
  }

  get style(): ScalarStyle {
    return this.#node.style
  }
}

/** Put together from parts. */
export class PlacedText extends Placed implements FilledScalar {
  readonly value: string

  constructor(node: TextScalar, value: string) {
    super(node)
    this.value = value
  }

  get source(): string {
    return this.value
  }

  get isMade(): true {
    return true
  }
}

/** A value that stands nowhere. */
export class PlacedLiteral extends Placed implements FilledScalar {
  readonly value: Literal['value']
  readonly isAbsent: Literal['isAbsent']

  constructor(node: TextScalar, { value, isAbsent }: Literal) {
    super(node)
    this.value = value
    this.isAbsent = isAbsent
  }

  get source(): string {
    return String(this.value ?? '')
  }
}

/** A value from elsewhere as a whole. Its own place is kept as the origin. */
export class PlacedValue extends Placed implements FilledScalar {
  readonly #from: FilledScalar
  readonly isData: FilledScalar['isData']

  constructor(node: TextScalar, from: FilledScalar, isOfCell: boolean) {
    super(node)
    // A chain of variables may have any length: what is asked of the last is not asked of all.
    this.#from = from instanceof PlacedValue ? from.#from : from
    this.isData = isOfCell || from.isData
  }

  get value(): FilledScalar['value'] {
    return this.#from.value
  }

  get source(): string {
    return this.#from.source
  }

  override get style(): ScalarStyle {
    return this.#from.style
  }

  get origin(): Span {
    return this.#from.origin ?? this.#from
  }

  get isUntyped(): FilledScalar['isUntyped'] {
    return this.#from.isUntyped
  }

  get isMade(): FilledScalar['isMade'] {
    return this.#from.isMade
  }

  get isAbsent(): FilledScalar['isAbsent'] {
    return this.#from.isAbsent
  }
}
