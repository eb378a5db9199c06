import type { Life } from './life.ts'
import type { Scene } from './scene.ts'

/** Who holds the claim, by what lies on the medium; undefined when nobody ever did. */
interface Holder {
  readonly host: string
  /** The number of its life. */
  readonly pid: number
}

export function holderOf({ medium, folders }: Scene): Holder | undefined {
  const numbers = medium.list(folders.claim).filter(name => /^\d+$/.test(name))
  const highest = Math.max(0, ...numbers.map(Number))
  const said = medium.read(`${folders.claim}/${highest}`)
  return said && JSON.parse(said.toString())
}

/** Whether what a process does still counts. */
export function isHolder(scene: Scene, life: Life): boolean {
  return holderOf(scene)?.pid === scene.counts.pids.get(life)
}
