import type { GenerateArgs } from './generate-args.ts'
import { catalogIn, type Talk, type TrustArgs, talkOf, trustIn } from './values.ts'

export interface ResultArgs {
  readonly do: 'result'
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  readonly run: string | undefined
  readonly model: string | undefined
  readonly workflow: string | undefined
  readonly output: string | undefined
  readonly forget: boolean
  readonly profile: string | undefined
  readonly ca: string | undefined
  readonly json: boolean
  readonly talk: Talk
  readonly noColour: boolean
}

export interface ConvertArgs {
  readonly do: 'convert'
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  readonly manifest: string
  readonly address: string
  readonly to: string
  readonly profile: string | undefined
  readonly noColour: boolean
}

export interface ImportArgs {
  readonly do: 'import'
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  readonly file: string
  readonly from: string | undefined
  readonly output: string | undefined
  readonly noColour: boolean
}

export interface McpArgs extends TrustArgs {
  readonly do: 'mcp'
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  readonly http: boolean
  readonly port: number | undefined
  readonly local: boolean
  readonly ca?: string | undefined
  readonly readOnly: boolean
  readonly maxPaid: number | undefined
  readonly maxCost: number | undefined
  /** For all sessions together; the cap of one when it is absent. */
  readonly maxTotalPaid?: number | undefined
  readonly maxTotalCost?: number | undefined
  readonly prices: string | undefined
  readonly profile: string | undefined
  readonly output: string | undefined
  /** Of the settings: where manifests have their output folders. */
  readonly outputs?: string
  readonly noColour: boolean
}

export interface ProfileArgs {
  readonly do: 'profile-check'
  readonly path: string
  /** A file with models beside the built-in ones. */
  readonly catalog: string | undefined
  readonly model: string | undefined
  readonly json: boolean
  readonly noColour: boolean
}

export type FaceArgs = GenerateArgs | ResultArgs | ConvertArgs | ImportArgs | McpArgs | ProfileArgs

interface Misused {
  readonly do: 'misused'
  readonly message: string
  readonly hint?: string
}

/** Reads a command of this file that the usual parser knows; undefined for every other name. */
export function facesRead(
  name: string,
  [first, second]: readonly unknown[],
  values: { readonly [name: string]: unknown },
): FaceArgs | Misused | undefined {
  const noColour = values.color === false
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const number = (value: unknown) => (typeof value === 'number' ? value : undefined)
  const [profile, prices, output] = [text(values.profile), text(values.prices), text(values.output)]
  switch (name) {
    case 'result':
      return {
        do: 'result',
        ...catalogIn(values),
        run: text(first),
        model: text(values.model),
        workflow: text(values.workflow),
        output,
        forget: values.forget === true,
        profile,
        ca: text(values.ca),
        json: values.json === true,
        talk: talkOf(values),
        noColour,
      }
    case 'convert':
      return {
        do: 'convert',
        ...catalogIn(values),
        manifest: String(first),
        address: String(second),
        to: text(values.to) ?? 'cli',
        profile,
        noColour,
      }
    case 'import':
      return {
        do: 'import',
        ...catalogIn(values),
        file: String(first),
        from: text(values.from),
        output,
        noColour,
      }
    case 'profile':
      return {
        do: 'misused',
        message: 'profile takes a word',
        hint: '`genrun profile check acme.profile.yaml` checks one',
      }
    case 'profile check':
      return {
        do: 'profile-check',
        path: String(first),
        catalog: text(values.catalog),
        model: text(values.model),
        json: values.json === true,
        noColour,
      }
    case 'mcp':
      return {
        do: 'mcp',
        ...catalogIn(values),
        ...trustIn(values),
        http: values.http === true,
        port: number(values.port),
        local: values.local === true,
        ca: text(values.ca),
        readOnly: values.readOnly === true,
        maxPaid: number(values.maxPaid),
        maxCost: number(values.maxCost),
        maxTotalPaid: number(values.maxTotalPaid),
        maxTotalCost: number(values.maxTotalCost),
        prices,
        profile,
        output,
        noColour,
      }
    default:
      return undefined
  }
}
