import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commands } from '../../src/cli/declared/commands.ts'
import { formsOf } from '../../src/cli/flags/option.ts'
import { options } from '../../src/cli/flags/options.ts'
import { startGateway } from '../../src/gateway/server.ts'
import { genrunHere } from './built-main.ts'
import { freshFolder, genrun, type Start } from './executable.ts'

// Every command and every flag by the files of the built executable: a line, its exit code, and what it says. The last test holds
// the table against the list of commands, so that none is forgotten.

const manifest = `vars: { season: spring }
jobs:
  hero:
    model: fama-imagine-image
    prompt: A teapot in \${{ vars.season }}
    tags: [shop]
    takes: 2
  rain: { model: famc-t2a, prompt: Rain, duration: 3 }
`
const base = {
  'c.yaml': manifest,
  'prices.yaml': 'currency: USD\nmodels: { fama-imagine-image: { perImage: 1 }, famc-t2a: { perRun: 2 } }\n',
  'acme.yaml': 'name: acme\n',
  'models.yaml': 'models: {}\n',
  'lines.sh': "gen-ai generate -m fama-imagine-image -p 'A fox' -o fox.png\n",
  'batch.json': '{ "defaults": { "model": "famc-t2a" }, "jobs": [{ "id": "rain", "prompt": "Rain" }] }',
  'rows.csv': 'id,model,prompt\nfox,fama-imagine-image,A fox\n',
  'prompt.txt': 'Rain on a tin roof\n',
}

const brushApi = JSON.stringify({
  openapi: '3.1.0',
  components: {
    schemas: { brush: { type: 'object', required: ['prompt'], properties: { prompt: { type: 'string' } } } },
  },
})

const tried: string[] = []

interface Line {
  readonly line: string
  readonly exit: number
  /** What must stand on stdout, and on stderr. */
  readonly out?: RegExp
  readonly err?: RegExp
}

/** The tool server reads its own input, and it begins and ends as a process. */
const run = (words: readonly string[], given: Start) =>
  words[0] === 'mcp' ? genrun(words, given) : genrunHere(words, given)

