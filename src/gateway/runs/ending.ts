import { defined } from '../../base/defined.ts'
import { oddFile } from '../faults/odd-files.ts'
import type { Outputs } from '../files/outputs.ts'
import type { ImageFormat, RenderedFile } from '../render/order/request.ts'
import type { GatewayRun, GatewayRunEnd, RunOrder } from './run.ts'
import { type Render, renderRequest, unfetchedWarning } from './work.ts'

/** What makes files, and where they are kept. */
export interface Workshop {
  readonly render: Render
  readonly format: ImageFormat | undefined
  readonly outputs: Outputs
  /** Hears every warning. */
  readonly remark: (text: string) => void
}

/** Does a run's work, or what its fate says instead. */
export async function endingOf(
  workshop: Workshop,
  run: GatewayRun,
  { work, fate }: RunOrder,
): Promise<GatewayRunEnd> {
  switch (fate.ends) {
    case 'failed':
      return { is: 'failed', code: 'failed', message: 'the model failed' }
    case 'rejected':
      return {
        is: 'failed',
        code: 'content_policy',
        message: 'the request was rejected by the content policy',
      }
    case undefined:
      return produced(workshop, run, { work, fate })
  }
}

async function produced(
  workshop: Workshop,
  run: GatewayRun,
  { work, fate }: Pick<RunOrder, 'work' | 'fate'>,
): Promise<GatewayRunEnd> {
  const request = renderRequest(work, run.id, workshop.format)
  const rendered = await workshop.render(request)
  if ('code' in rendered) return { is: 'failed', ...rendered }
  if (fate.kind) {
    const odd = oddFile(fate.kind)
    const outputs = await workshop.outputs.put(
      run.id,
      rendered.map(() => odd),
    )
    return { is: 'completed', outputs }
  }
  const files = rendered.slice(0, Math.max(1, rendered.length - fate.missing))
  const kept = await workshop.outputs.put(run.id, files)
  const unfetched = unfetchedWarning(work.inputs)
  const outputs = kept.map((output, index) => {
    const warnings = [files[index]?.warning, unfetched].filter(text => text !== undefined)
    for (const text of warnings) workshop.remark(text)
    return { ...output, ...facts(files[index], warnings) }
  })
  return { is: 'completed', outputs }
}

function facts(file: RenderedFile | undefined, warnings: readonly string[]) {
  const { width, height, seconds } = file ?? {}
  return {
    ...defined({ width, height, seconds }),
    ...(warnings.length > 0 && { warning: warnings.join('; ') }),
  }
}
