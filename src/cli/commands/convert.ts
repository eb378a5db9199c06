import { defined } from '../../base/defined.ts'
import { exit } from '../../base/exit.ts'
import { nearest, offered } from '../../base/nearest.ts'
import { conversions, convertTo } from '../../convert/convert-to.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import { type Surroundings, variable } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'
import { problemsText, refuseFor } from '../words/problems.ts'

interface ConvertArgs extends Given<'to' | 'catalog' | 'profile'> {
  readonly manifest: string
  readonly address: string
}

/** `genrun convert`: one job of a manifest in the words of another tool. */
export function convert(args: ConvertArgs, { cwd, env, services = [] }: Surroundings, out: Out): number {
  const { to: form = 'cli' } = args
  const to = conversions.find(each => each === form)
  if (!to) {
    const near = nearest(form, conversions)
    const hint = near ? `did you mean ${near}?` : offered(conversions)
    return refuseFor({ code: 'usage', message: `a job cannot be converted to ${form}`, hint }, out)
  }
  const { manifest, address, profile, catalog } = args
  const baseUrl = variable(env, 'GENRUN_BASE_URL')
  const keyFile = variable(env, 'GENRUN_API_KEY') ? undefined : variable(env, 'GENRUN_API_KEY_FILE')
  const request = {
    manifest,
    address,
    cwd,
    ...defined({ profile, apiKeyFile: keyFile }),
    ...(catalog.length > 0 && { catalog }),
    ...(baseUrl && { baseUrl }),
    services: Object.fromEntries(services.map(each => [each.name, each])),
  }
  const converted = convertTo(to, request)
  switch (converted.got) {
    case 'refused':
      return tellAgainst(converted, { json: false }, out)
    case 'unknown':
      return refuseFor(
        { code: 'usage', message: `${manifest} has no job ${converted.address}`, hint: converted.hint },
        out,
      )
    case 'text':
      if (converted.problems.length > 0) out.talk(problemsText(converted.problems, out.paint))
      out.result(converted.text)
      return exit.ok
  }
}
