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

/** Where results are: in an artifact of the run, by its address where that is known. */
export function artifactsText({ sheet, results }) {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = process.env
  const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}#artifacts`
  const picture = sheet ? `[All results in one picture](${sheet}) · ` : ''
  return `${picture}[All results on one page](${results || run}): \`report.html\` in the artifact.`
}

/** Ends the step with a mark in the log. */
export function refuse(message) {
  process.stderr.write(
    `::error title=genrun::${message.replaceAll('%', '%25').replaceAll(/[\r\n]+/g, ' ')}\n`,
  )
  process.exit(2)
}
