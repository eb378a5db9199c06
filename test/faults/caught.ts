import { type Control, controls } from './breakages.ts'
import { live } from './history.ts'

/** Of every control, by its name, what shows the break for what it is among so many seeds; none, when nothing does. */
export async function allCaught(most: number): Promise<{ readonly [name: string]: Caught | undefined }> {
  const all: { [name: string]: Caught | undefined } = {}
  for (const control of controls) all[control.name] = await firstCaught(control, most)
  return all
}

interface Caught {
  readonly seed: number
  readonly accusation: string
}

/** What is seldom met, by the seed that met it last: that one is looked at first. Where it meets it no more, all are. */
const metLast: { readonly [name: string]: number } = {
  'a pick throws away what had the name before': 72,
  'what a person ordered anew is waited for also when it is paid for': 106,
  'a paid file that is no result is thrown away': 144,
  'what came of an order and is no result counts for nothing': 144,
  'a merge of two locks keeps one side': 132,
  'a take that was refused is ordered again by every run': 151,
  'a journal that cannot be written stops nothing': 152,
  'what brings the rest of a job’s files counts for nothing': 156,
  'which take a person picked is forgotten': 168,
  'a take that failed, or was given up, is ordered again by every run': 220,
  'lineages of lock and journal are not compared': 230,
  'what left the manifest is forgotten': 250,
  'nobody looks for what a full journal did not take': 539,
  'what another machine made counts for nothing while the own order is under way': 598,
  'a claim is taken over by deleting that of the other, and is held as long as there is one': 354,
  'what was put aside counts for nothing': 413,
  'a doubt is about its job and not about what was ordered': 316,
}

/** A seed that shows the break for what it is. */
async function firstCaught(control: Control, most: number): Promise<Caught | undefined> {
  const { [control.name]: last = 1 } = metLast
  for (const seed of [last, ...Array.from({ length: most }, (_, nth) => nth + 1)]) {
    const { accusations } = await live(seed, control)
    const accusation = accusations.find(each =>
      control.breaks.some(promise => each.startsWith(`${promise}:`)),
    )
    if (accusation !== undefined) return { seed, accusation }
  }
  return undefined
}
