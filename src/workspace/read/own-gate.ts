import { isAbsolute, join, resolve } from 'node:path'
import { isServiceName, serviceNameForm } from '../../base/names.ts'
import { isBelow } from '../../disk/open.ts'
import { lookNames } from '../../looks/names.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import { isLoopbackHost } from '../../wire/http/networks.ts'

/** Names that no look of a person's own may have. */
export const takenGateNames: readonly string[] = ['all', ...lookNames]

interface Wrong {
  /** What is wrong, and whether with the name or with what stands there. */
  readonly of: 'name' | 'value'
  readonly code: 'bad-setting' | 'wrong-type' | 'outside-project'
  readonly problem: string
  readonly hint?: string
}

interface GatePlace {
  /** What paths count from, absolute. */
  readonly folder: string
  /** What `~` at the beginning of a path stands for. */
  readonly home?: string | undefined
  /** No path leads out of it, absolute. Absent for one's own. */
  readonly root?: string | undefined
}

export const gatesExample = 'for instance `gates: { brand: ./check }`'

/** A look of a person's own, as they name it: the path of a program, or an address. */
export function readOwnGate(name: string, said: unknown, { folder, home, root }: GatePlace): OwnGate | Wrong {
  const wrong = (of: Wrong['of'], code: Wrong['code'], problem: string, hint?: string): Wrong => ({
    of,
    code,
    problem,
    ...(hint !== undefined && { hint }),
  })
  if (takenGateNames.includes(name))
    return wrong('name', 'bad-setting', `${name} is a look of genrun's own`, 'choose another name')
  if (!isServiceName(name)) return wrong('name', 'bad-setting', `the name of a gate is ${serviceNameForm}`)
  if (typeof said !== 'string' || said.trim() === '') {
    const hint = `${gatesExample}; it gets the file, and no shell`
    return wrong('value', 'wrong-type', `the gate ${name} is the path of a program, or an address`, hint)
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(said)) {
    const problem = addressProblem(said)
    return problem === undefined
      ? { name, url: new URL(said).href }
      : wrong('value', 'bad-setting', `the address of the gate ${name} ${problem}`, addressExample)
  }
  const path = home !== undefined && said.startsWith('~/') ? join(home, said.slice(2)) : said
  const program = isAbsolute(path) ? path : resolve(folder, path)
  if (root !== undefined && !isBelow(program, root))
    return wrong('value', 'outside-project', `the gate ${name} leads out of the project`, ofYourOwn)
  return { name, program }
}

const ofYourOwn = 'name it in your own settings'

const addressExample = 'for instance https://host/check, or http://127.0.0.1:8000/check'

/** Files that nobody has seen yet travel there. */
function addressProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'is not an http or https address'
  if (url.username !== '' || url.password !== '') return 'holds a user name or a password'
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return `must begin with https://, because ${url.host} is not this machine`
  return undefined
}
