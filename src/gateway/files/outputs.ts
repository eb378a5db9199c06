import { type MediaType, mediaTypes } from '../../media/sniff.ts'
import type { Later } from '../http/answer.ts'
import { folderFileStore, leftoversIn, memoryFileStore } from './file-store.ts'

/** One file that the gateway serves. Its bytes never change: run and name are its strong entity tag. */
export interface GatewayOutput {
  readonly run: string
  /** `1.png`: the number counts from 1. */
  readonly name: string
  readonly type: string
  readonly bytes: number
}

export interface Outputs {
  /** Keeps a run's files, in order, and makes room by giving up those of other runs. */
  put(run: string, files: readonly NewFile[]): Promise<GatewayOutput[]>
  find(run: string, name: string): GatewayOutput | undefined
  /** False when a run's files were given up. */
  has(run: string): boolean
  later(output: GatewayOutput): Later
  /** Says that somebody has the whole file: it is given up before those that nobody has. */
  fetched(output: GatewayOutput): void
}

interface NewFile {
  readonly bytes: Uint8Array
  readonly type: string
  readonly extension: string
}

/** Where outputs are kept: in memory, or in a folder that is made when missing. */
export type OutputPlace = 'memory' | { readonly folder: string }

interface Kept {
  readonly files: Map<string, GatewayOutput>
  readonly unfetched: Set<string>
}

/** Opens the outputs. Above `maxBytes` the oldest runs are given up, those that were fetched before the others. */
export async function openOutputs(place: OutputPlace, maxBytes: number): Promise<Outputs> {
  const fileStore = place === 'memory' ? memoryFileStore() : folderFileStore(place.folder)
  const runs = new Map<string, Kept>()
  let total = 0

  const keep = (output: GatewayOutput): GatewayOutput => {
    const kept = runs.get(output.run) ?? { files: new Map(), unfetched: new Set() }
    runs.set(output.run, kept)
    kept.files.set(output.name, output)
    kept.unfetched.add(output.name)
    total += output.bytes
    return output
  }

  const giveUp = async (run: string, kept: Kept): Promise<void> => {
    runs.delete(run)
    for (const output of kept.files.values()) total -= output.bytes
    await fileStore.remove(run, [...kept.files.keys()])
  }

  const makeRoom = async (newest: string | undefined): Promise<void> => {
    while (total > maxBytes) {
      const others = [...runs].filter(([run]) => run !== newest)
      const next = others.find(([, kept]) => kept.unfetched.size === 0) ?? others[0]
      if (!next) return
      await giveUp(...next)
    }
  }

  const put = async (run: string, files: readonly NewFile[]): Promise<GatewayOutput[]> => {
    const outputs: GatewayOutput[] = []
    for (const [index, { bytes, type, extension }] of files.entries()) {
      const name = `${index + 1}.${extension}`
      await fileStore.write(run, name, bytes)
      outputs.push(keep({ run, name, type, bytes: bytes.byteLength }))
    }
    await makeRoom(run)
    return outputs
  }

  if (place !== 'memory') {
    for (const { run, name, bytes } of await leftoversIn(place.folder)) {
      keep({ run, name, type: typeOf(name), bytes })
      runs.get(run)?.unfetched.delete(name)
    }
    await makeRoom(undefined)
  }

  return {
    put,
    find: (run, name) => runs.get(run)?.files.get(name),
    has: run => runs.has(run),
    later: ({ run, name, bytes }) => ({ bytes, read: (start, end) => fileStore.read(run, name, start, end) }),
    fetched: ({ run, name }) => {
      runs.get(run)?.unfetched.delete(name)
    },
  }
}

const known: readonly MediaType[] = Object.values(mediaTypes)

function typeOf(name: string): string {
  return known.find(({ extension }) => name.endsWith(`.${extension}`))?.type ?? 'application/octet-stream'
}