/** Lines that run one after the other in one folder; most begin where a rehearsal is done. */
function play(name: string, lines: readonly Line[], files: { readonly [path: string]: string } = {}): void {
  tried.push(...lines.map(({ line }) => line))
  test(name, { timeout: 120_000 }, async () => {
    const cwd = freshFolder({ ...base, ...files })
    for (const { line, exit, out, err } of lines) {
      const ended = await run(wordsOf(line), { cwd, env: { LANG: 'C.UTF-8' } })
      const said = `genrun ${line}\n${ended.stdout}\n${ended.stderr}`
      expect(ended.code, said).toBe(exit)
      if (out) expect(ended.stdout, said).toMatch(out)
      if (err) expect(ended.stderr, said).toMatch(err)
      // Whatever happens, no stack of ours reaches a user, and stdout of --json is one document.
      expect(`${ended.stdout}${ended.stderr}`).not.toMatch(/internal error|^ {4}at /m)
      // Every refusal says what to do next, or what would be right.
      if (exit === 2) expect(out ?? err, `${line}: its message is to be looked at`).toBeDefined()
      if (exit === 2)
        expect(`${ended.stdout}${ended.stderr}`, said).toMatch(/hint"?: |→ |: it (must be|is) |known are /)
      if (line.includes('--json') && ended.stdout !== '')
        expect(() => JSON.parse(ended.stdout), said).not.toThrow()
    }
  })
}

/** Words as a shell splits them, without anything else that a shell does. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

const done = { line: 'c.yaml --local -q', exit: 0 } as const

describe('run', () => {
  play('makes what is missing, and says so as it is asked to', [
    {
      line: 'run c.yaml --local',
      exit: 0,
      out: /hero\.png\n.*takes\/hero\.take2\.png\n.*rain\.\w+\n/,
      err: /3 made/,
    },
    { line: 'c.yaml --local --verbose --debug', exit: 0, err: /3 jobs are up to date/ },
    { line: 'c.yaml --local --quiet --fail-fast', exit: 0, out: /^$/, err: /^$/ },
    { line: 'c.yaml --local --json --no-color', exit: 0, out: /"paid": 0/ },
    { line: 'c.yaml --local --failed', exit: 0 },
    { line: 'c.yaml --local --rebuy --resubmit --yes --take-claim', exit: 0 },
    { line: 'c.yaml --local --frozen', exit: 0 },
  ])
  play('some of the jobs, at most so much, elsewhere', [
    {
      line: 'c.yaml rain --local --output away --execute 1 --submit 1',
      exit: 0,
      out: /away\.preview\/rain\./,
    },
    {
      line: 'c.yaml --local --tag shop --max-paid 1 --max-useless 9 --max-failures 9 -o away --untrusted',
      exit: 6,
      err: /1 paid request/,
    },
    { line: 'c.yaml --local --limit 1 -o few', exit: 0, err: /1 job: 1 made|1 made/ },
    { line: 'c.yaml --local --trust', exit: 2, err: /hint:/ },
    { line: 'c.yaml --local --model famc-* --changed -o away', exit: 0 },
    { line: 'c.yaml --local --var season=winter --prices prices.yaml --max-cost 0 -o away', exit: 6 },
    {
      line: 'c.yaml --local --profile acme.yaml --cache store --cache-size 1GB --publish site -o away',
      exit: 0,
    },
    { line: 'c.yaml --local --cache store --cache-read-only --ca nothing.pem -o away', exit: 0 },
    {
      line: 'c.yaml --local --verify fail --gate warn --strict --events e.jsonl --junit j.xml --catalog none.yaml',
      exit: 2,
      err: /none\.yaml:1:1: error: the catalog cannot be read/,
    },
    {
      line: 'c.yaml --local --verify fail --gate fail --strict --events e.jsonl --junit j.xml --sarif s.sarif',
      exit: 0,
    },
    { line: 'c.yaml --local --summary s.md --events - --json', exit: 2, err: /hint:/ },
    { line: 'c.yaml --local --verify sometimes', exit: 2, err: /warn, fail or off/ },
    { line: 'verify c.yaml --local --junit v.xml --sarif v.sarif --summary v.md', exit: 0 },
    { line: 'report c.yaml --local --junit j2.xml --sheet s.png', exit: 0, out: /report\.html\ns\.png$/m },
    { line: 'report c.yaml --local --single-file all.html', exit: 0, out: /all\.html$/m },
    { line: 'report c.yaml --local --approved', exit: 0, out: /report\.html$/m },
    { line: 'c.yaml --local --verbose --quiet', exit: 2, err: /cannot be used with/ },
  ])
  play('redo orders anew, and keeps the old', [
    done,
    { line: 'redo c.yaml rain --local --yes', exit: 0, out: /rain/ },
    { line: 'redo c.yaml', exit: 2, err: /hint:/ },
    { line: 'redo c.yaml rain --local --untrusted', exit: 0 },
    { line: 'redo c.yaml rain --local --trust', exit: 2, err: /hint:/ },
  ])
})

describe('the plan', () => {
  play('as a table, as JSON, for a pull request, in a file, at a cost', [
    { line: 'plan c.yaml', exit: 0, out: /3 paid requests$/m },
    { line: 'plan c.yaml --limit 2 --gate off', exit: 0, out: /^2 paid requests/m },
    { line: 'plan c.yaml --local --json', exit: 0, out: /"paid": 3/ },
    { line: 'plan c.yaml --summary', exit: 0, out: /^### c\n/ },
    { line: 'plan c.yaml --summary --json', exit: 2, err: /cannot be used with/ },
    { line: 'plan c.yaml --prices prices.yaml --max-cost 3.5', exit: 6, out: /about 4 USD/ },
    { line: 'plan c.yaml --max-paid 0 --output-folder away --execute 2 --submit 3', exit: 6 },
    {
      line: 'plan c.yaml hero --tag shop -m fama-* --changed --failed --rebuy --resubmit --var season=fall',
      exit: 0,
    },
    {
      line: 'plan c.yaml --profile acme.yaml --cache store --cache-read-only --cache-size 1MB --no-color',
      exit: 2,
      err: /no cache is there[^]*hint: mount it/,
    },
    { line: 'plan c.yaml --profile acme.yaml --cache store --cache-size 1MB --no-color', exit: 0 },
    { line: 'plan c.yaml nobody', exit: 2, err: /nobody/ },
    { line: 'plan c.yaml --local -o saved.plan', exit: 0, err: /`genrun apply saved\.plan --local`/ },
    { line: 'apply saved.plan --local --trust', exit: 2, err: /hint:/ },
    {
      line: 'apply saved.plan --local --quiet --no-color --untrusted --max-paid 99 --max-cost 9 --max-useless 3 --max-failures 2',
      exit: 0,
    },
    // What was carried out has nothing left to do.
    { line: 'apply saved.plan --local', exit: 0, err: /nothing to do: 3 jobs are up to date/ },
    { line: 'apply nowhere.plan', exit: 2, err: /hint:/ },
  ])
  play('why, graph, verify, accept', [
    done,
    { line: 'why c.yaml hero --local', exit: 0, out: /A teapot in spring/ },
    { line: 'why c.yaml hero#2 --local --json --no-color', exit: 0 },
    { line: 'why c.yaml nobody', exit: 2, err: /nobody/ },
    { line: 'graph c.yaml', exit: 0, out: /^(flowchart|graph) / },
    { line: 'graph c.yaml --form dot --local --no-color', exit: 0, out: /^digraph/ },
    { line: 'graph c.yaml --form bmp', exit: 2, err: /mermaid/ },
    { line: 'verify c.yaml --local', exit: 0 },
    { line: 'verify c.yaml', exit: 8 },
    { line: 'verify c.yaml --allow stale --allow missing --json --no-color', exit: 0 },
    { line: 'accept c.yaml hero --local --var season=winter', exit: 0 },
    { line: 'accept c.yaml hero --local --json --no-color', exit: 0 },
  ])
})

describe('what was made', () => {
  play('pick, prune, status, resolve, adopt', [
    done,
    { line: 'pick c.yaml hero#2 --local', exit: 0, out: /hero/ },
    { line: 'pick c.yaml hero --local --json --no-color', exit: 0 },
    { line: 'pick c.yaml hero#9 --local', exit: 2, err: /hint:|hero#9/ },
    { line: 'prune c.yaml --local', exit: 0 },
    { line: 'prune c.yaml --local --yes --json --no-color', exit: 0 },
    { line: 'status c.yaml', exit: 0 },
    { line: 'status c.yaml --local', exit: 0, err: /jobs?: \d+ done/ },
    { line: 'journal c.yaml', exit: 0, err: /--local shows the journal of rehearsals/ },
    { line: 'journal c.yaml --local --no-color', exit: 0, out: /CLOSE +the run came to its end/ },
    { line: 'journal c.yaml --local --json', exit: 0, out: /"kind": "INTENT"/ },
    { line: 'journal none.yaml', exit: 2, err: /there is no such manifest/ },
    { line: 'status c.yaml --json --no-color', exit: 0 },
    { line: 'status c.yaml -o other --var season=fall --profile acme.yaml', exit: 0 },
    { line: 'resolve c.yaml hero', exit: 2, err: /--adopt ID, --resubmit and --abandon/ },
    { line: 'resolve c.yaml --abandon', exit: 2, err: /--all-doubts/ },
    { line: 'resolve c.yaml hero --adopt r_1 --resubmit', exit: 2, err: /cannot be used with/ },
    {
      line: 'resolve c.yaml --all-doubts --before 2026-01-31 --abandon --json',
      exit: 2,
      out: /no job in doubt is meant/,
    },
    { line: 'resolve c.yaml hero --adopt r_1 --workflow w', exit: 2, err: /hero is not in doubt/ },
    { line: 'resolve c.yaml --after 2026-99-01 --abandon', exit: 2, err: /is no value for/ },
    {
      line: 'resolve c.yaml hero --abandon -o other --var season=fall --profile acme.yaml',
      exit: 2,
      err: /hero is not in doubt/,
    },
    { line: 'cancel c.yaml hero -o other --var season=fall --ca none.pem', exit: 2, err: /no service/ },
    {
      line: 'cancel c.yaml hero --profile acme.yaml --catalog acme.yaml --json --no-color',
      exit: 2,
      out: /no service/,
    },
    { line: 'runs c.yaml -o other --var season=fall --ca none.pem --json', exit: 2, out: /no service/ },
    { line: 'runs c.yaml --profile acme.yaml --catalog acme.yaml --no-color', exit: 2, err: /no service/ },
    { line: 'adopt c.yaml nobody r_81', exit: 2, err: /nobody/ },
    {
      line: 'adopt c.yaml nobody r_81 -o other --var season=fall --profile acme.yaml',
      exit: 2,
      err: /nobody/,
    },
    { line: 'adopt c.yaml hero', exit: 2, err: /hint:/ },
  ])
  play('a lock that git merges', [
    { line: 'lock', exit: 2, err: /`genrun lock merge --install`/ },
    { line: 'lock merge a b c', exit: 2, err: /a lock cannot be read or written: no such file/ },
    { line: 'lock merge --install --no-color', exit: 2, err: /git cannot be told: not a git repository/ },
  ])
})

describe('the text', () => {
  play('validate', [
    { line: 'validate c.yaml', exit: 0, out: /valid/ },
    { line: 'validate *.yaml --json', exit: 2, out: /there are no jobs/ },
    { line: 'validate c.yaml --sarif -', exit: 0, out: /"version": "2\.1\.0"/ },
    { line: 'validate c.yaml --strict --var season=fall --no-color', exit: 0 },
    { line: 'validate c.yaml --sarif - --json', exit: 2, err: /both want stdout/ },
    { line: 'validate nowhere.yaml', exit: 2, out: /there is no such file[\s\S]*hint: / },
    { line: 'explain bad-value', exit: 0, out: /bad-value/ },
    { line: 'explain bad-valu', exit: 2, err: /bad-value/ },
    { line: 'explain --json --no-color', exit: 0 },
  ])
  play('import and convert, there and back', [
    { line: 'import lines.sh', exit: 0, out: /model: "fama-imagine-image"/ },
    { line: 'import batch.json --from batch -o b.yaml', exit: 0, err: /b\.yaml: 1 job/ },
    { line: 'import batch.json -o b.yaml', exit: 2, err: /b\.yaml is there already/ },
    { line: 'validate b.yaml', exit: 0 },
    { line: 'import rows.csv --no-color', exit: 0, out: /^jobs:\n {2}fox:/ },
    { line: 'import rows.csv --from exe', exit: 2, err: /there are/ },
    { line: 'convert b.yaml rain', exit: 0, out: /generate -m famc-t2a -p Rain/ },
    { line: 'convert b.yaml rain --to tool', exit: 0, out: /"service_generate"/ },
    { line: 'convert b.yaml rain --to curl --profile acme.yaml', exit: 0, out: /curl/ },
    { line: 'convert b.yaml rain --to sdk --no-color', exit: 0, out: /generate\(/ },
    { line: 'convert b.yaml rain --to fax', exit: 2, err: /cli/ },
  ])
  play('init, and the schema for the editor', [
    { line: 'init', exit: 0, out: /wrote campaign\.yaml/ },
    { line: 'init', exit: 2, err: /is there already/ },
    { line: 'init over --from campaign.yaml', exit: 2, err: /has no rows with columns|cannot be read/ },
    { line: 'help money --no-color', exit: 0, out: /Every order is on the disk/ },
    { line: 'validate campaign.yaml --strict', exit: 0 },
    { line: 'init shop --no-color', exit: 0, out: /wrote shop\.yaml/ },
    { line: 'schema', exit: 0, out: /"\$schema"/ },
    { line: 'schema famc-v3 --no-color', exit: 0, out: /"duration"/ },
    { line: 'schema famc-v9', exit: 2, err: /famc-v3/ },
  ])
})

describe('models', () => {
  play('by words, family and mode, as cards', [
    { line: 'models', exit: 0, err: /^25 models/ },
    { line: 'models famc i2v', exit: 0, out: /famc-avatar/ },
    { line: 'models --family famb', exit: 0, err: /^4 models/ },
    { line: 'models --mode tts', exit: 0, out: /^fama-tts: / },
    { line: 'models --mode tss', exit: 2, err: /did you mean tts\?/ },
    { line: 'models --family famx', exit: 2, err: /did you mean fam/ },
    { line: 'models famc --mode v2a --json --no-color', exit: 0, out: /"id": "famc-v2a"/ },
    { line: 'models teapots', exit: 0, out: /^$/, err: /no model matches teapots/ },
    { line: 'models info famc-v3', exit: 0, out: /--multi-prompt/ },
    { line: 'models info famc-v3 --json --no-color', exit: 0 },
    { line: 'models info famc-v33', exit: 2, err: /did you mean famc-v3\?/ },
    { line: 'pricing famc-v3 -d 10 --speed pro --audio-gen false', exit: 0, out: /10/ },
    { line: 'pricing famc-t2a --prices prices.yaml --json --no-color', exit: 0, out: /"amount": 2/ },
    { line: 'pricing famc-v3 --sped pro', exit: 2, err: /hint:/ },
  ])
})

describe('generate', () => {
  const multi = '{"index":1,"prompt":"a","duration":5}'
  play(
    'each kind of flag, prompts from files, one object a flag or a file of them',
    [
      { line: 'generate -m fama-imagine-image -p Fox --local', exit: 0, out: /^\S+\.png\n$/ },
      {
        line: 'generate -m famc-t2a -p @prompt.txt -d 3 -o sounds/ --local --quiet',
        exit: 0,
        out: /^sounds\//,
      },
      { line: 'generate --model famc-t2a --prompt Rain --duration 3 -o rain --local --json', exit: 0 },
      { line: 'generate -m famc-t2a -p Rain -d 3 -o once --lock once.lock.json --local -q', exit: 0 },
      {
        line: 'generate -m famc-t2a -p Rain -d 3 -o once --lock once.lock.json --local',
        exit: 0,
        err: /kept/,
      },
      { line: 'generate -m famb-v3 -p Fox -n2 --ar 1:1 --speed FLASH --check', exit: 0 },
      {
        line: 'generate -m famc-v3 -p Tea --ar=16:9 --no-audio-gen --cfg 1 --check',
        exit: 2,
        err: /no flag --cfg/,
      },
      {
        line: 'generate -m famc-v3 -p Tea --aspect-ratio 16:99 --check --no-color',
        exit: 2,
        out: /aspectRatio/,
      },
      {
        line: `generate -m famc-v3 -p Tea -d 10 --multi-shot --multi-prompt '${multi}' --multi-prompt '${multi.replace('1', '2')}' --check`,
        exit: 0,
      },
      {
        line: 'generate -m famc-v3 -p Tea --multi-shot --multi-prompt @shots.json --check --strict',
        exit: 0,
      },
      { line: 'generate -m famc-v3 -p @nowhere.txt --check', exit: 2, err: /there is no file nowhere\.txt/ },
      { line: 'generate -p Tea --check', exit: 2, err: /genrun models/ },
      { line: 'generate -m famc-v33 -p Tea', exit: 2, err: /did you mean famc-v3/ },
      { line: 'generate -m famc-v3 -p Tea --duraton 5', exit: 2, err: /did you mean --duration/ },
      { line: 'generate -m famc-v3 -p Tea --mode walk', exit: 2, err: /execute or submit/ },
      {
        line: 'generate -m famc-t2a -p Rain --max-cost 1 --prices prices.yaml --profile acme.yaml --local',
        exit: 6,
      },
      {
        line: 'generate -m famc-t2a -p Rain --ca nothing.pem --mode submit --local --verbose --debug --open -o r2',
        exit: 0,
        err: /r2/,
      },
      { line: 'generate --help', exit: 0, out: /^genrun generate/ },
      { line: 'generate -m famc-t2a --help', exit: 0, out: /^famc-t2a: / },
      { line: "gen-ai generate -m famc-t2a -p 'A fox' -d 3 --local", exit: 0 },
      { line: 'gen-ai models info famc-t2a --json', exit: 0 },
      { line: 'gen-ai pricing famc-t2a --no-color', exit: 0 },
      { line: 'gen-ai fetch', exit: 2, err: /generate, models/ },
    ],
    { 'shots.json': `[${multi}]` },
  )
  play('results of runs that are known by their ids only', [
    { line: 'result', exit: 2, err: /hint:/ },
    { line: 'result r_81', exit: 2, err: /hint:/ },
    { line: 'result r_81 -m famc-v9 --workflow w', exit: 2, err: /famc-v9|service/ },
  ])
})

describe('genrun itself', () => {
  play('settings, doctor, completion, profiles', [
    { line: 'settings', exit: 0, out: /^rebuyGuard +20 +built-in$/m },
    { line: 'settings --json --no-color', exit: 0 },
    { line: 'doctor --offline --json --debug --no-color', exit: 0 },
    { line: 'doctor c.yaml --profile nowhere.yaml --ca nothing.pem', exit: 2, out: /✗ profile/ },
    { line: 'learn --no-color', exit: 0, out: /genrun/ },
    { line: 'completion zsh --no-color', exit: 0, out: /compdef/ },
    { line: 'watch nowhere.yaml', exit: 2, err: /there is no such file/ },
    { line: 'profile', exit: 2, err: /profile check/ },
    { line: 'profile check acme.yaml', exit: 0 },
    { line: 'profile check acme.yaml --model famc-v3 --json --no-color', exit: 0 },
    {
      line: 'profile check acme.yaml --catalog nowhere.yaml',
      exit: 2,
      err: /nowhere\.yaml:1:1: error: the catalog cannot be read/,
    },
    { line: 'serve --fault flood --ledger', exit: 2, err: /flood/ },
    { line: 'serve --backend nowhere.yaml --host 127.0.0.1', exit: 2, err: /nowhere\.yaml/ },
    { line: 'serve --port 99999', exit: 2, err: /is no value for/ },
    { line: 'serve --format bmp', exit: 2, err: /png, jpeg, webp/ },
    { line: 'mcp --max-paid many', exit: 2, err: /is no value for/ },
    { line: 'mcp --local --trust', exit: 2, err: /hint:/ },
    { line: 'mcp --max-total-paid many', exit: 2, err: /is no value for/ },
  ])
  play('what is no command or flag has a suggestion', [
    { line: '--version', exit: 0, out: /^\d+\.\d+\.\d+\n$/ },
    { line: '--help', exit: 0, out: /^genrun: [\s\S]*Examples:\n[\s\S]*Usage:/ },
    { line: 'plna c.yaml', exit: 2, err: /did you mean `genrun plan`\?/ },
    { line: 'plan c.yaml --jsno', exit: 2, err: /did you mean --json\?/ },
    { line: 'c', exit: 2, err: /did you mean the manifest c\.yaml\?/ },
    { line: 'plan', exit: 2, err: /no manifest is given/ },
    { line: 'nowhere.yaml', exit: 2, err: /there is no such file[\s\S]*`genrun init`/ },
    { line: '--key abc c.yaml', exit: 2, err: /GENRUN_API_KEY_FILE/ },
    { line: 'help plan', exit: 0, out: /^genrun plan: / },
  ])
})

describe('shards', () => {
  play('each has a part, and they become one again', [
    { line: 'plan c.yaml --local --shards 2 -o plan', exit: 0, out: /2 shards: 3 jobs, 3 orders/ },
    { line: 'plan c.yaml --local --shard 1/2', exit: 0, err: /note: shard 1\/2: \d jobs? of 3/ },
    {
      line: 'ci-matrix c.yaml --shards 2 --local -o media --var season=winter --profile acme.yaml',
      exit: 0,
      out: /^\{"include":/,
    },
    { line: 'ci-matrix c.yaml --catalog none.yaml --shards 2 --no-color', exit: 2, err: /none\.yaml/ },
    { line: 'run c.yaml --shard 1/2 --local', exit: 0, err: /shard 1\/2: \d jobs? of 3/ },
    { line: 'c.yaml --local', exit: 2, err: /unmerged-shards[\s\S]*genrun merge c\.yaml --local/ },
    { line: 'apply plan/2-of-2.json --local', exit: 0 },
    { line: 'merge c.yaml --catalog none.yaml', exit: 2, err: /none\.yaml/ },
    { line: 'merge c.yaml --local --take-claim --json --no-color', exit: 0, out: /"news": 3/ },
    {
      line: 'merge c.yaml --local -o media --var season=winter --profile acme.yaml',
      exit: 0,
      out: /no shards/,
    },
    { line: 'c.yaml --local', exit: 0, err: /3 jobs are up to date/ },
    { line: 'shards c.yaml --shards 2 --to slurm --no-color', exit: 0, out: /--array=1-2/ },
    { line: 'shards c.yaml --shards 2', exit: 2, err: /kubernetes/ },
  ])
})

describe('what is lost, and what has another name', () => {
  play(
    'a damaged lock is made anew when somebody says so',
    [
      { line: 'recover lost.yaml --json', exit: 2, out: /"damage"/, err: /--yes/ },
      { line: 'recover lost.yaml --no-color', exit: 2, out: /^cup: /, err: /hint: --yes takes them up/ },
      {
        line: 'recover lost.yaml --catalog none.yaml',
        exit: 2,
        err: /the catalog cannot be read/,
      },
      {
        line: 'recover lost.yaml -o media --var cup=red --profile acme.yaml --yes',
        exit: 0,
        err: /kept as lost\.lock\.json\.damaged-1/,
      },
    ],
    {
      'lost.yaml':
        'vars: { cup: blue }\njobs:\n  cup: { model: fama-imagine-image, prompt: "${{ vars.cup }}" }\n',
      'lost.lock.json': `{"genrun":2,"lineage":"${'c'.repeat(32)}","manifest":"lost.yaml","jobs":[
{"address":"cup","state":"running","id":"1","recipe":{"version":1,"model":"fama-imagine-image","params":{},"defaults":{},"inputs":{},"take":1},"run":{"workflow":"w","id":"r_1"},"files":[]},
{"address":"sau`,
    },
  )
  play('who begins anew says so', [
    { line: 'plan c.yaml --continue none', exit: 0, out: /3 paid requests/ },
    { line: 'status c.yaml --continue d.lock.json', exit: 2, err: /there is no such lock/ },
    { line: 'verify c.yaml --continue none', exit: 8 },
    { line: 'c.yaml --local --continue none', exit: 0 },
    { line: 'redo c.yaml hero --local --continue none', exit: 0 },
    { line: 'watch none.yaml --continue none', exit: 2, err: /there is no such file/ },
  ])
})

describe('flags that several commands share', () => {
  const owned = `models:
  acme-rain:
    inputType: t2a
    params:
      prompt: { type: text, required: true }
`
  const files = {
    'own.yaml': owned,
    'own-m.yaml':
      'vars: { season: fall }\njobs:\n  wet: { model: acme-rain, prompt: "${{ vars.season }} rain", tags: [shop] }\n',
    'plain.yaml': 'vars: { a: b }\njobs:\n  rain: { model: famc-t2a, prompt: Rain, duration: 3, nots: x }\n',
  }
  const own = 'own-m.yaml --catalog own.yaml'
  play(
    'models of the user are known to every command that knows models',
    [
      { line: `plan own-m.yaml`, exit: 2, err: /acme-rain/ },
      { line: `plan ${own} --strict --verbose`, exit: 0, out: /^buy +wet +acme-rain/ },
      { line: `plan ${own} --quiet`, exit: 0, out: /^1 paid request\n$/ },
      { line: `plan ${own} --quiet --verbose`, exit: 2, err: /cannot be used with/ },
      { line: `validate ${own} --quiet`, exit: 0, out: /^$/ },
      { line: `validate own-m.yaml --quiet`, exit: 2, out: /acme-rain/ },
      { line: `models rain --catalog own.yaml`, exit: 0, out: /acme-rain/ },
      { line: `models info acme-rain --catalog own.yaml`, exit: 0, out: /acme-rain/ },
      { line: `pricing acme-rain --catalog own.yaml --prices prices.yaml`, exit: 0 },
      { line: `schema acme-rain --catalog own.yaml`, exit: 0, out: /"prompt"/ },
      { line: `graph ${own} --strict --tag shop -m acme-rain --changed --no-color`, exit: 0 },
      { line: `graph c.yaml --var season=fall`, exit: 0 },
      { line: `generate -m acme-rain --catalog own.yaml -p Rain --verify fail --check`, exit: 0 },
      { line: `status ${own}`, exit: 0 },
      { line: `resolve ${own} wet --abandon --no-color`, exit: 2, err: /wet/ },
      { line: `adopt ${own} wet r_81 --workflow w --json --no-color`, exit: 0, out: /nothing is paid/ },
    ],
    files,
  )
  play(
    'some jobs, at a cost, from a cache, with reports: redo, apply and what follows',
    [
      { line: `${own} --local -o away -q`, exit: 0 },
      {
        line: `why ${own} wet --local --var season=fall -o away --prices prices.yaml`,
        exit: 0,
        out: /it is there|up to date|kept/,
      },
      { line: `verify ${own} --local --var season=fall -o away`, exit: 0, out: /agrees/ },
      {
        line: `accept ${own} wet --strict --tag shop -m acme-rain --changed --local -o away`,
        exit: 0,
      },
      { line: `pick ${own} wet --local --var season=fall -o away`, exit: 0 },
      { line: `prune ${own} --local -o away --takes --aside --var season=fall`, exit: 0 },
      {
        line: `audit ${own} --local --var season=fall -o away --prices prices.yaml --json --copies public --no-color`,
        exit: 0,
        out: /acme-rain/,
      },
      { line: `audit ${own} --local --var season=fall -o away --csv`, exit: 0, out: /acme-rain/ },
      {
        line: `report ${own} --local --var season=fall -o away --prices prices.yaml --sarif r.sarif --summary r.md --json --no-color`,
        exit: 0,
        out: /"page"/,
      },
      {
        line: `redo ${own} wet --local -o away --strict --tag shop -m acme-rain --verify warn --gate off --ca nothing.pem --quiet --no-color`,
        exit: 0,
        err: /^$/,
      },
      {
        line: 'redo c.yaml rain --local --var season=fall --prices prices.yaml --max-paid 1 --max-cost 9 --profile acme.yaml --verbose --debug',
        exit: 0,
        err: /rain +made/,
      },
      {
        line: 'redo c.yaml rain --local --cache store --cache-read-only --cache-size 1GB --publish site --events e.jsonl --junit j.xml --sarif s.sarif --summary s.md --json',
        exit: 0,
        out: /"paid": 1/,
      },
      { line: 'redo c.yaml rain --local --changed', exit: 0 },
      { line: 'plan c.yaml --local -o saved.plan --output-folder other', exit: 0 },
      {
        line: 'apply saved.plan --local -o other --verify warn --fail-fast --ca nothing.pem --events e.jsonl --junit j.xml --sarif s.sarif --summary s.md --json',
        exit: 0,
        out: /"paid": /,
      },
      {
        line: 'plan c.yaml --local -o more.plan --output-folder other --profile acme.yaml --prices prices.yaml',
        exit: 0,
      },
      {
        line: 'apply more.plan --local -o other --profile acme.yaml --prices prices.yaml --cache store --cache-read-only --cache-size 1GB --publish site --verbose --debug',
        exit: 0,
      },
    ],
    files,
  )
  play(
    'commands that wait for somebody: with every flag they begin, and refuse, as told',
    [
      {
        line: 'result -o away --profile acme.yaml --ca nothing.pem --json --quiet --no-color',
        exit: 2,
        out: /no service is configured/,
      },
      {
        line: 'result r_81 -m acme-rain --catalog own.yaml --verbose --debug',
        exit: 2,
        err: /no service is configured/,
      },
      { line: `convert ${own} wet --to cli`, exit: 0, out: /acme-rain/ },
      { line: 'import rain.csv --catalog own.yaml', exit: 0, out: /acme-rain/ },
      {
        line: 'mcp --local -o away --max-cost 3 --max-total-cost 9 --max-total-paid 5 --prices prices.yaml --catalog own.yaml --profile acme.yaml --ca nothing.pem --untrusted --debug --no-color',
        exit: 0,
        err: /nothing is paid/,
      },
      { line: 'mcp --local --port 0', exit: 2, err: /--port is for --http/ },
      { line: 'serve --fault flood --prices prices.yaml --no-color', exit: 2, err: /flood/ },
      {
        line: 'review nowhere.yaml --port 0 --as Lead --read-only --local -o away --var a=b --catalog own.yaml --profile acme.yaml --prices prices.yaml --max-paid 3 --max-cost 9 --cache c --cache-read-only --cache-size 1GB --trust --ca nothing.pem --verify off --gate off --no-color',
        exit: 2,
        err: /there is no such file/,
      },
      { line: 'run c.yaml --fleet', exit: 2, err: /no fleet is known here/ },
      { line: 'status c.yaml --fleet', exit: 2, err: /no fleet is known here/ },
      {
        line: 'work c.yaml --execute 2 --submit 3 --var a=b --catalog own.yaml --profile acme.yaml --prices prices.yaml --cache c --cache-read-only --cache-size 1GB --trust --ca nothing.pem --verify off --gate off --json --no-color',
        exit: 2,
        out: /no fleet is known here/,
      },
      { line: 'work c.yaml --untrusted', exit: 2, err: /no fleet is known here/ },
      { line: 'review nowhere.yaml --untrusted --read-only', exit: 2, err: /there is no such file/ },
      { line: 'review nowhere.yaml --take none.json', exit: 2, err: /none\.json|there is no such file/ },
      {
        line: 'watch nowhere.yaml x --var a=b --catalog own.yaml --strict --tag t -m x --changed --profile acme.yaml --prices prices.yaml --no-color',
        exit: 2,
        err: /there is no such file/,
      },
    ],
    { ...files, 'rain.csv': 'id,model,prompt\nwet,acme-rain,Rain\n' },
  )
  play(
    'services by name, a project, a catalog out of a document',
    [
      {
        line: 'generate -m famc-t2a -p Rain -d 3 --service studio',
        exit: 2,
        err: /no service is called studio/,
      },
      { line: 'result --service studio', exit: 2, err: /no service is called studio/ },
      { line: 'mcp --service studio', exit: 2, err: /no service is called studio/ },
      { line: 'init tea --project', exit: 0, out: /wrote tea\/package\.json/ },
      { line: 'catalog --no-color', exit: 2, err: /catalog import/ },
      { line: 'catalog import api.json -o drafted.yaml --no-color', exit: 0, err: /drafted\.yaml: 1 model/ },
      { line: 'models brush --catalog drafted.yaml', exit: 0, out: /brush/ },
      { line: 'catalog import api.json film', exit: 2, err: /there are brush/ },
    ],
    { 'api.json': brushApi },
  )
  play('no colours anywhere', [
    { line: 'lock --no-color', exit: 2, err: /genrun lock merge/ },
    { line: 'profile --no-color', exit: 2, err: /profile check/ },
    { line: 'init --make sound --yes', exit: 0, out: /wrote campaign\.yaml/ },
    { line: 'init more --make films', exit: 2, err: /known are|there are|hint/ },
    { line: 'models --quiet', exit: 2, err: /--quiet is for run, plan/ },
  ])
})

test('a prompt comes from a pipe', { timeout: 60_000 }, async () => {
  const cwd = freshFolder(base)
  const words = ['generate', '-m', 'famc-t2a', '-p', '-', '-d', '3', '--local', '--json']
  const piped = await genrun(words, { cwd, input: 'Rain on a tin roof, from a pipe\n' })
  expect(piped.code, piped.stderr).toBe(0)
  expect(piped.stdout).toContain('rain-on-a-tin-roof-from-a-pipe-')
})

test('nothing is asked where there is no terminal', { timeout: 60_000 }, async () => {
  const cwd = freshFolder(base)
  // stdin is closed: whoever asked would wait for ever, or fail.
  const piped = await genrun(['generate', '-m', 'famc-t2a', '-p', '-', '--check'], { cwd })
  expect(piped.code).toBe(2)
  expect(piped.stdout + piped.stderr).toContain('prompt')
})

test('the way to a real service: paid once, and found again', { timeout: 60_000 }, async () => {
  const gateway = await startGateway({ outputs: 'memory', ledger: true })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder({ ...base, 'key.txt': gateway.key })
  const folder = join(cwd, '.config/genrun')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.yaml'), `baseUrl: ${gateway.baseUrl}\napiKeyFile: ../../key.txt\n`)
  const first = await genrun(['c.yaml', 'rain'], { cwd })
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^out\/c\/rain\./) })
  expect((await genrun(['c.yaml', 'rain'], { cwd })).code).toBe(0)
  expect(gateway.ledger().billed).toEqual({ execute: 0, submit: 1 })
  expect(readFileSync(join(cwd, 'c.lock.json'), 'utf8')).not.toContain(gateway.key)
})

/** The command of a line: the longest that it begins with; a manifest is one to run. */
function commandOf(line: string): string {
  const names = commands.map(({ name }) => name).filter(name => line === name || line.startsWith(`${name} `))
  return names.toSorted((one, other) => other.length - one.length)[0] ?? 'run'
}

test('every command is tried above with every flag that it has', () => {
  const missing = commands.flatMap(({ name, flags }) => {
    const lines = tried.filter(line => commandOf(line) === name)
    const given = new Set(lines.flatMap(wordsOf).map(word => word.replace(/=.*/s, '')))
    const forms = [...flags, 'noColor' as const].map(flag => formsOf(options[flag]))
    const left = forms.filter(each => !each.some(form => given.has(form) || elsewhere[name]?.includes(form)))
    return [...(lines.length > 0 ? [] : [name]), ...left.map(each => `${name} ${each.at(-1)}`)]
  })
  expect(missing).toEqual([])
})

test('what is said to be tried elsewhere is tried there', () => {
  for (const [name, flags] of Object.entries(elsewhere)) {
    const path = join(import.meta.dirname, places[name] ?? '')
    const text = readFileSync(path, 'utf8')
    expect(text, name).toContain(`'${name}'`)
    for (const flag of flags) expect(text, `${name} ${flag}`).toContain(`'${flag}'`)
  }
})

/** What a line cannot end is started elsewhere: by command, its flags and the test. */
const elsewhere: { readonly [command: string]: readonly string[] } = {
  serve: [
    '--outputs',
    '--max-store',
    '--link-seconds',
    '--result-seconds',
    '--backend-seconds',
    '--catalog',
    '--s3',
  ],
  watch: ['--rehearse'],
  mcp: ['--http', '--read-only'],
  result: ['--forget'],
}
const places: { readonly [command: string]: string } = {
  serve: 'serve.test.ts',
  watch: 'watch.test.ts',
  mcp: '../mcp/server.test.ts',
  result: 'once-killed.test.ts',
}

test.each(commands.map(({ name }) => name))(
  'help of %s shows examples before everything else',
  async name => {
    const { code, stdout } = await genrun([...name.split(' '), '--help'], { cwd: freshFolder() })
    expect(code).toBe(0)
    const [head, , examples] = stdout.split('\n')
    expect(head).toMatch(new RegExp(`^genrun ${name}: `))
    expect(examples).toBe('Examples:')
    expect(
      stdout.split('\n').every(line => line.length <= 80),
      stdout,
    ).toBe(true)
  },
)

test('a saved plan of a manifest that names a look of its own person is carried out, and says so elsewhere', async () => {
  const cwd = freshFolder({
    '.config/genrun/config.yaml': 'gates: { brand: ./check }\n',
    '.config/genrun/check': '#!/bin/sh\necho \'{ "verdict": "fail", "why": "no logo" }\'\n',
    'm.yaml': 'jobs: { hero: { model: fama-imagine-image, prompt: Tea, gate: { brand: fail } } }\n',
  })
  chmodSync(join(cwd, '.config/genrun/check'), 0o755)
  const env = { HOME: cwd, PATH: process.env.PATH ?? '' }
  const run = (...words: string[]) => genrun(words, { cwd, env })
  expect((await run('plan', 'm.yaml', '--local', '-o', 'm.plan.json')).code).toBe(0)
  const applied = await run('apply', 'm.plan.json', '--local')
  expect(applied.stderr).toContain('brand: no logo')
  expect(applied.code).toBe(1)
  // Somebody else, who has no such look, turns the job into another form.
  const converted = await genrun(['convert', 'm.yaml', 'hero'], { cwd, env: { PATH: env.PATH } })
  expect(converted).toMatchObject({ code: 0, stderr: '' })
})
