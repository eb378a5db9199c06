import { exit } from '../../base/exit.ts'
import { type RunResult, runManifest } from '../../desk/run.ts'
import type { Service } from '../../desk/service.ts'
import type { RunAsked } from '../asked.ts'
import { readKeyFile } from '../key-file.ts'
import { openView } from '../live/open.ts'
import type { View } from '../live/view.ts'
import type { Out } from '../out.ts'
import { warningText } from '../problems.ts'
import { refuse, tellResult } from '../result.ts'
import { chooseService, type ServiceChoice } from '../service.ts'
import { stopText, watchSignals } from '../signals.ts'
import type { Surroundings } from '../surroundings.ts'

/** `genrun <manifest>`: carries the manifest out and says what became of it. */
export async function run(asked: RunAsked, around: Surroundings, out: Out): Promise<number> {
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
      carryOut(asked, around, { service, choice, view, stop: stop.signal }),
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

interface Means {
  readonly service: Service
  readonly choice: Served
  readonly view: View
  readonly stop: AbortSignal
}

type Served = Exclude<ServiceChoice, { use: 'nothing' }>

function carryOut(
  asked: RunAsked,
  around: Surroundings,
  { service, choice, view, stop }: Means,
): Promise<RunResult> {
  return runManifest({
    manifest: asked.manifest,
    cwd: around.cwd,
    service,
    output: asked.output,
    wish: { failed: asked.failed, rebuy: asked.rebuy },
    limits: { execute: asked.execute, submit: asked.submit },
    // Said when it is certain that something will be made: a wrong manifest is the only thing to hear about then.
    tell(told) {
      if (told.event === 'planned' && choice.use === 'rehearsal' && asked.talk !== 'quiet')
        view.note(`rehearsal: ${choice.because}, so the embedded gateway makes placeholders; nothing is paid`)
      view.tell(told)
    },
    stop,
  })
}

/** Gives the work the configured service, or a gateway of its own for as long as it lasts. */
async function withService<T>(
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
