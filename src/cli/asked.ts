/** What the user asked for, as written: nothing is looked up or decided yet. */
export type Asked =
  | RunAsked
  | ValidateAsked
  | ModelsAsked
  | ModelInfoAsked
  | ServeAsked
  | { readonly do: 'help'; readonly text: string }
  | { readonly do: 'version' }
  | Misused

/** Every command can be told to go without colours. */
export interface Plain {
  readonly noColour: boolean
}

export interface RunAsked extends Plain {
  readonly do: 'run'
  readonly manifest: string
  readonly output: string | undefined
  readonly local: boolean
  readonly failed: boolean
  readonly rebuy: boolean
  readonly execute: number | undefined
  readonly submit: number | undefined
  readonly json: boolean
  readonly talk: 'quiet' | 'usual' | 'verbose'
}

export interface ValidateAsked extends Plain {
  readonly do: 'validate'
  readonly manifest: string
  readonly json: boolean
  readonly strict: boolean
}

export interface ModelsAsked extends Plain {
  readonly do: 'models'
  readonly words: readonly string[]
  readonly json: boolean
}

export interface ModelInfoAsked extends Plain {
  readonly do: 'model-info'
  readonly id: string
  readonly json: boolean
}

export interface ServeAsked extends Plain {
  readonly do: 'serve'
  readonly port: number | undefined
  readonly host: string | undefined
  readonly outputs: string | undefined
}

/** The command line itself is wrong. */
export interface Misused {
  readonly do: 'misused'
  readonly message: string
  readonly hint?: string
}
