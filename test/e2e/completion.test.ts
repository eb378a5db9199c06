import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { executable, freshFolder, genrun } from './executable.ts'

const manifest = `jobs:
  hero: { model: fama-imagine-image, prompt: A teapot }
  still: { model: fama-imagine-image, matrix: { a: [fox, owl] }, prompt: "A \${{ matrix.a }}" }
`

/** A folder in whose `bin` genrun is a program, as after an installation. */
function installed(): { cwd: string; env: NodeJS.ProcessEnv } {
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

test.skipIf(!has('zsh'))('zsh reads its script', () => {
  const { cwd, env } = installed()
  const script = 'autoload -U compinit; compinit -D; eval "$(genrun completion zsh)"; echo $_comps[genrun]'
  expect(execFileSync('zsh', ['-f', '-c', script], { cwd, env, encoding: 'utf8' })).toBe('_genrun\n')
})

test.skipIf(!has('fish'))('fish completes', () => {
  const { cwd, env } = installed()
  const script = 'genrun completion fish | source; complete -C "genrun generate -m famc-v3-"'
  const out = execFileSync('fish', ['-N', '-c', script], { cwd, env, encoding: 'utf8' })
  expect(out).toBe('famc-v3-turbo\tV3 Turbo, t2v\nfamc-v3-omni\tV3 Omni, t2v\n')
})

test('zsh and fish are answered in their own forms', async () => {
  const { cwd } = installed()
  const zsh = await genrun(['__complete', 'zsh', 'generate', '-m', 'famc-v3', '--ar', '16'], { cwd })
  expect(zsh).toMatchObject({ code: 0, stdout: '16\\:9:aspectRatio\n' })
  const fish = await genrun(['__complete', 'fish', 'mo'], { cwd })
  expect(fish).toMatchObject({ code: 0, stdout: 'models  list the models, or those that match all words\n' })
})

test('a shell that is not known is refused', async () => {
  const { code, stderr } = await genrun(['completion', 'bsh'], { cwd: freshFolder() })
  expect(code).toBe(2)
  expect(stderr).toContain('there is no completion for bsh')
  expect(stderr).toContain('did you mean bash?')
})
