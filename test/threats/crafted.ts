import { encodeJournal, type JournalEntry } from '../../src/store/journal/journal-text.ts'

// Texts and files that a stranger made to cost time, memory or a stack, each for the one reader that it is meant for. `n` is how often
// its part is repeated: a few hundred in the suite, and fifty times as many by `GENRUN_BOMBS=50` (docs/security.md).

type Crafted = { readonly [bomb: string]: (n: number) => string }

const times = (n: number, part: (nth: number) => string, between = '') =>
  Array.from({ length: n }, (_, nth) => part(nth)).join(between)
const job = (more: string, head = '') => `${head}jobs: { a: { model: fama-imagine-image, ${more} } }\n`
const prompt = (text: string, head = '') => job(`prompt: ${JSON.stringify(text)}`, head)
const each = (glob: string) => job(`prompt: "\${{ item }}", forEach: ${JSON.stringify(glob)}`)
const value = (text: string) => prompt(`\${{ ${text} }}`, 'vars: { a: x, b: [1, 2] }\n')

const manifest: Crafted = {
  'calls in calls': n => value(`${"format('{0}', ".repeat(n)}vars.a${')'.repeat(n)}`),
  'joins of joins': n => value(`${'join('.repeat(n)}vars.b${')'.repeat(n)}`),
  'a call of many words': n => value(`format('{0}'${', vars.a'.repeat(n)})`),
  'a format of many places': n => value(`format('${'{0}'.repeat(n)}', vars.a)`),
  'a place beyond all words': n => value(`format('{${'9'.repeat(n)}}', vars.a)`),
  'braces of a format': n => value(`format('${'{{'.repeat(n)}${'}}'.repeat(n)}')`),
  'a path that goes on': n => value(`vars${'.a'.repeat(n)}`),
  'indices that go on': n => value(`vars.b${'[0]'.repeat(n)}`),
  'indices in indices': n => value(`${'vars.b['.repeat(n)}0${']'.repeat(n)}`),
  'quotes in quotes': n => value(`'${"''".repeat(n)}'`),
  'a quote that stays open': n => value(`'${'x'.repeat(n)}`),
  'comparisons in a row': n => value(`vars.a${' == vars.a'.repeat(n)}`),
  'ands in a row': n => value(`vars.a${' && vars.a'.repeat(n)}`),
  'ors of brackets': n => value(`${'(vars.a || '.repeat(n)}vars.a${')'.repeat(n)}`),
  'nots in a row': n => value(`${'!'.repeat(n)}vars.a`),
  'a long number': n => value('9'.repeat(n)),
  'a number of exponents': n => value(`1e${'9'.repeat(n)}`),
  'a star of an object': n => value(`join(vars${'.*'.repeat(n)}, ',')`),
  'JSON in JSON': n => value(`${'toJSON('.repeat(n)}vars.b${')'.repeat(n)}`),
  'templates in a row': n => prompt('${{ vars.a }}'.repeat(n), 'vars: { a: x }\n'),
  'templates that stay open': n => prompt('${{ '.repeat(n)),
  'ends of templates': n => prompt(' }}'.repeat(n)),
  'dollars and braces': n => prompt('${'.repeat(n)),
  'variables that double': n =>
    prompt(
      '${{ vars.v40 }}',
      `vars: { v0: x, ${times(Math.min(n, 40), k => `v${k + 1}: "\${{ vars.v${k} }}\${{ vars.v${k} }}"`, ', ')} }\n`,
    ),
  'variables in a chain': n =>
    prompt(
      '${{ vars.v0 }}',
      `vars: { ${times(n, k => `v${k}: "\${{ vars.v${k + 1} }}"`, ', ')}, v${n}: x }\n`,
    ),
  'variables in a ring': n =>
    prompt('${{ vars.v0 }}', `vars: { ${times(n, k => `v${k}: "\${{ vars.v${(k + 1) % n} }}"`, ', ')} }\n`),
  'needs in a chain': n =>
    `jobs:\n${times(n, k => `  j${k}: { model: fama-imagine-image, prompt: x, needs: [${k === 0 ? '' : `j${k - 1}`}] }\n`)}`,
  'needs in a ring': n =>
    `jobs:\n${times(n, k => `  j${k}: { model: fama-imagine-image, prompt: x, needs: [j${(k + 1) % n}] }\n`)}`,
  'needs of everybody': n => {
    const most = Math.min(n, 300)
    return `jobs:\n${times(most, k => `  j${k}: { model: fama-imagine-image, prompt: x, needs: [${times(most, m => `j${m}`, ',')}] }\n`)}`
  },
  'inputs in a chain': n =>
    `jobs:\n${times(n, k => `  j${k}: { model: famc-3.0-image, prompt: x${k === 0 ? '' : `, imageUrls: ["\${{ jobs.j${k - 1}.output }}"]`} }\n`)}`,
  'the same part again and again': n => `include: [${'m.yaml, '.repeat(n)}]\n${job('prompt: x')}`,
  'parts of nowhere': n =>
    `include: [${times(n, k => `"${'../'.repeat(k % 40)}p.yaml"`, ', ')}]\n${job('prompt: x')}`,
  'the same table again and again': n =>
    job(`prompt: x, matrix: { ${times(Math.min(n, 99), k => `r${k}: { rows: rows.csv }`, ', ')} }`),
  'takes beyond number': n => job(`prompt: x, takes: ${'9'.repeat(n)}`),
  'files beyond number': n => job(`prompt: x, count: ${'9'.repeat(n)}`),
  'tags of a job': n => job(`prompt: x, tags: [${times(n, k => `t${k}`, ',')}]`),
  'tags with caps': n =>
    `limits: { tags: { ${times(n, k => `t${k}: { maxPaid: 1 }`, ', ')} } }\n${job('prompt: x')}`,
  'an output of many folders': n => job(`prompt: x, output: ${'a/'.repeat(n)}b`),
  'an output of many names': n => job(`prompt: x, output: "${'${{ job.id }}-'.repeat(n)}"`),
  'an output that goes up': n => job(`prompt: x, output: ${'../'.repeat(n)}b`),
  'models of a job': n => `jobs: { a: { prompt: x, model: [${'fama-imagine-image, '.repeat(n)}] } }\n`,
  'a model of a long name': n => `jobs: { a: { prompt: x, model: ${'famb'.repeat(n)} } }\n`,
  'a job of a long name': n => `jobs: { ${'j'.repeat(n)}: { model: fama-imagine-image, prompt: x } }\n`,
  'the same job again and again': n =>
    `jobs:\n${'  a: { model: fama-imagine-image, prompt: x }\n'.repeat(n)}`,
  'prompts of a video': n =>
    `jobs: { a: { model: famb-v3, multiPrompt: [${'{ prompt: x, duration: 1 }, '.repeat(n)}] } }\n`,
  'pictures of a job': n =>
    `jobs: { a: { model: famc-3.0-image, prompt: x, imageUrls: [${times(n, k => `p${k}.png`, ',')}] } }\n`,
  'pictures that are texts': n =>
    `jobs: { a: { model: famc-3.0-image, prompt: x, imageUrls: ["data:image/png;base64,${'AAAA'.repeat(n)}"] } }\n`,
  'a picture of a long address': n =>
    `jobs: { a: { model: famc-3.0-image, prompt: x, imageUrls: ["https://a.example/${'%2e%2e/'.repeat(n)}"] } }\n`,
  'letters with marks': n => prompt(`e${'\u0301'.repeat(n)}`),
  'letters in families': n => prompt('👩‍👩‍👧‍👦'.repeat(n)),
  'letters that turn around': n => prompt('\u202ea\u202c'.repeat(n)),
  'what nobody sees': n => prompt('\u200b'.repeat(n)),
  'merges of merges': n =>
    `x-a: &a { b: 1 }\nx-b: { ${times(n, () => '<<: *a', ', ')} }\n${job('prompt: x')}`,
  'words of our own': n => `${times(n, k => `x-${k}: { a: [1] }\n`)}${job('prompt: x')}`,
  'other values of cells': n =>
    job(
      `prompt: x, matrix: { a: [1, 2] }, override: [${times(n, () => '{ match: { a: "*a*b*c*d*" }, count: 2 }', ', ')}]`,
    ),
  'axes of axes': n => job(`prompt: x, matrix: { a: [${times(n, k => `[${k}]`, ',')}] }`),
  'chosen jobs': n => job(`prompt: x, needs: [${times(n, () => '"a[*,*,*]"', ', ')}]`),
  'a chosen job of many stars': n => job(`prompt: x, needs: ["${'*'.repeat(n)}"]`),
  'stars in a glob': n => each(`${'*'.repeat(n)}.png`),
  'letters and stars in a glob': n => each(`${'a*'.repeat(n)}b.png`),
  'folders and stars in a glob': n => each(`${'**/'.repeat(n)}a.png`),
  'repetitions in a glob': n => each(`${'*(a*)'.repeat(n)}b.png`),
  'repetitions in repetitions of a glob': n => each(`${'*(a'.repeat(n)}${')'.repeat(n)}b.png`),
  'what a glob is not': n => each(`${'!(a'.repeat(n)}${')'.repeat(n)}.png`),
  'alternatives of a glob': n => each(`${'{a,b}'.repeat(n)}.png`),
  'alternatives of a glob that fit in many ways': n => each(`${'{a,aa}'.repeat(n)}c.png`),
  'an expression as a glob': n => each(`${'(a|aa)'.repeat(n)}c.png`),
  'repetitions of an expression as a glob': n => each(`${'[a]+'.repeat(n)}c.png`),
  'repetitions of repetitions of an expression': n => each(`${'(a+)+'.repeat(n)}c.png`),
  'alternatives in alternatives of a glob': n => each(`${'{a,'.repeat(n)}b${'}'.repeat(n)}.png`),
  'a range of a glob': n => each(`{1..${'9'.repeat(n)}}.png`),
  'classes of a glob': n => each(`${'[a-z]'.repeat(n)}.png`),
  'a class of a glob that stays open': n => each(`${'['.repeat(n)}a.png`),
  'question marks of a glob': n => each(`${'?'.repeat(n)}.png`),
  'backslashes of a glob': n => each(`${'\\'.repeat(n)}a.png`),
}

