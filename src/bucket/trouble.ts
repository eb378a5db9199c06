/** What a store of objects, or the way to it, did not do. Its words hold no secret, and nothing of an answer but a status and a code. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
  readonly hint: string
  /** Of the answer, where there was one. */
  readonly status: number | undefined

  constructor(message: string, hint: string, status?: number) {
    super(message)
    this.hint = hint
    this.status = status
  }
}
