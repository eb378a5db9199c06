/**
 * How long the fault tests run, by the environment: `GENRUN_FAULTS_SEEDS` for another number of seeds,
 * `GENRUN_FAULTS_PART=2/4` for the second quarter of them, `GENRUN_FAULTS_SEED` to replay one and be told everything,
 * `GENRUN_FAULTS_KILLS` for the number of processes to be killed.
 */
export const budget = {
  seeds: number('GENRUN_FAULTS_SEEDS') ?? 20_000,
  kills: number('GENRUN_FAULTS_KILLS') ?? 300,
  part: partOf(process.env.GENRUN_FAULTS_PART ?? '1/1'),
  replay: number('GENRUN_FAULTS_SEED'),
}

/** A test that takes longer hangs, on any machine and with anything beside it. In milliseconds. */
export const hangsAfterMs = 600_000

/** The first seed and the number of seeds of this part, of so many in all. */
export function seedsOf(all: number): { readonly first: number; readonly count: number } {
  const { nth, of } = budget.part
  const count = Math.ceil(all / of)
  return { first: 1 + (nth - 1) * count, count }
}

function number(name: string): number | undefined {
  const text = process.env[name]
  return text === undefined ? undefined : Number(text)
}

function partOf(text: string): { readonly nth: number; readonly of: number } {
  const [nth = 1, of = 1] = text.split('/').map(Number)
  return { nth, of }
}
