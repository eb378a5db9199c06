import { isResubmitted, orderOf, type Purchase } from '../../src/base/purchase.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { draftRecipe } from '../../src/plan/shapes/recipe.ts'
import { restBase } from '../../src/plan/shapes/share.ts'
import type { Disk, Handle } from '../../src/store/files/disk.ts'
import { stateFolder } from '../../src/store/files/state-folder.ts'
import { StorageError } from '../../src/store/files/storage-error.ts'
import { stoppedBefore } from '../../src/store/journal/fold.ts'
import { lineageOf, readJournal } from '../../src/store/journal/journal.ts'
import { type LockReading, readLock } from '../../src/store/lock/lock.ts'
import { mergeLocks } from '../../src/store/lock/lock-merge.ts'
import type { Order, OrderReply, Wire } from '../../src/wire/http/wire.ts'
import { stateOf } from '../../src/workspace/layout.ts'
import type { Machine } from '../../src/workspace/machine.ts'
import { kinds } from './kinds.ts'
import {
  asking,
  branching,
  choosing,
  copying,
  dating,
  deciding,
  editing,
  forging,
  leaving,
} from './people.ts'
import { type Breakage, place, refuge, type Staging } from './scene.ts'

/** A genrun that is weaker in one point, and what must be noticed because of it. */
export interface Control extends Staging {
  readonly name: string
  /** The promises of which at least one is then seen broken. */
  readonly breaks: readonly string[]
}

/** Of those who say what becomes of orders. */
const deciders = { acts: deciding, redoes: 0.3, resubmits: 0.3 }

/** The lock that was read last. */
let lockSeen: LockReading | undefined

