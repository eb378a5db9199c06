import type { SelectionArgs } from './selection-args.ts'

/** What the commands around genrun itself are asked for, as written. */
export type OwnArgs = WatchArgs | SettingsArgs | DoctorArgs | CompletionArgs | CompleteArgs

interface Plain {
  readonly noColour: boolean
}

export interface WatchArgs extends Plain {
  readonly do: 'watch'
  readonly manifest: string
  readonly rehearse: boolean
  readonly output: string | undefined
  readonly selection: SelectionArgs
}

export interface SettingsArgs extends Plain {
  readonly do: 'settings'
  readonly json: boolean
}

export interface DoctorArgs extends Plain {
  readonly do: 'doctor'
  readonly manifest: string | undefined
  readonly offline: boolean
  readonly profile: string | undefined
  readonly ca: string | undefined
  readonly json: boolean
}

export interface CompletionArgs extends Plain {
  readonly do: 'completion'
  readonly shell: string
}

/** A shell asks what may stand at the end of a line. */
export interface CompleteArgs {
  readonly do: 'complete'
  /** Files that declare models, of the settings. */
  readonly catalog?: readonly string[]
  /** What was typed behind `genrun`; the last word is the one that is not finished. */
  readonly words: readonly string[]
}

interface Values {
  readonly [name: string]: unknown
}

/** Reads a command of this file; undefined for every other name. `wanted` are the words about which jobs. */
export function ownArgs(
  name: string,
  given: readonly unknown[],
  values: Values,
  selection: SelectionArgs,
): OwnArgs | undefined {
  const noColour = values.color === false
  const json = values.json === true
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const first = text(given[0])
  switch (name) {
    case 'watch':
      return {
        do: 'watch',
        manifest: first ?? '',
        rehearse: values.rehearse === true,
        output: undefined,
        selection,
        noColour,
      }
    case 'settings':
      return { do: 'settings', json, noColour }
    case 'doctor':
      return {
        do: 'doctor',
        manifest: first,
        offline: values.offline === true,
        profile: text(values.profile),
        ca: text(values.ca),
        json,
        noColour,
      }
    case 'completion':
      return { do: 'completion', shell: first ?? '', noColour }
    default:
      return undefined
  }
}
