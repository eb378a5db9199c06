// Another genrun is at work: what it has sent is its own, and no doubt of anybody.
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { filesIn, freshFolder, genrun, startGenrun } from './executable.ts'

const manifest = 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea }\n'

test('while a process waits for an answer, `status` and `plan` name it, and `apply` ends as busy', async () => {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const cwd = freshFolder({ 'm.yaml': manifest })
  const exits = async (code: number, ...words: string[]) => {
    const ended = await genrun(words, { cwd, env })
    expect(ended.code, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(code)
    return ended
  }
  await exits(0, 'plan', 'm.yaml', '-o', 'saved.plan')
  const first = startGenrun(['m.yaml'], { cwd, env })
  const run = await gateway.nextRun()
  const atWork = `another genrun is at work on this manifest: process ${first.child.pid} on `

  const status = await exits(0, 'status', 'm.yaml')
  expect(status.stdout).toMatch(
    /^tea: held, .*\n {2}another genrun has sent it, and waits for the answer\n {2}the next run leaves it alone\n$/,
  )
  expect(status.stderr).toContain(atWork)
  const plan = await exits(0, 'plan', 'm.yaml')
  expect(plan.stderr).toContain(`note: ${atWork}`)
  expect(`${plan.stdout}${plan.stderr}${status.stdout}${status.stderr}`).not.toMatch(/doubt|resubmit/)
  expect((await exits(5, 'apply', 'saved.plan')).stderr).toContain(atWork)

  await run.finish()
  expect((await first.ended).code).toBe(0)
  expect(gateway.ledger().requests).toEqual({ execute: 1, submit: 0 })
})

test('what an earlier process left in doubt stays in doubt beside a process at work', async () => {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const more = `${manifest}  cup: { model: fama-imagine-image, prompt: Cup }\n`
  const cwd = freshFolder({ 'm.yaml': manifest })
  const killed = startGenrun(['m.yaml'], { cwd, env })
  await gateway.nextRun()
  killed.child.kill('SIGKILL')
  await killed.ended
  writeFileSync(`${cwd}/m.yaml`, more)
  const second = startGenrun(['m.yaml'], { cwd, env })
  const run = await gateway.nextRun()
  const { stdout } = await genrun(['status', 'm.yaml'], { cwd, env })
  expect(stdout).toMatch(/^tea: in doubt, /m)
  expect(stdout).toMatch(/^cup: held, /m)
  await run.finish()
  expect((await second.ended).code).toBe(3)
})

test('what a process receives after another took its claim over is found by the next run, and nothing is in doubt', async () => {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const cwd = freshFolder({ 'm.yaml': manifest })
  const stopped = startGenrun(['m.yaml'], { cwd, env })
  const run = await gateway.nextRun()
  stopped.child.kill('SIGSTOP')
  const taking = await genrun(['m.yaml', '--take-claim'], { cwd, env })
  expect(taking).toMatchObject({ code: 3 })
  expect(taking.stderr).toMatch(
    new RegExp(
      `taken over from the genrun that was at work on this manifest \\(process ${stopped.child.pid} on \\S+, since \\S+\\): it is still there, and stops at its next look, before it orders anything more`,
    ),
  )
  await run.finish()
  stopped.child.kill('SIGCONT')
  const woken = await stopped.ended
  expect(woken.code, woken.stderr).toBe(4)
  expect(woken.stderr).toContain('another genrun has taken this manifest over; nothing more is ordered here')
  expect(woken.stderr).toContain('the same command goes on with it and pays nothing for it')
  const third = await genrun(['m.yaml'], { cwd, env })
  expect(third, third.stderr).toMatchObject({ code: 0, stdout: 'out/m/tea.png\n' })
  expect(filesIn(`${cwd}/.genrun/m/journal`)).toEqual([expect.stringMatching(/^\d{6}\.jnl$/)])
  expect(gateway.ledger().requests).toEqual({ execute: 1, submit: 0 })
})

test('a project that is moved while an answer is on its way is not made anew in its old place', async () => {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const top = freshFolder({ 'old/m.yaml': manifest })
  const moved = startGenrun(['m.yaml'], { cwd: `${top}/old`, env: { ...env, HOME: top, TMPDIR: top } })
  const run = await gateway.nextRun()
  renameSync(`${top}/old`, `${top}/new`)
  await run.finish()
  const { code, stderr } = await moved.ended
  expect(code, stderr).toBe(7)
  expect(existsSync(`${top}/old`)).toBe(false)
  const next = await genrun(['m.yaml'], { cwd: `${top}/new`, env: { ...env, HOME: top, TMPDIR: top } })
  expect(next, next.stderr).toMatchObject({ code: 0, stdout: 'out/m/tea.png\n' })
  expect(gateway.ledger().requests).toEqual({ execute: 1, submit: 0 })
})

test('`status` beside a run at work says how far it is', async () => {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const jobs = ['tea', 'cup', 'pot', 'jug', 'can'].map(
    id => `  ${id}: { model: fama-imagine-image, prompt: ${id} }`,
  )
  const cwd = freshFolder({ 'm.yaml': `jobs:\n${jobs.join('\n')}\n` })
  const working = startGenrun(['m.yaml', '--execute', '1'], { cwd, env })
  for (let nth = 0; nth < 3; nth++) await (await gateway.nextRun()).finish()
  const fourth = await gateway.nextRun()
  const { stderr } = await genrun(['status', 'm.yaml'], { cwd, env })
  expect(stderr).toMatch(/it has made 3 of 5 jobs in \d+s; at this pace the rest takes about \d+s\n/)
  await fourth.finish()
  await (await gateway.nextRun()).finish()
  expect((await working.ended).code).toBe(0)
})
