import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readInput } from '../../src/planning/read-input.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { readGuarded } from '../../src/workspace/read/guarded.ts'
import { lookAt, withInput } from '../../src/workspace/read/look.ts'
import { placeOf } from '../../src/workspace/read/place.ts'
import { readTextAt } from '../../src/workspace/read/texts.ts'
import { freshFolder } from '../e2e/executable.ts'

// What another process does in the moment between a look and the opening that follows it.
const moment = { swap: undefined as (() => void) | undefined }

// The module is everybody's in this worker, and has been read: what is put into it is what they find there.
const { openSync } = fs
beforeAll(() => {
  fs.openSync = (...call: Parameters<typeof openSync>) => {
    const { swap } = moment
    moment.swap = undefined
    swap?.()
    return openSync(...call)
  }
  syncBuiltinESMExports()
})

afterAll(() => {
  fs.openSync = openSync
  syncBuiltinESMExports()
})

beforeEach(() => {
  moment.swap = undefined
})

const canary = 'canary-77b1'

/** A project with a file in a folder, and a file of the same name outside of it. */
function project() {
  const home = fs.realpathSync(
    freshFolder({ 'others/a.txt': canary, 'repo/.git/HEAD': '', 'repo/in/a.txt': 'ours', 'repo/m.yaml': '' }),
  )
  const repo = join(home, 'repo')
  return { home, repo, file: join(repo, 'in/a.txt'), place: placeOf(join(repo, 'm.yaml')) }
}

const swaps: { readonly [name: string]: (repo: string, home: string) => void } = {
  'the file for a link out': (repo, home) => {
    fs.rmSync(join(repo, 'in/a.txt'))
    fs.symlinkSync(join(home, 'others/a.txt'), join(repo, 'in/a.txt'))
  },
  'its folder for a link out': (repo, home) => {
    fs.renameSync(join(repo, 'in'), join(repo, 'was'))
    fs.symlinkSync(join(home, 'others'), join(repo, 'in'))
  },
  'its folder for a link upwards that comes back to another file': (repo, home) => {
    fs.renameSync(join(repo, 'in'), join(home, 'was'))
    fs.symlinkSync('../others', join(repo, 'in'))
  },
}

const readers: { readonly [name: string]: (at: ReturnType<typeof project>) => unknown } = {
  'a text of which lines are shown': ({ file, repo }) => readGuarded(file, repo, 1000),
  'a text that a manifest takes in': ({ place, repo }) => readTextAt('in/a.txt', place, repo),
  'the head of an input': ({ place }) => lookAt('in/a.txt', place),
  'what is measured of an input': ({ place }) =>
    withInput('in/a.txt', place, file => ({ text: String(Buffer.from(file.read(0, 99))) })),
  'an input that is sent': ({ file, repo }) => readInput(systemDisk, file, 'a.txt', repo),
  'an input that is uploaded in pieces': ({ file, repo }) => pieces(file, repo),
}

async function pieces(path: string, within: string): Promise<unknown> {
  try {
    const all: Uint8Array[] = []
    for await (const piece of systemDisk.readPieces(path, within)) all.push(piece)
    return Buffer.concat(all)
  } catch (trouble) {
    return String(trouble)
  }
}

describe('what is swapped between the look and the opening is not read', () => {
  test.each(Object.keys(readers).flatMap(reader => Object.keys(swaps).map(swap => [reader, swap] as const)))(
    '%s: %s',
    async (reader, swap) => {
      const at = project()
      expect(textOf(await readers[reader]?.(at))).toContain('ours')
      moment.swap = () => swaps[swap]?.(at.repo, at.home)
      const read = textOf(await readers[reader]?.(at))
      expect(moment.swap).toBeUndefined()
      expect(read).not.toContain(canary)
    },
  )
})

/** Bytes as text, wherever they are in a value. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each) => {
    if (each instanceof Uint8Array) return Buffer.from(each).toString()
    return each?.type === 'Buffer' ? Buffer.from(each.data).toString() : each
  })
}
