import { exit } from '../../base/exit.ts'
import { manifestLanguage } from '../../desk/language.ts'
import { listModels } from '../../desk/models.ts'
import { tools } from '../../mcp/tools.ts'
import { guideText } from '../guide.ts'
import type { Out } from '../out.ts'
import { starterText } from '../starter.ts'
import { commands } from '../usage.ts'
import { version } from '../version.ts'

/** `genrun learn`: a guide for agents that says what this version does. */
export function learn(out: Out): number {
  const starter = starterText('./genrun.schema.json', 'campaign.yaml')
  const parts = { commands, starter, tools, language: manifestLanguage(), models: listModels() }
  out.result(guideText({ ...parts, version: version() }))
  return exit.ok
}
