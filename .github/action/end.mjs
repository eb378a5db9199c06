// The last step of the action: the comment leads to the artifacts, whose addresses are known only now.
import { appendFileSync, readFileSync } from 'node:fs'
import { commentOnPull } from './comment.mjs'
import { artifactsText, setting } from './step.mjs'

const artifacts = artifactsText({ sheet: setting('SHEET'), results: setting('RESULTS') })
if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, `\n${artifacts}\n`)
const event = JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'))
try {
  const comment = await commentOnPull(event)
  const [told] = comment?.text().split(artifactsText({})) ?? []
  if (told) await comment.write(`${told}${artifacts}`)
} catch (trouble) {
  process.stderr.write(`::warning title=genrun::${trouble.message}\n`)
}
