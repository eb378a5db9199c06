import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasTerminal, onTerminal, openScreen } from '../cli/terminal.ts'
import { executable, freshFolder, genrun } from './executable.ts'

const manifest = `jobs:
  hero: { model: fama-imagine-image, prompt: A teapot }
  still: { model: fama-imagine-image, matrix: { a: [fox, owl] }, prompt: "A \${{ matrix.a }}" }
`

/** A folder in whose `bin` genrun is a program, as after an installation. */
function installed(): { cwd: string; env: { PATH: string; HOME: string } } {
  const cwd = freshFolder({ 'c.yaml': manifest, 'dear.txt': '' })
  const bin = join(cwd, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'genrun'), `#!/bin/sh\nexec "${process.execPath}" "${executable}" "$@"\n`)
  chmodSync(join(bin, 'genrun'), 0o755)
  return { cwd, env: { PATH: `${bin}:${process.env.PATH}`, HOME: cwd } }
}

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

// The function that bash calls, called as bash calls it; `complete -p` says that bash would.
test.skipIf(!has('bash'))(
  'bash completes commands, models, values with colons, and jobs',
  { timeout: 60_000 },
  () => {
    const { cwd, env } = installed()
    const lines = [
      'genrun gene',
      'genrun generate -m famc-v3-',
      'genrun generate -m famc-v3 --ar 16:',
      'genrun generate -m famc-v3 --ar=16:',
      "genrun plan 'c.yaml' sti",
      'genrun plan c.yaml $(touch pwned) ',
      'genrun validate ',
    ]
    const script = `
eval "$(genrun completion bash)"
complete -p genrun
while IFS= read -r line; do
  COMP_LINE=$line COMP_POINT=\${#line}
  _genrun
  echo "\${COMPREPLY[*]}"
done`
    const out = execFileSync('bash', ['--norc', '-c', script], {
      cwd,
      env,
      input: `${lines.join('\n')}\n`,
      encoding: 'utf8',
    })
    expect(out.trimEnd().split('\n')).toEqual([
      'complete -o bashdefault -o default -F _genrun genrun',
      'generate',
      'famc-v3-turbo famc-v3-omni',
      '9',
      '9',
      'still still[fox] still[owl]',
      'hero still still[fox] still[owl]',
    ])
    // What is typed is never run.
    expect(execFileSync('ls', { cwd, encoding: 'utf8' })).toBe('bin\nc.yaml\ndear.txt\n')
  },
)

// As a person meets it: the shell on a terminal, a line that is not finished, and the Tab key.
const interactive = [
  ['bash', ['--norc', '--noprofile', '-i'], 'eval "$(genrun completion bash)"; PS1="> "'],
  ['zsh', ['-f', '-i'], 'autoload -U compinit; compinit -D; eval "$(genrun completion zsh)"; PS1="> "'],
  ['fish', ['-N', '-i'], 'genrun completion fish | source; function fish_prompt; echo "> "; end'],
] as const

test.each(interactive)('%s completes at the Tab key', { timeout: 60_000 }, async (shell, options, setUp) => {
  if (!has(shell) || !hasTerminal) return console.warn(`skipped: there is no ${shell}, or no pseudo-terminal`)
  const { cwd, env } = installed()
  const screen = openScreen(80, 24)
  const run = onTerminal([shell, ...options], { columns: 80, rows: 24, cwd, env: { ...env, TERM: 'dumb' } })
  let seen = 0
  const shown = async () => {
    const all = run.bytes()
    await screen.write(all.subarray(seen))
    seen = all.length
    return screen.lines().join('\n')
  }
  run.type(`${setUp}; echo read''y\r`)
  await expect.poll(shown, { timeout: 20_000 }).toMatch(/^ready$/m)
  const lines: [typed: string, becomes: string][] = [
    ['genrun genera\t-m famc-v3-tu\t', 'genrun generate -m famc-v3-turbo'],
    ['genrun generate -m famc-v3 --ar 16\t', 'genrun generate -m famc-v3 --ar 16:9'],
    ['genrun plan c.yaml her\t', 'genrun plan c.yaml hero'],
    ['genrun validate dea\t', 'genrun validate dear.txt'],
  ]
  for (const [typed, becomes] of lines) {
    run.type(typed)
    await expect.poll(shown, { timeout: 20_000 }).toContain(becomes)
    run.type('\u0015')
  }
  run.type('exit\r')
  await run.ended
})

test('zsh and fish are answered in their own forms', async () => {
  const { cwd } = installed()
  const zsh = await genrun(['__complete', 'zsh', 'generate', '-m', 'famc-v3', '--ar', '16'], { cwd })
  expect(zsh).toMatchObject({ code: 0, stdout: '16\\:9:aspectRatio\n' })
  const fish = await genrun(['__complete', 'fish', 'mo'], { cwd })
  expect(fish).toMatchObject({ code: 0, stdout: 'models  the models, or those that match all words\n' })
})

test('a shell that is not known is refused', async () => {
  const { code, stderr } = await genrun(['completion', 'bsh'], { cwd: freshFolder() })
  expect(code).toBe(2)
  expect(stderr).toContain('there is no completion for bsh')
  expect(stderr).toContain('did you mean bash?')
})
