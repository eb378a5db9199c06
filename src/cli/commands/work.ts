import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { shellWord } from '../../text/shell-word.ts'
import { type FleetStanding, fleetStatusOf, workOn } from '../../verbs/fleet.ts'
import type { Given } from '../flags/given.ts'
import { type ManifestArgs, planOptionsFrom, workspaceFrom } from '../flags/plan-options.ts'
import { fleetPlace } from '../io/fleet-place.ts'
import type { Out } from '../io/out.ts'
import { watchSignals } from '../io/signals.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { secretsOf } from '../service/service.ts'
import { serviceFor } from '../service/service-for.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'
import { warningText } from '../words/problems.ts'
import { withService } from './run.ts'

type WorkArgs = ManifestArgs & Partial<Given<'execute' | 'submit'>> & Given<'json'>

/** `genrun work`: makes what `genrun run --fleet` hands out, until Ctrl-C. */
export async function work(args: WorkArgs, around: Surroundings, out: Out): Promise<number> {
  const choice = serviceFor({ local: false, ...args }, around)
  if (choice.use === 'nothing') return refuse(choice.trouble, exit.refused, args, out)
  if (choice.use === 'service') for (const secret of secretsOf(choice)) out.hide(secret)
  const place = fleetPlace(around, out)
  const remark = (text: string) => out.talk(warningText(text, out.paint))
  const stop = watchSignals(
    around,
    signal => signal !== 'again' && out.talk('stopping: what is on its way comes back first'),
  )
  try {
    const result = await withService(choice, remark, service => {
      const options = planOptionsFrom(args, around)
      const { execute, submit, manifest } = args
      const limits = { execute, submit, ...options.limits }
      const told = { emit: () => undefined, stop: stop.signal }
      const begun = () => out.talk(`at work on ${manifest}; Ctrl-C ends it`)
      return workOn({ cwd: around.cwd, service, ...options, manifest, limits, ...told }, { ...place, begun })
    })
    if (result.got === 'refused' || result.got === 'damaged' || result.got === 'busy')
      return tellAgainst(result, args, out)
    if (result.why !== undefined) out.talk(warningText(`stopped by itself: ${result.why}`, out.paint))
    return result.why === undefined ? exit.ok : exit.failed
  } finally {
    stop.close()
  }
}

/** `genrun status --fleet`. */
export async function fleetStatus(
  args: ManifestArgs & Given<'json'>,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const result = await fleetStatusOf(workspaceFrom(args, around), fleetPlace(around, out))
  if (result.got !== 'fleet') return tellAgainst(result, args, out)
  const { batch, status, doubts } = result
  if (args.json) out.json({ batch, ...status, doubts })
  else for (const line of [...statusLines(result), ...doubtLines(result, args.manifest)]) out.result(line)
  return exit.ok
}

function statusLines({
  status: { jobs, waiting, workers, elsewhere, orders, spent },
}: FleetStanding): string[] {
  const states = Object.entries(orders).map(
    ([state, many]) => `${many} ${words[state as keyof typeof words]}`,
  )
  return [
    `${counted(workers, 'worker')} at work on this text${elsewhere > 0 ? `, ${elsewhere} on others` : ''}`,
    `handed out: ${jobs.ended} of ${counted(jobs.all, 'job')} ended${jobs.skipped > 0 ? `, ${jobs.skipped} of them without an order` : ''}; ${waiting} waiting for others`,
    `orders: ${states.join(', ') || 'none'}`,
    `spent: ${counted(spent.orders, 'order')}${spent.cost > 0 ? `, ${spent.cost}` : ''}`,
  ]
}

const shown = 10

function doubtLines({ doubts }: FleetStanding, manifest: string): string[] {
  const name = shellWord(manifest)
  const more = doubts.length > shown ? [`and ${doubts.length - shown} more in doubt`] : []
  const way = doubts.every(({ inLock }) => inLock)
    ? `genrun status ${name} tells more and how to settle them`
    : `genrun run ${name} --fleet writes them into the lock; then genrun resolve settles them`
  return [
    ...doubts.slice(0, shown).map(({ address, detail }) => display(`in doubt: ${address}: ${detail}`, 500)),
    ...more,
    ...(doubts.length > 0 ? [way] : []),
  ]
}

const words = {
  SENDING: 'on their way',
  NOTSENT: 'not sent',
  REFUSED: 'refused',
  ACCEPTED: 'at the service',
  RESULT: 'being fetched',
  DOUBT: 'in doubt',
  DONE: 'done',
  FAILED: 'failed',
} as const