export const controls: readonly Control[] = [
  {
    name: 'SENDING is written and not synced',
    breakage: withDisk(withoutSyncOfSending),
    breaks: ['P1'],
  },
  {
    name: 'a connection that was reset counts as not sent',
    breakage: withOrders(async (order, send) => {
      const reply = await send(order)
      if (reply.got !== 'doubt') return reply
      return { got: 'not-sent', failure: { why: 'unreachable', origin: '', detail: reply.detail } }
    }),
    breaks: ['P1', 'P2'],
  },
  {
    name: 'each attempt has a key of its own, and the service is trusted to know them',
    keys: 'honoured',
    breakage: withOrders(async (order, send, token) => {
      const reply = await send(order)
      return reply.got === 'doubt' ? send({ ...order, key: token() }) : reply
    }),
    breaks: ['P1'],
  },
  {
    name: 'a clean refusal of a second request makes the doubt about the first one forgotten',
    keys: 'honoured',
    breakage: withOrders(async (order, send) => {
      const reply = await send(order)
      if (reply.got !== 'doubt') return reply
      const again = await send(order)
      return again.got === 'not-sent' ? reply : again
    }),
    breaks: ['P1', 'P2'],
  },
  {
    name: 'the journal is written at the end of the run',
    breakage: withDisk(atTheEnd),
    breaks: ['P1'],
  },
  {
    name: 'nobody waits until ACCEPTED is on the medium',
    breakage: withDisk(disk => ({
      ...disk,
      // Either record is enough.
      sync: file => (isJournal(file) || isLock(file) ? Promise.resolve() : disk.sync(file)),
    })),
    breaks: ['P3'],
  },
  {
    name: 'the names of new files are not synced',
    breakage: withDisk(disk => ({ ...disk, syncFolder: () => Promise.resolve() })),
    breaks: ['P1', 'P3'],
  },
  {
    name: 'a journal that cannot be written stops nothing',
    breakage: withDisk(deafToTrouble),
    breaks: ['P16'],
  },
  {
    name: 'the gate is asked before the first byte, and not obeyed',
    breakage: withWire(wire => ({
      order: (order, beforeFirstByte) =>
        wire.order(order, async () => {
          const lastWord = await beforeFirstByte().catch(() => () => {})
          return () => ignored(lastWord)
        }),
    })),
    breaks: ['P16', 'P38'],
  },
  {
    name: 'what the service asks to wait is not heard',
    breakage: withOrders(async (order, send) => {
      const reply = await send(order)
      return reply.got === 'refused' ? { ...reply, waitMs: 0 } : reply
    }),
    breaks: ['P21'],
  },
  {
    name: 'a claim is taken over by deleting that of the other, and is held as long as there is one',
    breakage: withDisk(oneClaimFile),
    breaks: ['P19'],
  },
  {
    name: 'how the claim and its folder looked once is believed for good',
    breakage: withDisk(claimSeenOnce),
    breaks: ['P19'],
  },
  {
    name: 'only the lock is asked for what happened before',
    breakage: withDisk(disk => ({
      ...disk,
      list: folder => disk.list(folder).filter(name => !name.endsWith('.jnl')),
    })),
    breaks: ['P1', 'P4', 'P5'],
  },
  {
    name: 'only the journal is asked for what happened before',
    breakage: withDisk(disk => ({
      ...disk,
      readAll(path) {
        if (path.endsWith('.lock.json')) throw new StorageError(path, 'read', 'it is not there', 'ENOENT')
        return disk.readAll(path)
      },
    })),
    breaks: ['P1', 'P5'],
  },
  {
    name: 'what is put aside is thrown away',
    breakage: withDisk(disk => ({
      ...disk,
      link(from, to) {
        disk.link(from, to)
        if (isKept(to)) disk.remove(to)
      },
    })),
    breaks: ['P40'],
  },
  {
    name: 'a paid file that is no result is thrown away',
    breakage: withDisk(disk => ({
      ...disk,
      link(from, to) {
        disk.link(from, to)
        if (to.includes('/unusual/')) disk.remove(to)
      },
    })),
    breaks: ['P2', 'P40'],
  },
  {
    name: 'what came of an order and is no result counts for nothing',
    heeding: purchases => purchases.filter(each => each.is !== 'failed' || !each.files),
    breaks: ['P1', 'P5'],
  },
  {
    name: 'what is gone at the service is forgotten',
    gone: 0.3,
    heeding: purchases => purchases.filter(each => each.is !== 'failed' || each.flaw.why !== 'gone'),
    breaks: ['P1'],
  },
  {
    name: 'a run that cannot be seen yet is gone',
    breakage: withWire(wire => ({
      async read(run, signal) {
        const reply = await wire.read(run, signal)
        if (reply.got !== 'trouble' || reply.failure.why !== 'refused') return reply
        return { got: 'failure', failure: { why: 'gone', run: run.id, detail: 'not found' } }
      },
    })),
    breaks: ['P2'],
  },
  {
    name: 'a run that failed after it was accepted is taken for one that was not billed',
    heeding: purchases =>
      purchases.map(each => (each.is === 'failed' && !each.files ? { ...each, billed: 'no' } : each)),
    breaks: ['P1'],
  },
  {
    name: 'nobody looks among what was put aside',
    acts: editing,
    breakage: withDisk(disk => ({
      ...disk,
      look: path => (isKept(path) ? undefined : disk.look(path)),
    })),
    breaks: ['P2', 'P3', 'P5'],
  },
  {
    name: 'a file without its end is as good as another',
    breakage: machine => ({
      ...machine,
      measure: async () => ({ type: 'image/png', extension: 'png', width: 8, height: 8 }),
    }),
    breaks: ['P14'],
  },
  {
    name: 'the first trouble with a run is its end',
    breakage: withWire(wire => ({
      async read(run, signal) {
        const reply = await wire.read(run, signal)
        if (reply.got !== 'trouble') return reply
        return { got: 'failure', failure: { why: 'remote', detail: 'trouble' } }
      },
    })),
    breaks: ['P2'],
  },
  {
    name: 'dates are those of the clock on the wall',
    acts: dating,
    breakage: machine => {
      const { now, wall, until } = machine.clock
      const clock = {
        now: wall,
        wall,
        until: (date: number, signal?: AbortSignal) => until(date - wall() + now(), signal),
      }
      return { ...machine, clock }
    },
    breaks: ['P20', 'P21', 'P45'],
  },
  {
    name: 'a purchase is known by the name of its job, whatever was ordered',
    heeding: (purchases, jobs) =>
      purchases.map(purchase => {
        const job = jobs.find(({ address }) => address === purchase.address)
        return job ? { ...purchase, acceptedAs: draftRecipe(job, () => undefined).recipe } : purchase
      }),
    breaks: ['P39'],
  },
  {
    name: 'an order that was sent, and not answered when genrun died, is taken for one that was not sent',
    heeding: purchases => purchases.filter(each => each.is !== 'doubt' || each.detail !== stoppedBefore),
    breaks: ['P1'],
  },
  {
    name: 'lineages of lock and journal are not compared',
    acts: copying,
    breakage: withDisk(withOneLineage),
    breaks: ['P41'],
  },
  {
    name: 'a lock is believed about what was ordered',
    acts: forging,
    breakage: withDisk(disk => ({
      ...disk,
      readAll(path) {
        const bytes = disk.readAll(path)
        if (path.endsWith('.lock.json')) lockSeen = readLock(Buffer.from(bytes).toString())
        return bytes
      },
    })),
    heeding: purchases => {
      const jobs = lockSeen?.got === 'lock' ? lockSeen.lock.jobs : []
      const recipes = new Map(jobs.map(({ id, recipe }) => [id, recipe]))
      return purchases.map(each => ({ ...each, recipe: recipes.get(each.id) ?? each.recipe }))
    },
    breaks: ['P1', 'P5', 'P39'],
  },
  {
    name: 'what left the manifest is forgotten',
    acts: leaving,
    heeding: (purchases, jobs) =>
      purchases.filter(purchase => jobs.some(({ address }) => address === purchase.address)),
    breaks: ['P1', 'P5'],
  },
  {
    name: 'of each job only its last purchase counts',
    acts: editing,
    heeding: purchases => [...new Map(purchases.map(each => [each.address, each])).values()],
    breaks: ['P1', 'P5'],
  },
  {
    name: 'what was put aside counts for nothing',
    acts: editing,
    heeding: purchases => purchases.filter(each => each.is !== 'done' || !each.aside),
    breaks: ['P5'],
  },
  {
    name: 'a run that its job does not ask for any more is left where it is',
    heeding: (purchases, jobs) =>
      purchases.filter(each => each.is !== 'under-way' || isAskedByItsJob(each, jobs)),
    breaks: ['P40', 'P1'],
  },
  {
    name: 'a doubt is about its job and not about what was ordered',
    acts: leaving,
    heeding: (purchases, jobs) =>
      purchases.filter(each => each.is !== 'doubt' || isAskedByItsJob(each, jobs)),
    breaks: ['P1'],
  },
  {
    name: 'what brings the rest of a job’s files counts for nothing',
    isCounted: true,
    heeding: purchases => purchases.filter(({ address }) => restBase(address) === address),
    breaks: ['P1', 'P5'],
  },
  {
    name: 'a doubt says nothing where another number of files is asked for',
    isCounted: true,
    heeding: (purchases, jobs) =>
      purchases.filter(
        ({ is, address, recipe }) =>
          is !== 'doubt' ||
          jobs.every(job => job.address !== address || job.params.count === recipe.params.count),
      ),
    breaks: ['P1'],
  },
  {
    name: 'what a person ordered anew is forgotten',
    ...deciders,
    heeding: purchases => purchases.filter(each => !isResubmitted(each)),
    breaks: ['P46'],
  },
  {
    name: 'what a person ordered anew is waited for also when it is paid for',
    ...deciders,
    heeding: purchases =>
      purchases.map(each =>
        each.resubmitted && each.is !== 'failed' ? { ...orderOf(each), is: 'open' } : each,
      ),
    breaks: ['P1', 'P5'],
  },
  {
    name: 'a take that was refused is ordered again by every run',
    ...deciders,
    heeding: purchases =>
      purchases.map(each => (each.redo && each.is === 'open' ? { ...each, resubmitted: true } : each)),
    breaks: ['P1'],
  },
  {
    name: 'a take that failed, or was given up, is ordered again by every run',
    ...deciders,
    heeding: purchases =>
      purchases.map(each =>
        each.redo && each.is === 'failed' && !each.files
          ? { ...orderOf(each), is: 'open', resubmitted: true }
          : each,
      ),
    breaks: ['P1'],
  },
  {
    name: 'a take of redo that is in doubt holds no other',
    ...deciders,
    redoes: 0.6,
    resubmits: 0,
    heeding: purchases =>
      purchases.map(each => {
        const { redo: _, ...others } = each
        return each.is === 'doubt' ? others : each
      }),
    breaks: ['P1'],
  },
  {
    name: 'what a person took for something else counts for what it was',
    ...deciders,
    heeding: purchases =>
      purchases.map(each => {
        const { acceptedAs: _, ...asMade } = each
        return asMade
      }),
    breaks: ['P5'],
  },
  {
    name: 'nobody looks for a lock that did not fit into its project',
    isUntouched: true,
    diskTroubles: 0.7,
    breakage: withDisk(disk => ({ ...disk, list: folder => (folder === refuge ? [] : disk.list(folder)) })),
    breaks: ['P4'],
  },
  {
    name: 'nobody looks for what a full journal did not take',
    diskTroubles: 0.7,
    resubmits: 0.5,
    breakage: withDisk(disk => ({
      ...disk,
      list: folder => disk.list(folder).filter(name => folder !== refuge || !name.endsWith('.overtaken')),
    })),
    breaks: ['P1', 'P2', 'P5'],
  },
  {
    name: 'what is in doubt is given up before there is a connection',
    ...deciders,
    breakage: withWire(wire => ({
      async order(order, beforeFirstByte) {
        const lastWord = await beforeFirstByte().catch(cause => () => {
          throw cause
        })
        return wire.order(order, () => Promise.resolve(lastWord))
      },
    })),
    breaks: ['P2'],
  },
  {
    name: 'which take a person picked is forgotten',
    acts: choosing,
    redoes: 0.5,
    heeding: purchases =>
      purchases.map(each => {
        if (each.is !== 'done') return each
        const { picked: _, ...asBought } = each
        return asBought
      }),
    breaks: ['P1', 'P5', 'P42'],
  },
  {
    name: 'a pick throws away what had the name before',
    acts: choosing,
    redoes: 0.5,
    breakage: withDisk(disk => ({
      ...disk,
      link(from, to) {
        disk.link(from, to)
        if (isFirstTake(to)) disk.remove(to)
      },
    })),
    breaks: ['P1', 'P5', 'P40'],
  },
  {
    name: 'a merge of two locks keeps one side',
    acts: branching,
    merge: ({ ours, theirs }) =>
      theirs === '' ? mergeLocks({ base: '', ours, theirs }) : { got: 'merged', text: ours },
    breaks: ['P4'],
  },
  {
    name: 'what another machine made counts for nothing while the own order is under way',
    ...kinds.clones.staging,
    heeding: purchases =>
      purchases.filter(
        ({ is, address }) =>
          is !== 'done' || !purchases.some(each => each.is === 'under-way' && each.address === address),
      ),
    breaks: ['P5'],
  },
  {
    name: 'a run is asked for at whatever service is asked now',
    acts: asking,
    heeding: purchases =>
      purchases.map(purchase => {
        if (!('run' in purchase) || !purchase.run) return purchase
        const { origin: _, ...run } = purchase.run
        return { ...purchase, run }
      }),
    breaks: ['P2', 'P39', 'P40', 'P42'],
  },
]