const profile: Crafted = {
  'a pattern of groups': n =>
    `refusedWhen: { at: /m, is: "${'('.repeat(n)}a${')'.repeat(n)}", means: busy }\n`,
  'a pattern of repeated groups': () => 'refusedWhen: { at: /m, is: "(a+)+$", means: busy }\n',
  'a pattern of alternatives': n => `refusedWhen: { at: /m, is: "${'(a|aa)'.repeat(n)}$", means: busy }\n`,
  'a pattern of repetitions': n => `refusedWhen: { at: /m, is: "${'a*'.repeat(n)}b", means: busy }\n`,
  'a pattern that looks back': n => `refusedWhen: { at: /m, is: "(a*)${'\\\\1'.repeat(n)}", means: busy }\n`,
  'a pattern of counts': () => 'refusedWhen: { at: /m, is: "a{1,60000}a{1,60000}b", means: busy }\n',
  'a place that goes on': n => `response: { id: ${'/a'.repeat(n)} }\n`,
  'a place of tildes': n => `response: { id: "/${'~0'.repeat(n)}" }\n`,
  'a place that is none': n => `response: { id: "${'$.a['.repeat(n)}" }\n`,
  'words of a state': n => `response: { words: { succeeded: [${times(n, k => `w${k}`, ', ')}] } }\n`,
  'other names': n => `request: { rename: { ${times(n, k => `a${k}: b${k}`, ', ')} } }\n`,
  constants: n => `request: { constants: { ${times(n, k => `c${k}: [1, { a: b }]`, ', ')} } }\n`,
  'other values': n => `request: { values: { prompt: { ${times(n, k => `a${k}: b`, ', ')} } } }\n`,
  'models by stars': n =>
    `request: { models: { ${times(n, k => `"*${k}*a*b*": { constants: { a: 1 } }`, ', ')} } }\n`,
  'a body that is deep': n =>
    `request: { body: { "*": ${'{ a: '.repeat(Math.min(n, 60))}1${' }'.repeat(Math.min(n, 60))} } }\n`,
  'a body of templates': n =>
    `request: { body: { "*": { ${times(n, k => `a${k}: "\${{ params.prompt }}"`, ', ')} } } }\n`,
  'an address of templates': n => `endpoints: { order: "POST /${'${{ workflow }}/'.repeat(n)}" }\n`,
  'an address that goes up': n => `endpoints: { order: "POST /${'../'.repeat(n)}x" }\n`,
  headers: n => `headers: { ${times(n, k => `X-A${k}: b`, ', ')} }\n`,
  'a header of a long value': n => `headers: { X-A: "${'x'.repeat(n)}" }\n`,
  statuses: n => `refused: { ${times(n, k => `${k}: always`, ', ')} }\n`,
  'workflows of models': n => `workflow: { ${times(n, k => `m${k}: w`, ', ')} }\n`,
  'ways of models': n => `mode: { ${times(n, k => `"${'*a'.repeat(k % 20)}${k}": submit`, ', ')} }\n`,
  examples: n =>
    `examples: [${times(n, () => '{ model: fama-imagine-image, params: { prompt: x }, body: { a: 1 } }', ', ')}]\n`,
  'what it was written from': n =>
    `source: { url: "https://a.example/${'a'.repeat(n)}", read: 2026-01-01 }\n`,
}

