import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { executable, freshFolder } from './executable.ts'

const root = join(import.meta.dirname, '..', '..')
const isThisCheckout = dirname(dirname(executable)) === root

/**
 * An empty folder with genrun from its tarball. What npm would fetch from a registry is linked from this checkout: the
 * tests use no network. Only declared dependencies are there, so that an undeclared one is missed.
 */
function install(): string {
  const home = freshFolder({ 'package.json': '{ "private": true }\n' })
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', home], {
    cwd: root,
    stdio: 'pipe',
  })
  const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const modules = join(home, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  execFileSync('tar', ['-xzf', `genrun-${version}.tgz`], { cwd: home })
  renameSync(join(home, 'package'), join(modules, 'genrun'))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  symlinkSync('../genrun/dist/bin.cjs', join(modules, '.bin', 'genrun'))
  return home
}

test.skipIf(!isThisCheckout)(
  'a newcomer: install, init, a typo, validate, mend, plan, run, rerun, redo, report',
  { timeout: 180_000 },
  async () => {
    const cwd = install()
    const env: { [name: string]: string } = {
      PATH: `${join(cwd, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: cwd,
      LANG: 'C.UTF-8',
    }
    const genrun = (...words: string[]) => {
      const { status, stdout, stderr } = spawnSync('genrun', words, { cwd, env, encoding: 'utf8' })
      return { code: status, stdout, stderr }
    }
    expect(genrun('--version')).toMatchObject({ code: 0 })

    // The editor's schema is the one of the installed package: nothing else is written.
    expect(genrun('init')).toMatchObject({ code: 0, stdout: 'wrote campaign.yaml\n' })
    const path = join(cwd, 'campaign.yaml')
    const good = readFileSync(path, 'utf8')
    const [, schema = ''] = /\$schema=(\S+)/.exec(good) ?? []
    expect(JSON.parse(readFileSync(join(cwd, schema), 'utf8'))).toMatchObject({ title: expect.any(String) })

    writeFileSync(path, good.replace('duration: 5', 'duraton: 5'))
    const wrong = genrun('validate', 'campaign.yaml')
    expect(wrong.code).toBe(2)
    expect(wrong.stdout).toMatch(/campaign\.yaml:\d+:5: error: .*duraton[\s\S]*did you mean duration/)
    expect(genrun('campaign.yaml')).toMatchObject({ code: 2, stdout: '' })
    writeFileSync(path, good.replace('duration: 5', 'duration: 3'))
    expect(genrun('validate', 'campaign.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('valid'),
    })
    expect(genrun('plan', 'campaign.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('3 paid requests'),
    })

    // A service: the embedded gateway on a port, which counts what it bills.
    const service = spawn('genrun', ['serve', '--port', '0', '--ledger'], { cwd, env })
    onTestFinished(() => void service.kill('SIGKILL'))
    const said = await new Promise<string>(resolve => {
      let text = ''
      service.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (text.includes('GENRUN_API_KEY=')) resolve(text)
      })
    })
    for (const [, name = '', value = ''] of said.matchAll(/^(GENRUN_\w+)=(\S+)$/gm)) env[name] = value
    const billed = async () => {
      const ledger = new URL('/__ledger', env.GENRUN_BASE_URL)
      const answer = await fetch(ledger, { headers: { authorization: `Bearer ${env.GENRUN_API_KEY}` } })
      const { execute, submit } = ((await answer.json()) as { billed: { execute: number; submit: number } })
        .billed
      return execute + submit
    }
    expect(genrun('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ service') })
    const first = genrun('campaign.yaml')
    expect(first, first.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('out/campaign/hero.png\n'),
    })
    expect(await billed()).toBe(3)
    const lock = readFileSync(join(cwd, 'campaign.lock.json'), 'utf8')

    expect(genrun('campaign.yaml')).toMatchObject({ code: 0, stdout: '' })
    expect(await billed()).toBe(3)
    expect(readFileSync(join(cwd, 'campaign.lock.json'), 'utf8')).toBe(lock)

    const again = genrun('redo', 'campaign.yaml', 'voice')
    expect(again, again.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('voice') })
    expect(await billed()).toBe(4)

    expect(genrun('report', 'campaign.yaml')).toMatchObject({ code: 0, stdout: 'out/campaign/report.html\n' })
    expect(readFileSync(join(cwd, 'out/campaign/report.html'), 'utf8')).toContain('teapot on wet slate')
    expect(genrun('verify', 'campaign.yaml')).toMatchObject({ code: 0 })
  },
)