/** By its prompt. */
function isAskedByItsJob({ address, recipe }: Purchase, jobs: readonly Job[]): boolean {
  return jobs.some(job => job.address === address && job.params.prompt === recipe.params.prompt)
}

/** What is right although it looks alike: the same key again, where the service honours it, and doubts that stay. */
export const trustedKey: Control = {
  name: 'a doubt is sent again with its key to a service that honours it',
  keys: 'honoured',
  breakage: withOrders(async (order, send) => {
    const reply = await send(order)
    if (reply.got !== 'doubt') return reply
    const again = await send(order)
    return again.got === 'run' || again.got === 'files' ? again : reply
  }),
  breaks: [],
}

function withDisk(weaken: (disk: Disk) => Disk): Breakage {
  return machine => ({ ...machine, disk: weaken(machine.disk) })
}

function withWire(weaken: (wire: Wire, machine: Machine) => Partial<Wire>): Breakage {
  return machine => ({
    ...machine,
    async connect(...given) {
      const wire = await machine.connect(...given)
      return { ...wire, ...weaken(wire, machine) }
    },
  })
}

type Send = (order: Order) => Promise<OrderReply>

function withOrders(place: (order: Order, send: Send, token: () => string) => Promise<OrderReply>): Breakage {
  return withWire((wire, { random }) => ({
    order: (its, beforeFirstByte) => place(its, each => wire.order(each, beforeFirstByte), random.token),
  }))
}