const prices: Crafted = {
  'models of prices': n => `models:\n${times(n, k => `  m${k}: { perRun: 1 }\n`)}`,
  'stars of prices': n => `models:\n${times(n, k => `  "${'*a'.repeat(k % 20)}${k}": { perRun: 1 }\n`)}`,
  'workflows of prices': n => `workflows:\n${times(n, k => `  w${k}: { perRun: 1 }\n`)}`,
  'rates of a model': n =>
    `models: { fama-imagine-image: [${times(n, () => '{ when: { prompt: x }, perRun: 1 }', ', ')}] }\n`,
  'cases of a rate': n =>
    `models: { fama-imagine-image: { when: { ${times(n, k => `p${k}: [1, 2]`, ', ')} }, perRun: 1 } }\n`,
  'values of a case': n =>
    `models: { fama-imagine-image: { when: { count: [${times(n, k => `${k}`, ', ')}] }, perRun: 1 } }\n`,
  'a price of many digits': n => `models: { fama-imagine-image: { perRun: ${'9'.repeat(n)} } }\n`,
  'a price of many zeros': n => `models: { fama-imagine-image: { perRun: 0.${'0'.repeat(n)}1 } }\n`,
  'a currency of a long name': n => `currency: ${'X'.repeat(n)}\nmodels: {}\n`,
  'the same price again and again': n => `models:\n${'  fama-imagine-image: { perRun: 1 }\n'.repeat(n)}`,
}

