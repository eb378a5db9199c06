import { resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { ManifestSettings } from '../../mcp/tool.ts'
import type { AnyArgs } from '../flags/command.ts'
import { planOptionsFrom } from '../flags/plan-options.ts'
import type { Sink, Surroundings } from '../io/surroundings.ts'
import { profileAt, serviceFor } from '../service/service-for.ts'
import { troubleText } from '../words/problems.ts'
import { heedSettings } from './heed.ts'

/**
 * What the settings around a manifest say of it, for a server that was started with a line and hears later which manifest is meant:
 * sought as `run` seeks them, caps among them. `args` is that line without what settings say.
 */
export async function settingsOfManifest(
  manifest: string,
  args: AnyArgs,
  around: Surroundings,
): Promise<ManifestSettings> {
  const said: string[] = []
  const sink: Sink = {
    write: text => said.push(text),
    isTerminal: false,
    columns: undefined,
    rows: undefined,
  }
  const { gates: _, trust: __, ...bare } = around
  // Nobody at the tools takes for read what the project of a manifest names.
  const line = { ...args, manifest, trust: false }
  const heeded = await heedSettings({ orders: 'many' }, line, { ...bare, stdout: sink, stderr: sink })
  const told = said.join('').trim()
  if (heeded.got === 'refused') return { got: 'refused', message: told }
  const { args: filled, around: here } = heeded
  const given = { local: false, ...filled }
  const choice = serviceFor(given, here)
  if (choice.use === 'nothing')
    return { got: 'refused', message: troubleText(choice.trouble, heeded.out.paint) }
  const { caps, limits, outputs, catalog, strict, rebuyGuard, verify, gate, gates, prices } = planOptionsFrom(
    filled,
    here,
  )
  return {
    got: 'settings',
    told,
    service: choice.use === 'service' ? defined({ ...choice.reach, others: choice.others }) : {},
    options: {
      ...defined({ caps, limits, outputs, catalog, strict, rebuyGuard, verify, gate, gates, prices }),
      ...profileAt(choice, given),
      ...(filled.output !== undefined && { output: resolve(around.cwd, filled.output) }),
    },
  }
}
