// The first step of the action: where genrun is, which lock it goes by, and where its state lies.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { output, refuse, setting } from './step.mjs'

const manifest = setting('MANIFEST')
if (!existsSync(manifest)) refuse(`there is no manifest ${manifest}`)
const stem = manifest.replace(/\.(ya?ml|json)$/i, '')

output('program', program())
output('state', join(dirname(stem), '.genrun'))
output('lineage', lineage())

/** The genrun of the project, or one beside it: nothing is written into the checkout. */
function program() {
  const own = join('node_modules', 'genrun', 'dist', 'bin.cjs')
  if (existsSync(own)) return own
  const place = join(process.env.RUNNER_TEMP ?? '.', 'genrun')
  const version = setting('VERSION') || 'latest'
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  execFileSync(npm, ['install', '--prefix', place, '--no-save', `genrun@${version}`], { stdio: 'inherit' })
  return join(place, own)
}

/** As the lock has it; before the first run the manifest's name stands for it. */
function lineage() {
  try {
    const known = /"lineage": ?"([\w-]+)"/.exec(readFileSync(`${stem}.lock.json`, 'utf8'))?.[1]
    if (known) return known
  } catch {
    // No lock yet.
  }
  return `new-${basename(stem).replaceAll(/[^\w-]/g, '-')}`
}