const model = (more: string) => `models: { m: { name: M, inputType: t2i, ${more} } }\n`

const catalog: Crafted = {
  models: n =>
    `models:\n${times(n, k => `  m${k}: { name: M, inputType: t2i, params: { prompt: { type: text } } }\n`)}`,
  'parameters of a model': n => model(`params: { ${times(n, k => `p${k}: { type: text }`, ', ')} }`),
  'values of a parameter': n =>
    model(`params: { a: { type: choice, values: [${times(n, k => `v${k}`, ', ')}] } }`),
  'the same value again and again': n =>
    model(`params: { a: { type: choice, values: [${'v, '.repeat(n)}] } }`),
  'members of members': n =>
    model(
      `params: { a: ${'{ type: list, of: '.repeat(Math.min(n, 30))}{ type: text }${' }'.repeat(Math.min(n, 30))} }`,
    ),
  'a bound of many digits': n => model(`params: { a: { type: whole, min: ${'9'.repeat(n)}, max: 1 } }`),
  'a length of many digits': n => model(`params: { a: { type: text, maxLength: ${'9'.repeat(n)} } }`),
  'a default that is long': n => model(`params: { a: { type: text, default: "${'x'.repeat(n)}" } }`),
  'a model of a long name': n => `models: { ${'m'.repeat(n)}: { name: M, inputType: t2i, params: {} } }\n`,
  'prices of a model': n =>
    model(`params: { prompt: { type: text } }, price: [${times(n, () => '{ perRun: 1 }', ', ')}]`),
}

const settings: Crafted = {
  services: n =>
    `services: { ${times(n, k => `s${k}: { baseUrl: "https://a.example/gw-v2", apiKeyVariable: A }`, ', ')} }\n`,
  'digests that are trusted': n =>
    `trust: [${times(n, k => `"sha256:${String(k).padStart(64, '0')}"`, ', ')}]\n`,
  'hosts that are allowed': n => `allowHosts: [${times(n, k => `a${k}.example`, ', ')}]\n`,
  'origins of uploads': n => `uploadOrigins: [${times(n, k => `"https://a${k}.example"`, ', ')}]\n`,
  'a limit of many digits': n => `limits: { maxPaid: ${'9'.repeat(n)} }\n`,
  'a path that goes up': n => `output: ${'../'.repeat(n)}x\n`,
  catalogs: n => `catalog: [${times(n, k => `c${k}.yaml`, ', ')}]\n`,
}

