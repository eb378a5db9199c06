/** `1 file`, `3 files`, `1 entry`, `2 entries` (`several` where adding an s will not do). */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`
}

/** `10,000`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** All of them together. */
export function totalOf(counts: Iterable<number>): number {
  let total = 0
  for (const count of counts) total += count
  return total
}

/** `0.42 USD`, `1,250 credits`; as many decimals as say something. */
export function amountText(amount: number, currency: string): string {
  const digits = Math.abs(amount) >= 1 ? 2 : 6
  const [whole = '0', fraction = ''] = amount.toFixed(digits).split('.')
  const solid = fraction.replace(/0+$/, '')
  const shown = solid === '' ? '' : `.${solid.padEnd(2, '0')}`
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${shown} ${currency}`
}

/** `812 B`, `1.2 MB`, `24 GB`; in powers of 1000. */
export function bytesText(bytes: number): string {
  let value = bytes
  let steps = 0
  // 999,950 is already 1.0 MB: never 1000 kB.
  while (value >= 999.5 && steps < units.length - 1) {
    value /= 1000
    steps++
  }
  return `${steps > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[steps]}`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** How long something took: `0.4 s`, `12.3 s`, `1 min 05 s`, `2 h 03 min`. */
export function secondsText(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`
}

/** Time since the start, for a log: `+0.4s`, `+1m05s`, `+2h03m`. */
export function elapsedText(seconds: number): string {
  const tenths = Math.max(0, Math.round(seconds * 10) / 10)
  return tenths < 60 ? `+${tenths.toFixed(1)}s` : `+${clockText(tenths)}`
}

/** Time that is running, for a screen: `7s`, `1m05s`, `2h03m`. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`
}

/** How long something will probably take: `about 25s`, `about 12m`, `about 2h05m`. */
export function aboutTimeText(seconds: number): string {
  const step = seconds < 100 ? 5 : seconds < 6000 ? 60 : 300
  const text = clockText(Math.max(step, Math.round(seconds / step) * step))
  return `about ${text.replace(/m00s$/, 'm')}, by the results of the last day`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
