import * as fs from 'node:fs'
import { join } from 'node:path'

/** What a folder can do of all that keeps results safe. */
interface FolderTrial {
  readonly sync: { readonly tasks: boolean; readonly ms: number }
  readonly rename: boolean
  readonly link: boolean
  readonly isCaseSensitive: boolean
}

/** Tries out a folder that this process has made for that (`makeFolder`). Throws what the system says. */
export function tryOut(trial: string): FolderTrial {
  const [one, two, three] = ['one', 'two', 'three'].map(name => join(trial, name)) as [string, string, string]
  const began = process.hrtime.bigint()
  const tasks = synced(one)
  const ms = Number(process.hrtime.bigint() - began) / 1e6
  fs.writeFileSync(two, 'two')
  const isCaseSensitive = !fs.existsSync(join(trial, 'ONE'))
  const rename = does(() => fs.renameSync(two, one)) && fs.readFileSync(one, 'utf8') === 'two'
  fs.writeFileSync(three, 'three')
  const link =
    does(() => fs.linkSync(one, join(trial, 'link'))) && !does(() => fs.linkSync(three, join(trial, 'link')))
  return { sync: { tasks, ms }, rename, link, isCaseSensitive }
}

function synced(path: string): boolean {
  const file = fs.openSync(path, 'w')
  try {
    fs.writeSync(file, 'one')
    return does(() => fs.fdatasyncSync(file))
  } finally {
    fs.closeSync(file)
  }
}

function does(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}
