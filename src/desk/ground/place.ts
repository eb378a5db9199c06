/** Where a manifest and what belongs to it lie. All absolute. */
export interface ProjectPlace {
  readonly manifest: string
  /** The manifest's folder: what its relative paths count from. */
  readonly folder: string
  /** No file outside is read as input: the nearest folder above with `.git` or a genrun configuration, else `folder`. */
  readonly root: string
  /** File name without extension: names the lock and the state. */
  readonly stem: string
}
