import { resolve } from 'node:path'
import { exit } from '../../base/exit.ts'
import { applyPlan } from '../../desk/apply.ts'
import type { Told as ToldEvent } from '../../desk/report.ts'
import { type RunResult, runManifest } from '../../desk/run.ts'
import type { Service } from '../../desk/service.ts'
import type { RunRequest } from '../../desk/setting.ts'
import type { RunAsked } from '../asked.ts'
import type { ApplyAsked } from '../desk-asked.ts'
import { readKeyFile } from '../key-file.ts'
import { openView } from '../live/open.ts'
import type { View } from '../live/view.ts'
import type { Out } from '../out.ts'
import { warningText } from '../problems.ts'
import { refuse, tellResult } from '../result.ts'
import { chooseService, type ServiceChoice } from '../service.ts'
import { stopText, watchSignals } from '../signals.ts'
import type { Surroundings } from '../surroundings.ts'
import { varsFrom } from '../vars.ts'
import { wantedFrom } from '../wanted.ts'

/** `genrun <manifest>`: carries the manifest out and says what became of it. */
export async function run(asked: RunAsked, around: Surroundings, out: Out): Promise<number> {
  const { manifest, failed, rebuy, execute, submit, wanted, takeClaim } = asked
  if (wanted?.frozen) {
    const { verify } = await import('./verify.ts')
    return verify({ ...asked, wanted, allow: [] }, around, out)
  }
  return carryOut(asked, around, out, means =>
    runManifest({
      ...means,
      manifest,
      vars: varsFrom([], around.env),
      limits: { execute, submit },
      ...(takeClaim && { takeClaim }),
      wish: { failed, rebuy },
      ...(failed && { select: { failed } }),
      ...(wanted && {
        ...wantedFrom(wanted, { failed, rebuy }, around),
        redo: wanted.redo,
        yes: wanted.yes,
      }),
    }),
  )
}

/** `genrun apply`: carries a saved plan out, or says what changed since. */
export async function apply(asked: ApplyAsked, around: Surroundings, out: Out): Promise<number> {
  const { prices, cache } = wantedFrom(asked.wanted, {}, around)
  return carryOut(asked, around, out, means =>
    applyPlan({ ...means, plan: asked.plan, ...(prices && { prices }), ...(cache && { cache }) }),
  )
}

/** What a run has in common, whatever is run. */
type Means = Pick<RunRequest, 'cwd' | 'service' | 'output' | 'tell' | 'stop'>

type Told = Pick<RunAsked, 'local' | 'json' | 'talk' | 'output'>

async function carryOut(
  asked: Told,
  around: Surroundings,
  out: Out,
  work: (means: Means) => Promise<RunResult>,
): Promise<number> {
  const choice = chooseService(around.env, asked.local, path => readKeyFile(path, around.cwd))
  if (choice.use === 'nothing') return refuse(choice.trouble, exit.refused, asked, out)
  if (choice.use === 'service') out.hide(choice.key)
  const view = await openView(asked.talk, around, out)
  if (choice.use === 'service') for (const text of choice.warnings) view.note(warningText(text, out.paint))
  const stop = watchSignals(around, signal => view.note(stopText(signal)))
  let result: RunResult
  try {
    const remark = (text: string) => view.note(warningText(text, out.paint))
    result = await withService(choice, remark, service =>
      work({
        cwd: around.cwd,
        service,
        output: asked.output === undefined ? undefined : resolve(around.cwd, asked.output),
        tell: told => tellView(told, asked, choice, view),
        stop: stop.signal,
      }),
    )
  } finally {
    stop.close()
    await view.close()
  }
  return tellResult(
    result,
    { asked, cwd: around.cwd, isScreen: around.stdout.isTerminal, stopped: stop.code() },
    out,
  )
}

export type Served = Exclude<ServiceChoice, { use: 'nothing' }>

export function tellView(told: ToldEvent, asked: Pick<Told, 'talk'>, choice: Served, view: View): void {
  // Said when it is certain that something will be made: a wrong manifest is the only thing to hear about then.
  if (told.event === 'planned' && choice.use === 'rehearsal' && asked.talk !== 'quiet')
    view.note(`rehearsal: ${choice.because}, so the embedded gateway makes placeholders; nothing is paid`)
  view.tell(told)
}

/** Gives the work the configured service, or a gateway of its own for as long as it lasts. */
export async function withService<T>(
  choice: Served,
  remark: (text: string) => void,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  if (choice.use === 'service') return work({ baseUrl: choice.baseUrl, key: choice.key, rehearsal: false })
  const { startGateway } = await import('../../gateway/server.ts')
  const gateway = await startGateway({ outputs: 'memory', remark })
  try {
    return await work({ baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: true })
  } finally {
    await gateway.close()
  }
}
