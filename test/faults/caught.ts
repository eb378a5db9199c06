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
  'a purchase is known by the name of its job, whatever was ordered': 17,
  'what is put aside is thrown away': 17,
  'what a person took for something else counts for what it was': 18,
  'only the journal is asked for what happened before': 19,
  'a pick throws away what had the name before': 23,
  'a run that its job does not ask for any more is left where it is': 23,
  'nobody looks among what was put aside': 27,
  'what is in doubt is given up before there is a connection': 27,
  'which take a person picked is forgotten': 28,
  'a run that cannot be seen yet is gone': 32,
  'the first trouble with a run is its end': 32,
  'SENDING is written and not synced': 38,
  'of each job only its last purchase counts': 58,
  'what a person ordered anew is forgotten': 58,
  'the gate is asked before the first byte, and not obeyed': 62,
  'nobody looks for a lock that did not fit into its project': 64,
  'a take that was refused is ordered again by every run': 65,
  'a file without its end is as good as another': 71,
  'what is gone at the service is forgotten': 71,
  'a take that failed, or was given up, is ordered again by every run': 78,
  'a clean refusal of a second request makes the doubt about the first one forgotten': 81,
  'how the claim and its folder looked once is believed for good': 88,
  'a run that failed after it was accepted is taken for one that was not billed': 131,
  'a merge of two locks keeps one side': 132,
  'a paid file that is no result is thrown away': 144,
  'what came of an order and is no result counts for nothing': 144,
  'a take of redo that is in doubt holds no other': 151,
  'a journal that cannot be written stops nothing': 152,
  'what brings the rest of a job’s files counts for nothing': 190,
  'lineages of lock and journal are not compared': 230,
  'dates are those of the clock on the wall': 250,
  'what left the manifest is forgotten': 250,
  'a doubt is about its job and not about what was ordered': 316,
  'a claim is taken over by deleting that of the other, and is held as long as there is one': 354,
  'what was put aside counts for nothing': 413,
  'nobody looks for what a full journal did not take': 539,
  'what another machine made counts for nothing while the own order is under way': 2248,
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
