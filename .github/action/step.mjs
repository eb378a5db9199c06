// What the steps of the action share: their settings, and the runner's files.
import { appendFileSync } from 'node:fs'

/** An input of the action, as `action.yml` hands it on. */
export function setting(name) {
  return (process.env[`GENRUN_ACTION_${name}`] ?? '').trim()
}

/** An output of the step. A value of several lines could name others. */
export function output(name, value) {
  if (/[\r\n]/.test(value)) refuse(`${name} has several lines`)
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `${name}=${value}\n`)
}

/** Ends the step with a mark in the log. */
export function refuse(message) {
  process.stderr.write(
    `::error title=genrun::${message.replaceAll('%', '%25').replaceAll(/[\r\n]+/g, ' ')}\n`,
  )
  process.exit(2)
}
