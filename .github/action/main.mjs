// The step of the action that does something: validate, plan, verify or run, and the comment on the pull request.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commentOnPull } from './comment.mjs'
import { artifactsText, output, refuse, setting } from './step.mjs'

const commands = ['validate', 'plan', 'verify', 'run']
const event = JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'))
const pull = event.pull_request
const isFork = pull !== undefined && pull.head?.repo?.full_name !== pull.base?.repo?.full_name
const asked = setting('COMMAND') || 'plan'
if (!commands.includes(asked)) refuse(`there is no command ${asked}: ${commands.join(', ')}`)
const manifest = setting('MANIFEST')
// A fork's code never meets the key, whatever a workflow hands on.
const key = isFork ? '' : setting('API_KEY')
const command = isFork && asked === 'run' ? 'plan' : asked
const comment = await commentOf()
process.exitCode = await (command === 'run' ? make() : look())

async function commentOf() {
  if (!['plan', 'run'].includes(command)) return undefined
  try {
    return await commentOnPull(event)
  } catch (trouble) {
    // A token of a fork may only read: the plan stands in the step's page all the same. A budget needs the comment.
    if (command === 'run') refuse(`what this pull request has spent cannot be known: ${trouble.message}`)
    process.stderr.write(`::warning title=genrun::${trouble.message}\n`)
    return undefined
  }
}

/** Nothing is sent. */
async function look() {
  const words = [command, manifest, ...further()]
  if (command !== 'plan') return ended(await genrun(words))
  const plan = await genrun([...words, ...priced(), '--summary'])
  const note =
    asked === 'run' ? '\n\nThis pull request comes from a fork: nothing is made, and no key is used.' : ''
  await comment?.write(`${plan.stdout}${note}`).catch(unwritten)
  if (process.env.GITHUB_STEP_SUMMARY && plan.stdout)
    appendFileSync(process.env.GITHUB_STEP_SUMMARY, plan.stdout)
  return ended(plan)
}

/** Money may be spent: a cap is needed, and on a pull request it is one for all its runs. */
async function make() {
  const caps = { paid: setting('MAX_PAID'), cost: setting('MAX_COST') }
  if (caps.paid === '' && caps.cost === '') refuse('a run needs max-paid or max-cost')
  const spent = comment?.spent() ?? { paid: 0, cost: 0 }
  const left = { paid: leftOf(caps.paid, spent.paid), cost: leftOf(caps.cost, spent.cost) }
  const reserved = { paid: spent.paid + (left.paid ?? 0), cost: spent.cost + (left.cost ?? 0) }
  await comment?.write(`genrun is at work on \`${manifest}\`.`, reserved)
  const summary = join(process.env.RUNNER_TEMP ?? '.', 'genrun-summary.md')
  const run = await genrun([
    ...['run', manifest, ...further(), ...priced(), '--json', '--summary', summary],
    ...(left.paid === undefined ? [] : ['--max-paid', String(left.paid)]),
    ...(left.cost === undefined ? [] : ['--max-cost', String(left.cost)]),
  ])
  const report = parsed(run.stdout)
  if (report?.jobs) await told(report, { spent, reserved, summary })
  return ended(run)
}

async function told(report, { spent, reserved, summary }) {
  const folder = mkdtempSync(join(process.env.RUNNER_TEMP ?? '.', 'genrun-sheet-'))
  await genrun(['report', manifest, '--sheet', join(folder, 'sheet.png')])
  output('output', report.output)
  const page = join(report.output, 'report.html')
  if (existsSync(page)) output('report', page)
  if (existsSync(join(folder, 'sheet.png'))) output('sheet', folder)
  // A cost that is not told counts as what was allowed.
  const cost = report.cost?.estimated ?? (report.paid === 0 ? 0 : reserved.cost - spent.cost)
  const now = { paid: spent.paid + report.paid, cost: spent.cost + cost }
  await comment?.write(`${readFileSync(summary, 'utf8')}\n\n${artifactsText({})}`, now).catch(unwritten)
}

function leftOf(cap, spent) {
  if (cap === '') return undefined
  const most = Number(cap)
  if (!(most >= 0)) refuse(`${cap} is no cap`)
  return Math.max(0, Math.round((most - spent) * 1e6) / 1e6)
}

function further() {
  return setting('ARGUMENTS').split(/\s+/).filter(Boolean)
}

function priced() {
  return setting('PRICES') === '' ? [] : ['--prices', setting('PRICES')]
}

/** Its talk goes to the log as it comes; marks and groups need the variables of the runner, and the inputs are for this step alone. */
function genrun(words) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('GENRUN_ACTION_')),
  )
  const service = key === '' ? {} : { GENRUN_BASE_URL: setting('BASE_URL'), GENRUN_API_KEY: key }
  return new Promise((done, broken) => {
    const child = spawn(process.execPath, [setting('PROGRAM'), ...words], {
      env: { ...env, ...service },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', part => {
      stdout += part
    })
    child.on('error', broken)
    child.on('close', status => done({ status, stdout }))
  })
}

function ended({ status, stdout }) {
  process.stdout.write(stdout)
  output('exit', String(status ?? 1))
  return status ?? 1
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unwritten(trouble) {
  process.stderr.write(`::warning title=genrun::${trouble.message}\n`)
}
