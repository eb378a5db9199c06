import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { readSystemLink, readSystemText } from '../../disk/own.ts'

/** A process that others can recognise, and find out about whether it still runs. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** Of the machine itself: two may have one name. Empty where the system does not tell. */
  readonly machine: string
  /** Changes when the machine starts anew; empty where the system does not tell. */
  readonly boot: string
  /** Whose numbers `pid` is one of: containers on one machine count for themselves. Empty where there is only one. */
  readonly space: string
  /** When the process started, in the system's own words: numbers are used again. Empty where it does not tell. */
  readonly start: string
}

export function thisProcess(): Holder {
  return {
    host: hostname(),
    pid: process.pid,
    machine: machineId(),
    boot: readSystemText('/proc/sys/kernel/random/boot_id'),
    space: readSystemLink('/proc/self/ns/pid'),
    start: startOf(process.pid) ?? '',
  }
}

/**
 * `alive` and `gone` are certain. `elsewhere`: on another machine, or in another container, where nobody here can look.
 */
export function whereabouts(holder: Holder, here: Holder = thisProcess()): 'alive' | 'gone' | 'elsewhere' {
  if (holder.host !== here.host || holder.machine !== here.machine) return 'elsewhere'
  // Another boot of this machine, of which nothing is left; or, by names that many machines have, another machine.
  if (holder.boot !== here.boot) return here.machine === '' ? 'elsewhere' : 'gone'
  if (holder.space !== here.space) return 'elsewhere'
  const start = startOf(holder.pid)
  if (start === undefined) return 'gone'
  const isUntold = start === '' || holder.start === ''
  return isUntold || start === holder.start ? 'alive' : 'gone'
}

/** As machine-id(5) asks, the number itself is written nowhere. */
function machineId(): string {
  const id = readSystemText('/etc/machine-id')
  return id && createHash('sha256').update(`genrun ${id}`).digest('hex').slice(0, 16)
}

/** When a running process started, empty where the system does not tell; undefined when none has that number. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') return startOnLinux(pid)
  if (!exists(pid)) return undefined
  if (process.platform === 'win32') return ''
  // It prints dates; they must not depend on who asks where.
  const env = { LC_ALL: 'C', TZ: 'UTC' }
  // Linux, which most run on, needs none of it.
  const { execFileSync } = process.getBuiltinModule('node:child_process')
  return readQuietly(() =>
    execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env }),
  )
}

/** proc(5), `stat`: the state is the first field behind the name in brackets, the start time the twentieth from there. */
function startOnLinux(pid: number): string | undefined {
  const stat = readSystemText(`/proc/${pid}/stat`)
  // Mounted with `hidepid`, it does not show what others run.
  if (stat === '') return exists(pid) ? '' : undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A process that ended and was not fetched by its parent keeps its number.
  const isDead = fields[0] === 'Z' || fields[0] === 'X'
  return isDead ? undefined : fields[19]
}

function exists(pid: number): boolean {
  // Others mean whole groups of processes, and would always be there.
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function readQuietly(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}