function isKept(path: string): boolean {
  return path.includes('/kept/')
}

/** As it is called when another take is picked. */
function isFirstTake(path: string): boolean {
  return /\.take1\.\w+$/.test(path)
}

function isJournal({ path }: Handle): boolean {
  return path.endsWith('.jnl')
}

/** Also under the name that it has until it is whole. */
function isLock({ path }: Handle): boolean {
  return path.includes('.lock.json')
}

function ignored(call: () => void): void {
  try {
    call()
  } catch {
    // On it goes.
  }
}

/** A sync that would make nothing but orders durable does not happen. */
function withoutSyncOfSending(disk: Disk): Disk {
  let isNothingElse = true
  return {
    ...disk,
    write(file, bytes) {
      if (isJournal(file)) isNothingElse &&= /"kind":"(INTENT|SENDING)"/.test(Buffer.from(bytes).toString())
      return disk.write(file, bytes)
    },
    sync(file) {
      if (!isJournal(file)) return disk.sync(file)
      if (isNothingElse) return Promise.resolve()
      isNothingElse = true
      return disk.sync(file)
    },
  }
}

function deafToTrouble(disk: Disk): Disk {
  return {
    ...disk,
    write(file, bytes) {
      if (!isJournal(file)) return disk.write(file, bytes)
      ignored(() => disk.write(file, bytes))
      return bytes.length
    },
    sync: file => (isJournal(file) ? disk.sync(file).catch(() => undefined) : disk.sync(file)),
  }
}

