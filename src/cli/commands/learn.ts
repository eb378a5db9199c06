import { exit } from '../../base/exit.ts'
import { manifestLanguage } from '../../desk/language.ts'
import { listModels } from '../../desk/models.ts'
import { toolsFor } from '../../mcp/tools.ts'
import { commands } from '../line/usage.ts'
import { version } from '../version.ts'
import { guideText } from '../words/guide.ts'
import { starterText } from '../words/starter.ts'
import type { Out } from '../world/out.ts'

/** `genrun learn`: a guide for agents that says what this version does. */
export function learn(out: Out): number {
  const starter = starterText('./genrun.schema.json', 'campaign.yaml')
  const parts = { commands, starter, tools: toolsFor(), language: manifestLanguage(), models: listModels() }
  out.result(guideText({ ...parts, version: version() }))
  return exit.ok
}
