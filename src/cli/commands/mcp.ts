import { exit } from '../../base/exit.ts'
import { openSessionPurse } from '../../desk/session-purse.ts'
import type { McpAsked } from '../face-asked.ts'
import { readKeyFile } from '../key-file.ts'
import type { Out } from '../out.ts'
import { warningText } from '../problems.ts'
import { refuse } from '../result.ts'
import { chooseService } from '../service.ts'
import type { Surroundings } from '../surroundings.ts'
import { version } from '../version.ts'
import { withService } from './run.ts'

/** `genrun mcp`: the tool server on stdin and stdout, until it is stopped. */
export async function mcp(asked: McpAsked, around: Surroundings, out: Out): Promise<number> {
  const choice = chooseService(around.env, asked.local, path => readKeyFile(path, around.cwd))
  if (choice.use === 'nothing') return refuse(choice.trouble, exit.refused, { json: false }, out)
  if (choice.use === 'service') out.hide(choice.key)
  else out.talk(warningText(`${choice.because}: the tools make placeholders, nothing is paid`, out.paint))
  const { maxPaid, maxCost, prices, profile, output, readOnly } = asked
  const { cwd } = around
  const caps = { ...(maxPaid !== undefined && { maxPaid }), ...(maxCost !== undefined && { maxCost }) }
  const remark = (text: string) => out.talk(warningText(text, out.paint))
  const { serveTools } = await import('../../mcp/server.ts')
  await withService(choice, remark, async service => {
    const session = {
      service,
      cwd,
      readOnly,
      purse: openSessionPurse(caps, prices, cwd),
      ...(output !== undefined && { output }),
      ...(profile !== undefined && { profile }),
      ...(prices !== undefined && { prices }),
    }
    const server = serveTools(session, version())
    await untilStopped(around)
    await server.close()
  })
  return exit.ok
}

/** A signal, or the end of what the client sends. */
function untilStopped(around: Surroundings): Promise<void> {
  return new Promise(resolve => {
    const off = around.onSignal(() => {
      off()
      resolve()
    })
    process.stdin.once('end', () => resolve()).once('close', () => resolve())
  })
}
