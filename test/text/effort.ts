/** The processor's milliseconds that a call takes in this process: on a busy machine the clock says nothing. */
export function effortOf(call: () => unknown): number {
  const before = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