const lineage = '0123456789abcdef'.repeat(2)
const digest = `sha256:${'0'.repeat(64)}`
const recipe = (params: string) =>
  `{"version":1,"model":"fama-imagine-image","params":{${params}},"defaults":{},"inputs":{},"take":1}`
const lock = (entries: string, head = '"genrun":2') =>
  `{${head},"lineage":"${lineage}","manifest":"m.yaml","jobs":[\n${entries}null]}\n`
const entry = (k: number, more = '"files":[]', params = '"prompt":"x"') =>
  `{"id":"p${k}","address":"a${k}","state":"done","recipe":${recipe(params)},"run":{"workflow":"w","id":"r${k}"},${more}},\n`
const deep = (n: number) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`

const locks: Crafted = {
  'many purchases': n => lock(times(n, k => entry(k))),
  'the same purchase again and again': n => lock(entry(0).repeat(n)),
  'a purchase of many files': n =>
    lock(
      entry(
        0,
        `"files":[${times(n, k => `{"path":"f${k}.png","digest":"${digest}","bytes":1,"type":"image/png"}`, ',')}]`,
      ),
    ),
  'a purchase of many parameters': n =>
    lock(
      entry(
        0,
        '"files":[]',
        times(n, k => `"p${k}":1`, ','),
      ),
    ),
  'a purchase that is deep': n => lock(entry(0, '"files":[]', `"p":${deep(n)}`)),
  'a format of many digits': n => lock('', `"genrun":${'9'.repeat(n)}`),
  'marks of a merge': n => lock('<<<<<<< ours\n=======\n>>>>>>> theirs\n'.repeat(n)),
  'lines that are no JSON': n => lock('{"id":\n'.repeat(n)),
  'nothing, many times': n => lock('null,\n'.repeat(n)),
  'a head that is deep': n => lock('', `"genrun":2,"a":${deep(n)}`),
  'a purchase of a long name': n => lock(entry(0).replace('"a0"', `"${'a'.repeat(n)}"`)),
}

const open = { kind: 'OPEN', at: 1, format: 2, lineage, tool: 'x' } as unknown as JournalEntry
const written = (entries: readonly object[]) =>
  Buffer.from(encodeJournal(entries as readonly JournalEntry[]).whole).toString('latin1')

const journals: Crafted = {
  'openings without an end': n => written(Array.from({ length: n }, () => open)),
  'orders that were never sent': n =>
    written(
      Array.from({ length: n }, (_, k) => ({
        kind: 'INTENT',
        at: 1,
        purchase: `p${k}`,
        attempt: 'a',
        mode: 'execute',
        request: digest,
        workflow: 'w',
        origin: 'o',
        address: 'a',
        recipe: JSON.parse(recipe('"prompt":"x"')),
      })),
    ),
  'the same doubt again and again': n =>
    written(
      Array.from({ length: n }, () => ({ kind: 'DOUBT', at: 1, purchase: 'p', attempt: 'a', detail: 'x' })),
    ),
  'an entry of a long word': n =>
    written([{ kind: 'DOUBT', at: 1, purchase: 'p', attempt: 'a', detail: 'x'.repeat(n) }]),
  'an entry that is deep': n =>
    written([{ kind: 'RESULT', at: 1, purchase: 'p', files: JSON.parse(deep(Math.min(n, 2000))) as object }]),
  'a chain that is broken': n =>
    `${written(Array.from({ length: n }, () => open))}\n0000000000000000 {"length":1,}`,
  'a record that is cut': n => `\n${'0'.repeat(16)} {"length":${'9'.repeat(n)},`,
  'zeros at the end': n => written([open]) + '\0'.repeat(n),
  'line feeds alone': n => '\n'.repeat(n),
}

const plan = (asked: string, more = '') =>
  `{"genrun":1,"manifest":"m.yaml","asked":{${asked}},"means":{}${more}}`

const plans: Crafted = {
  'chosen tags': n => plan(`"select":{"tags":[${times(n, k => `"t${k}"`, ',')}]}`),
  'chosen jobs of stars': n => plan(`"select":{"only":[${times(n, () => '"*a*b*"', ',')}]}`),
  variables: n => plan(`"vars":{${times(n, k => `"v${k}":"x"`, ',')}}`),
  'a variable of a long text': n => plan(`"vars":{"v":"${'x'.repeat(n)}"}`),
  'caps of tags': n => plan(`"caps":{"tags":{${times(n, k => `"t${k}":{"maxPaid":1}`, ',')}}}`),
  steps: n => plan('', `,"steps":[${times(n, k => `"order a${k}"`, ',')}]`),
  'a manifest of a long path': n => plan('').replace('m.yaml', '../'.repeat(n)),
  'caps that are deep': n => plan(`"caps":${deep(n)}`),
}

const verdict = (k: number, more = '') =>
  `{"address":"a${k}","is":"approved","who":"x","when":"2026-03-01T09:30:00Z","seen":["${digest}"]${more}},\n`
const reviewed = (lines: string, head = '"genrunReview":1') =>
  `{${head},"manifest":"m.yaml","verdicts":[\n${lines}null]}\n`

const verdicts: Crafted = {
  'many of them': n => reviewed(times(n, k => verdict(k))),
  'the same one again and again': n => reviewed(verdict(0).repeat(n)),
  'one of many files': n =>
    reviewed(
      verdict(0).replace(
        `"${digest}"`,
        times(n, () => `"${digest}"`, ','),
      ),
    ),
  'a note of a long text': n => reviewed(verdict(0, `,"note":"${'x'.repeat(n)}"`)),
  'stars beyond number': n => reviewed(verdict(0, `,"stars":${'9'.repeat(n)}`)),
  'one that is deep': n => reviewed(verdict(0, `,"x":${deep(n)}`)),
  'marks of a merge': n => reviewed('<<<<<<< ours\n'.repeat(n)),
  'a format of many digits': n => reviewed('', `"genrunReview":${'9'.repeat(n)}`),
}

const answer = (more: string) => `{"id":"r1","status":"succeeded",${more}}`
const failed = (error: string) => `{"id":"r1","status":"failed","error":${error}}`

const answers: Crafted = {
  'many files': n => answer(`"outputs":[${times(n, k => `"https://a.example/${k}.png"`, ',')}]`),
  'the same file again and again': n =>
    answer(`"outputs":[${times(n, () => '"https://a.example/a.png"', ',')}]`),
  'a file of a long address': n => answer(`"outputs":["https://a.example/${'a/'.repeat(n)}"]`),
  'a file of an address that goes up': n => answer(`"outputs":["https://a.example/${'../'.repeat(n)}"]`),
  'a file of many names': n => answer(`"outputs":["https://${'a.'.repeat(n)}example/a.png"]`),
  'a file in the answer': n => answer(`"outputs":["data:image/png;base64,${'AAAA'.repeat(n)}"]`),
  'a file that is no base64': n => answer(`"outputs":["data:image/png;base64,${'=A'.repeat(n)}"]`),
  'files as objects': n =>
    answer(`"outputs":[${times(n, k => `{"url":"https://a.example/${k}","a":{"b":1}}`, ',')}]`),
  'files as a mapping': n => answer(`"outputs":{${times(n, k => `"${k}":"https://a.example/${k}"`, ',')}}`),
  'files in files': n => answer(`"outputs":${'['.repeat(n)}${']'.repeat(n)}`),
  'a run of a long name': n => `{"id":"${'r'.repeat(n)}","status":"queued"}`,
  'a state of a long name': n => `{"id":"r1","status":"${'s'.repeat(n)}"}`,
  'progress beyond number': n => `{"id":"r1","status":"running","progress":${'9'.repeat(n)}}`,
  'the same name again and again': n => `{${'"id":"r1",'.repeat(n)}"status":"queued"}`,
  'errors of errors': n => failed(`${'{"error":'.repeat(n)}{"message":"x"}${'}'.repeat(n)}`),
  'a list of errors': n => failed(`[${times(n, () => '{"message":"x"}', ',')}]`),
  'an error of a long text': n => failed(`{"message":"${'no '.repeat(n)}"}`),
  'an error that nobody sees': n => failed(`{"message":"${'\u200b'.repeat(n)}"}`),
  'an error of escapes': n => failed(`{"message":"${'\\u001b[31m'.repeat(n)}"}`),
  'an error of backslashes': n => failed(`{"message":"${'\\\\'.repeat(n)}"}`),
  'an error of an address in an address': n => failed(`{"message":"${'https://a.example/?u='.repeat(n)}"}`),
  'a page': n => `<!doctype html>${'<div>'.repeat(n)}`,
  'events in place of JSON': n => 'data: {"id":"r1"}\n\n'.repeat(n),
  'a comma too many': n => `{"id":"r1","a":[${'1,'.repeat(n)}`,
}

const tables: { readonly [reader: string]: Crafted } = {
  'table of cells': {
    'quotes in quotes of a cell': n => `a\n"${'""'.repeat(n)}"\n`,
    'a row of many cells': n => `a,b\n${'1,'.repeat(n)}\n`,
    'a cell of many lines': n => `a\n"${'x\n'.repeat(n)}"\n`,
    'ends of lines of every kind': n => `a\n${'1\r2\r\n3\n'.repeat(n)}`,
    'a head of the same long name': n => `${'c'.repeat(n)},${'c'.repeat(n)}\n1,2\n`,
  },
  'table of JSON': {
    'rows of JSON': n => `[${times(n, k => `{"a":${k}}`, ',')}]`,
    'rows with a name each': n => `[${times(n, k => `{"a${k}":1}`, ',')}]`,
    'a row that is deep': n => `[{"a":${deep(n)}}]`,
    'a row of a long text': n => `[{"a":"${'x'.repeat(n)}"}]`,
  },
  'table of lines': {
    'a line that is deep': n => `{"a":${deep(n)}}\n`,
    'lines of a name each': n => times(n, k => `{"a${k}":1}\n`),
  },
}

export const crafted: { readonly [reader: string]: Crafted } = {
  manifest,
  profile,
  prices,
  catalog,
  settings,
  lock: locks,
  journal: journals,
  'saved plan': plans,
  verdicts,
  answer: answers,
  ...tables,
}

type Part = string | readonly number[] | Buffer
const bytes = (...parts: readonly Part[]): Buffer =>
  Buffer.concat(
    parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  )
const repeated = (n: number, ...parts: readonly Part[]) =>
  Buffer.concat(Array.from({ length: n }, () => bytes(...parts)))
const be = (value: number) => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const le = (value: number) => be(value).toReversed()
const png = '\x89PNG\r\n\x1a\n'
const header = (width: number, height: number) =>
  bytes(be(13), 'IHDR', be(width), be(height), [8, 6, 0, 0, 0], be(0))
const box = (name: string, ...inner: readonly Part[]) => {
  const body = bytes(...inner)
  return bytes(be(body.length + 8), name, body)
}
const movie = box('ftyp', 'isom', be(512), 'isomiso2')
const ebml = bytes([0x1a, 0x45, 0xdf, 0xa3, 0x84, 0x42, 0x82, 0x81, 0x77])
const riff = (kind: string, body: Buffer) => bytes('RIFF', le(body.length + 4), kind, body)

/** Files that a service, or a checkout, calls pictures, films or sounds. */
export const files: { readonly [bomb: string]: (n: number) => Buffer } = {
  'a PNG of empty pieces': n => bytes(png, header(1, 1), repeated(n, be(0), 'tEXt', be(0))),
  'a PNG of an enormous size': () => bytes(png, header(0x7fffffff, 0x7fffffff), be(0), 'IEND', be(0)),
  'a PNG of a piece without end': n => bytes(png, header(1, 1), be(0x7fffffff), 'IDAT', 'x'.repeat(n)),
  'a PNG of a piece of less than nothing': n =>
    bytes(png, header(1, 1), be(0xffffffff), 'IDAT', 'x'.repeat(n)),
  'a PNG of many heads': n => bytes(png, repeated(n, header(40_000, 40_000))),
  'a JPEG of empty pieces': n => bytes([0xff, 0xd8], repeated(n, [0xff, 0xe1, 0, 2])),
  'a JPEG of pieces of less than nothing': n => bytes([0xff, 0xd8], repeated(n, [0xff, 0xe1, 0, 0])),
  'a JPEG of filling': n => bytes([0xff, 0xd8], Buffer.alloc(n, 0xff)),
  'a JPEG of one scan that goes on': n => bytes([0xff, 0xd8, 0xff, 0xda, 0, 2], repeated(n, [0xff, 0])),
  'a GIF of empty pieces': n => bytes('GIF89a', [1, 0, 1, 0, 0, 0, 0], repeated(n, [0x21, 0xfe, 0])),
  'a GIF of small pieces': n => bytes('GIF89a', [1, 0, 1, 0, 0, 0, 0, 0x21, 0xfe], repeated(n, [1, 65])),
  'a GIF of pictures': n =>
    bytes('GIF89a', [1, 0, 1, 0, 0, 0, 0], repeated(n, [0x2c, 0, 0, 0, 0, 255, 255, 255, 255, 0, 2, 0])),
  'a WebP of empty pieces': n => riff('WEBP', repeated(n, 'ICCP', le(0))),
  'a WebP of pieces without end': n => riff('WEBP', repeated(n, 'VP8 ', le(0xfffffffe))),
  'a WAV of empty pieces': n => riff('WAVE', repeated(n, 'LIST', le(0))),
  'a WAV of a sound without end': n =>
    riff(
      'WAVE',
      bytes('fmt ', le(16), [1, 0, 1, 0], le(1), le(1), [1, 0, 8, 0], 'data', le(0xffffffff), 'x'.repeat(n)),
    ),
  'a film of empty boxes': n => bytes(movie, repeated(n, be(8), 'free')),
  'a film of boxes in boxes': n => {
    let inner = bytes()
    for (let k = 0; k < Math.min(n, 2000); k++) inner = box('moov', inner)
    return bytes(movie, inner)
  },
  'a film of boxes of no length': n => bytes(movie, repeated(n, be(0), 'moov')),
  'a film of boxes of an enormous length': n =>
    bytes(movie, repeated(n, be(1), 'mdat', be(0xffffffff), be(0xffffffff))),
  'a film of boxes of less than a head': n => bytes(movie, repeated(n, be(4), 'mdat')),
  'a film of times without end': n =>
    bytes(
      movie,
      box(
        'moov',
        box('trak', box('mdia', box('minf', box('stbl', box('stts', be(0), be(0xffffffff), 'x'.repeat(n)))))),
      ),
    ),
  'a film of many tracks': n => bytes(movie, box('moov', repeated(n, box('trak', box('tkhd', be(0)))))),
  'a WebM of empty elements': n => bytes(ebml, [0x18, 0x53, 0x80, 0x67, 0xff], repeated(n, [0xec, 0x80])),
  'a WebM of elements of no known length': n => bytes(ebml, repeated(n, [0x18, 0x53, 0x80, 0x67, 0xff])),
  'a WebM of an enormous element': n =>
    bytes(ebml, repeated(n, [0x18, 0x53, 0x80, 0x67, 0x01, 255, 255, 255, 255, 255, 255, 254])),
  'an Ogg of empty pages': n => repeated(n, 'OggS', [0, 2], be(0), be(0), le(1), be(0), be(0), [0]),
  'an Ogg of full tables': n =>
    repeated(n, 'OggS', [0, 2], be(0), be(0), le(1), be(0), be(0), [255], Buffer.alloc(255, 0)),
  'an MP3 of many frames': n => repeated(n, [0xff, 0xfb, 0x10, 0xc4], Buffer.alloc(100)),
  'an MP3 of a tag without end': n => bytes('ID3', [4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f], 'x'.repeat(n)),
  'an MP3 of tags': n => repeated(n, 'ID3', [4, 0, 0, 0, 0, 0, 0]),
  'an AAC of frames of no length': n => repeated(n, [0xff, 0xf1, 0x50, 0x80, 0, 0x1f, 0xfc]),
  'a FLAC of empty pieces': n => bytes('fLaC', repeated(n, [1, 0, 0, 0])),
  'a FLAC of a piece without end': n => bytes('fLaC', [0, 255, 255, 255], 'x'.repeat(n)),
  'an AVIF of places without end': n =>
    bytes(
      box('ftyp', 'avif', be(0), 'avifmif1'),
      box('meta', be(0), box('iloc', [1, 0, 0, 0, 0x44, 0x40, 255, 255], 'x'.repeat(n))),
    ),
  'a TIFF of a ring': n => bytes('II*\0', le(8), repeated(n, [0, 0], le(8))),
  'an SVG of entities': n =>
    bytes(
      `<!DOCTYPE s [${times(Math.min(n, 30), k => `<!ENTITY a${k + 1} "&a${k};&a${k};">`)}]><svg>&a30;</svg>`,
    ),
  'an archive': n => repeated(n, 'PK\x03\x04', Buffer.alloc(26)),
  'an ICO of many pictures': n => bytes([0, 0, 1, 0, 255, 255], repeated(n, Buffer.alloc(16, 255))),
  'nothing but zeros': n => Buffer.alloc(n * 10),
}
