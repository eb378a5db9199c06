import type { Clock } from '../../base/clock.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import type { Trust } from '../../workspace/read/trust.ts'
import type { DeclaredService } from '../../workspace/service/service.ts'
import type { RunRequest } from '../../workspace/workspace.ts'

/** Environment variables. An empty one counts as not set. */
export interface Env {
  readonly [name: string]: string | undefined
}

/** Where text is written to: a terminal, a pipe, a file, or a test's list. */
export interface Sink {
  write(text: string): void
  readonly isTerminal: boolean
  /** Of the terminal, now; undefined elsewhere. */
  readonly columns: number | undefined
  readonly rows: number | undefined
}

/** The signals that ask a run to stop. A closed terminal (SIGHUP) counts as SIGTERM. */
export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Everything of the process that the command line touches. Tests make their own. */
export interface Surroundings {
  readonly env: Env
  /** What of the checkout is believed, by the settings; absent where they have no say. */
  readonly trust?: Trust
  /** Services that jobs may name, by the person's own settings. */
  readonly services?: readonly DeclaredService[]
  /** Looks of the person's own, by their own settings. */
  readonly gates?: readonly OwnGate[]
  /** The options of the command line, without what the settings say; absent where they have no say. */
  readonly line?: { readonly [option: string]: unknown }
  readonly cwd: string
  readonly stdout: Sink
  readonly stderr: Sink
  /** Everything that is piped in; throws when it cannot be read. Absent where nothing can be. */
  readonly stdin?: () => Uint8Array
  /**
   * Shows a question and gives the line that a person types; undefined when the signal comes first or the input ends.
   * Absent where nobody can answer: input and talk must both be a terminal.
   */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string | undefined>
  /** This very executable, by absolute paths: for others that are to call it. */
  readonly program?: { readonly node: string; readonly script: string }
  readonly clock: Clock
  /** Listens to how the words of the command line are read; absent where nobody remembers what they came to. */
  readonly heard?: HeardWords
  /** Calls for every stop signal until the returned function is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void
  /** Leaves at once, whatever is under way. */
  leave(code: number): void
}

/** So that the same words, said again, need not be read again. */
export interface HeardWords {
  /** The words have been read: what is looked at from here on does not decide what they mean. */
  end(): void
  /** The run that they came to has nothing to do. */
  unchanged(request: RunRequest, isQuiet: boolean): Promise<void>
}

/** A variable's value; undefined when it is not set or empty. */
export function variable(env: Env, name: string): string | undefined {
  return env[name] || undefined
}

/** A step of GitHub Actions: lines of our own order marks, groups and pages. */
export function isActions(env: Env): boolean {
  return variable(env, 'GITHUB_ACTIONS') === 'true'
}

/** The event of a pull request, by what the usual systems set for it: its checkout is what somebody proposes. */
export function isPullRequest(env: Env): boolean {
  const events = [env.GITHUB_EVENT_NAME, env.CI_PIPELINE_SOURCE, env.BUILD_REASON].map(event => event ?? '')
  if (events.some(event => /pull_?request|merge_request/i.test(event))) return true
  return pullRequestVariables.some(name => !['', 'false'].includes(variable(env, name) ?? ''))
}

const pullRequestVariables = [
  'APPVEYOR_PULL_REQUEST_NUMBER',
  'BITBUCKET_PR_ID',
  'BUILDKITE_PULL_REQUEST',
  'CHANGE_ID',
  'CIRCLE_PULL_REQUEST',
  'CI_MERGE_REQUEST_ID',
  'DRONE_PULL_REQUEST',
  'SYSTEM_PULLREQUEST_PULLREQUESTID',
  'TRAVIS_PULL_REQUEST',
]

/** Continuous integration: nobody watches, and nothing is rehearsed by accident. */
export function isCi(env: Env): boolean {
  const value = variable(env, 'CI')
  return value !== undefined && value !== 'false' && value !== '0'
}
