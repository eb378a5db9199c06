import { exit } from '../../base/exit.ts'
import { toolsFor } from '../../mcp/tools.ts'
import { manifestLanguage } from '../../verbs/language.ts'
import { listModels } from '../../verbs/models.ts'
import type { Usage } from '../flags/command.ts'
import { guideText } from '../flags/guide.ts'
import type { Out } from '../io/out.ts'
import { version } from '../io/version.ts'
import { starterText } from '../words/starter.ts'

/** `genrun learn`: a guide for agents that says what this version does. */
export function learn(out: Out, commands: readonly Usage[]): number {
  const starter = starterText('./genrun.schema.json', 'campaign.yaml')
  const parts = { commands, starter, tools: toolsFor(), language: manifestLanguage(), models: listModels() }
  out.result(guideText({ ...parts, version: version() }))
  return exit.ok
}