/** There is one claim, under the same number for everybody: who finds it takes it for its own. */
function oneClaimFile(disk: Disk): Disk {
  const isClaim = (path: string) => /\/claim\/\d+$/.test(path)
  let mine: Buffer | undefined
  return {
    ...disk,
    link(from, to) {
      if (!isClaim(to)) return disk.link(from, to)
      mine = disk.readAll(from)
      if (disk.look(to)) disk.remove(to)
      disk.link(from, to)
    },
    list(folder) {
      const names = disk.list(folder)
      // One that was there before does not count for whoever wants to take it over.
      return folder.endsWith('/claim') && !mine ? names.filter(name => !/^\d+$/.test(name)) : names
    },
    readAll: path => (isClaim(path) && mine ? mine : disk.readAll(path)),
  }
}

/** The dates that stand for a list of the folder, and the file in it, are looked at once. */
function claimSeenOnce(disk: Disk): Disk {
  const looks = new Map<string, ReturnType<Disk['look']>>()
  const contents = new Map<string, Buffer>()
  return {
    ...disk,
    look(path) {
      const seen = looks.get(path) ?? disk.look(path)
      if (/\/claim(\/\d+)?$/.test(path)) looks.set(path, seen)
      return seen
    },
    readAll(path) {
      const bytes = contents.get(path) ?? disk.readAll(path)
      if (/\/claim\/\d+$/.test(path)) contents.set(path, bytes)
      return bytes
    },
  }
}

/** The lock is taken for one of the lineage that the journal has. */
function withOneLineage(disk: Disk): Disk {
  return {
    ...disk,
    readAll(path) {
      const bytes = disk.readAll(path)
      if (!path.endsWith('.lock.json')) return bytes
      const journal = readJournal(stateFolder(stateOf(place, false)).journal, disk)
      const its = journal.got === 'records' ? lineageOf(journal.entries) : undefined
      const text = Buffer.from(bytes).toString()
      return its === undefined ? bytes : Buffer.from(text.replace(/"lineage":"[^"]*"/, `"lineage":"${its}"`))
    },
  }
}

/** Keeps what is written to a journal until the file is closed. */
function atTheEnd(disk: Disk): Disk {
  const held = new Map<Handle, Uint8Array[]>()
  return {
    ...disk,
    write(file, bytes) {
      if (!isJournal(file)) return disk.write(file, bytes)
      held.set(file, [...(held.get(file) ?? []), bytes])
      return bytes.length
    },
    sync: file => (isJournal(file) ? Promise.resolve() : disk.sync(file)),
    close(file) {
      for (const bytes of held.get(file) ?? []) disk.write(file, bytes)
      disk.close(file)
    },
  }
}
