import type { Code } from '../base/diagnostic.ts'

/** What a code means, in a sentence or two; and a text, or a command line, that brings it about. */
type Row = readonly [about: string, example: string]

/** Every code, in alphabetical order. Behind a `#` stands what is meant, or why it is wrong. */
export const rows: { readonly [code in Code]: Row } = {
  'alias-bomb': [
    'Aliases that repeat each other unfold to more than any honest file holds. Write the values out.',
    'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b] # and so on',
  ],
  altered: [
    'A file that genrun made was changed by hand. It is kept and never replaced without being told.',
    'genrun verify campaign.yaml # stills/fox.png was opened and saved again',
  ],
  'aspect-mismatch': [
    'A first or last frame has another shape than the video it is for.',
    'still: { aspectRatio: 1:1 }\nclip: { aspectRatio: 16:9, startFrame: ${{ jobs.still.output }} }',
  ],
  'at-file': [
    'A text that begins with @ and looks like a path: other tools read the file, here the letters are sent.',
    "prompt: '@prompt.txt' # ${{ file('prompt.txt') }}",
  ],
  'bad-axis': [
    'An axis of a matrix is a list, the rows of a file, the files of a glob, or the files of another job.',
    'matrix: { colour: red } # [red]',
  ],
  'bad-backend': [
    'A file for `genrun serve --backend backend.yaml` is a mapping from models to commands; a command is a text or a list of words.',
    'fama-tts: 5 # ./speak',
  ],
  'bad-base-url': [
    'GENRUN_BASE_URL must be a whole address without user, query or fragment; http is for this machine only.',
    'GENRUN_BASE_URL=http://api.example/gw-v2 # https://',
  ],
  'bad-ca': [
    'The file of certificate authorities cannot be read, or holds none.',
    'genrun campaign.yaml --ca key.pem # certificates',
  ],
  'bad-drift': [
    'No drift of that name can be allowed.',
    'genrun verify campaign.yaml --allow all # stale, missing, altered or untracked',
  ],
  'bad-expression': [
    'What stands between ${{ and }} cannot be read or worked out. Text stands in single quotes, comparison is ==.',
    'if: ${{ matrix.x = 1 }} # ==',
  ],
  'bad-form': [
    'A flag takes one of a few forms of output.',
    'genrun graph campaign.yaml --form png # mermaid or dot',
  ],
  'bad-id': [
    'Jobs are called by letters a to z, digits, _ and -, because files and addresses are named after them.',
    'jobs: { "hero shot": … } # hero-shot',
  ],
  'bad-index': [
    'Brackets take a whole number from 0, or a name in single quotes.',
    '${{ jobs.hero.outputs[-1] }}',
  ],
  'bad-input': [
    'An input file changed or went away after the plan was made, so that the order was not sent.',
    'still: { model: famb-v3, image: fox.png } # removed while the run went on',
  ],
  'bad-key': ['This cannot be the name of a value in YAML or of a key of the service.', '? [a, b] : c'],
  'bad-key-file': [
    'The file that GENRUN_API_KEY_FILE names cannot be read or holds no key.',
    'GENRUN_API_KEY_FILE=~/no-such-file',
  ],
  'bad-link': [
    'A link is written whole, begins with https:// or http://, and carries no password.',
    'imageUrls: https:/host/tea.png',
  ],
  'bad-media': [
    'What was delivered is not the kind of file that was ordered, or has no end. What came stays in the folder `unusual` beside the results, whatever is ordered later: `accept` takes it as it is, and only `prune` removes it.',
    'genrun accept campaign.yaml poster # the service sent a TIFF picture',
  ],
  'bad-merge': ['<< takes in a mapping or a list of mappings, named by an anchor.', '<<: [1, 2]'],
  'bad-name': [
    'The name holds what cannot name a folder, or is taken by something else.',
    'name: ../teapots',
  ],
  'bad-number': ['The number is not finite, or has more digits than can be kept.', 'cfgScale: .inf'],
  'bad-origin': [
    'A list of origins holds something that is none: scheme and host, and nothing behind them.',
    'GENRUN_UPLOAD_ORIGINS=files.example # https://files.example',
  ],
  'bad-output': [
    'An output is a path inside the output folder that every file system can hold, without extension.',
    'output: ../hero # hero',
  ],
  'bad-outputs': [
    'The folder for the files of the gateway cannot be used.',
    'genrun serve --outputs /root/files # without the right to write there',
  ],
  'bad-path': [
    'Paths have forward slashes and count from the manifest; inside double quotes a backslash means something else.',
    'startFrame: "photos\\new.png"',
  ],
  'bad-profile': [
    'The profile does not fit its schema; the place in it is underlined.',
    'response: { id: id } # /id, a place in the answer',
  ],
  'bad-proxy': ['The address of the proxy cannot be used.', 'HTTPS_PROXY=proxy:none'],
  'bad-reply': [
    "The service's answer is none that its profile describes. What came is kept where a run may be named in it.",
    'genrun campaign.yaml --profile other.profile.yaml',
  ],
  'bad-report-path': [
    'A report would be written over something else, or where nothing can be written; or copies among the results.',
    'genrun campaign.yaml --junit campaign.yaml',
  ],
  'bad-row': [
    'A row of a table cannot be read, or has another number of cells than there are columns.',
    'fox,Fox "red" one # fox,"Fox ""red"" one"',
  ],
  'bad-run': ['A run id is 1 to 256 printable characters, and not . or ..', "genrun result ' ' -m famc-v3"],
  'bad-run-id': [
    'A run is named by 1 to 256 printable characters without spaces, as the service gave it.',
    "genrun resolve campaign.yaml hero --adopt 'run 1' # run-1",
  ],
  'bad-selector': [
    'Brackets behind a job choose a cell by its keys in the order of the axes, by axis=key, by * or by #take.',
    "${{ jobs.still['fox'].output }} # of two axes",
  ],
  'bad-service': [
    'A job names a service whose address, key or profile in your own settings cannot be used.',
    'services: { studio: { baseUrl: https://host, apiKeyVariable: STUDIO_KEY } } # which is not set',
  ],
  'bad-setting': ['A setting has a value that it cannot have.', 'strict: maybe # true or false'],
  'bad-step': ['The number lies between two steps of the parameter.', 'cfgScale: 0.55'],
  'bad-value': [
    'The value is none of those that can stand here. They are listed, with the nearest.',
    'aspectRatio: 16-9 # 16:9',
  ],
  'bad-yaml': ['YAML cannot read this line, and no more can be said of it.', 'tags: [shop,, web]'],
  'beyond-count': [
    'The job makes fewer files than this number asks for. They are counted from 0.',
    '${{ jobs.hero.outputs[1] }} # of one file',
  ],
  'blank-text': ['A text that the model needs is empty.', "prompt: ''"],
  budget: [
    'A cap of this run does not allow the order. Nothing was sent; raise the cap or run again.',
    'genrun campaign.yaml --max-paid 3 # five jobs',
  ],
  busy: [
    'Another genrun is at work on this manifest. Two would pay for the same jobs.',
    'genrun campaign.yaml & genrun campaign.yaml',
  ],
  'byte-order-mark': [
    'The file begins with a byte-order mark; other tools stumble over it. Save it as UTF-8 without.',
    'a manifest that an editor saved as "UTF-8 with BOM"',
  ],
  'cache-unreachable': [
    'A cache could not be asked what it has: its bucket does not answer, or its folder may not be read, or is not there with --cache-read-only. Nothing is bought then: others may have paid for it already.',
    'genrun campaign.yaml --cache s3://studio-results # without AWS_ACCESS_KEY_ID',
  ],
  'circular-include': ['Files include each other in a circle.', 'include: [itself.yaml]'],
  'circular-needs': [
    'Jobs wait for each other, so that none can begin. The path is shown.',
    'a: { needs: b }\nb: { needs: a }',
  ],
  'circular-vars': [
    'Variables read each other in a circle, or in a chain of more than fifty.',
    'vars: { a: "${{ vars.b }}", b: "${{ vars.a }}" }',
  ],
  closed: [
    'Not sent, because earlier orders of this run showed that it would be in vain. A key or an account that is not taken, or a certificate that is not right, ends the buying at once; so do five paid orders in a row that brought nothing of use (`--max-useless`; one more for each doubling of the files that came), and a service that leaves orders in doubt three times over. Three refusals that look alike end that of one workflow. What was ordered is kept; the next run tries again.',
    'genrun campaign.yaml --max-useless 8',
  ],
  contradiction: [
    'Two parameters say different things, for instance shot durations and the duration of the whole.',
    'duration: 10\nmultiPrompt: [{ index: 1, prompt: Door, duration: 4 }] # 10 together',
  ],
  'cut-text': [
    'YAML cuts this text without a word, mostly because of a # behind a blank. Put the text in quotes.',
    'prompt: Teapot #3',
  ],
  damaged: [
    'The lock, the journal or the disk is damaged. Nothing is bought until that is mended.',
    'campaign.lock.json without its last line',
  ],
  'duplicate-flag': ['A flag that takes one value is given twice.', 'genrun generate -m famc-v3 -d 5 -d 10'],
  'duplicate-id': ['Two jobs, or two models, have one name.', 'jobs: [{ id: a }, { id: a }]'],
  'duplicate-key': [
    'A key is written twice in one mapping, and YAML would keep only one of the values.',
    'prompt: One\nprompt: Two',
  ],
  'empty-axis': [
    'Without values an axis has no cells, and the job would not exist.',
    'matrix: { colour: [] }',
  ],
  'empty-file': ['There is nothing in the file.', '# a file of comments only'],
  failed: ['A job failed; the report says why.', 'genrun campaign.yaml # exit code 1'],
  'file-in-text': [
    'The file of a job cannot stand inside a text. Give it to a parameter that takes files, as its whole value.',
    'prompt: Like ${{ jobs.hero.output }}',
  ],
  'file-in-the-way': [
    'A file that genrun did not make lies where an output would go. It is never overwritten.',
    'out/campaign/hero.png # put there by hand',
  ],
  'fits-no-cell': [
    'A pattern of `exclude` or `override` fits no cell and so does nothing.',
    'matrix: { colour: [red, green] }\nexclude: [{ colour: gren }]',
  ],
  fleet: [
    'There is no fleet here, or the manifest cannot be given to one as it is; or workers of one may be at work on it, or have bought what its lock does not know, and nothing is bought beside them.',
    'genrun run campaign.yaml --fleet # and GENRUN_STORE names no store',
  ],
  'foreign-template': [
    '{{x}} and ${X} are templates of other tools and would be sent as they are. Here it is ${{ vars.x }}.',
    'prompt: A {{ colour }} teapot',
  ],
  gone: [
    'The service does not know the run any more. It may have been billed: --rebuy asks once more and then orders anew.',
    'genrun campaign.yaml --rebuy',
  ],
  'has-a-run': [
    'The job already has a run at the service; taking another for it could pay twice.',
    'genrun adopt campaign.yaml hero r_81 # while r_80 is under way',
  ],
  'hidden-file': [
    'Names that begin with a dot are neither read nor sent: secrets lie there.',
    'startFrame: .private/a.png',
  ],
  'idle-axis': [
    'An axis makes no difference, so its cells would be paid copies. Read it, or write `takes` for several results.',
    'matrix: { mood: [calm, wild] } # and no ${{ matrix.mood }}',
  ],
  'in-doubt': [
    'A paid request was sent, and no answer proves what became of it. It is not sent again until you say so.',
    'genrun status campaign.yaml # tells how to settle it',
  ],
  init: ['A starter manifest cannot be written here.', 'genrun init # campaign.yaml is there already'],
  'input-too-large': [
    'A local file is larger than a request can carry, and there is no place for uploads in the profile.',
    'startFrame: photos/huge.png # 30 MiB, and no `upload` in the profile',
  ],
  internal: [
    'genrun has met a mistake of its own. Nothing was lost; please report it.',
    'genrun campaign.yaml # exit code 70',
  ],
  'key-in-lock': [
    'The lock, which is committed, holds the key of the service: an earlier manifest had it in a prompt.',
    '"prompt": "… s3cr3t-k3y …" # in campaign.lock.json',
  ],
  'key-in-manifest': [
    'A manifest, or a text that it takes in, holds the key of the service. Prompts are sent, kept in the lock and read by others.',
    'prompt: A teapot s3cr3t-k3y # GENRUN_API_KEY=s3cr3t-k3y',
  ],
  'key-in-profile': [
    'The profile holds the API key. It belongs into GENRUN_API_KEY.',
    'headers: { Authorization: Bearer … }',
  ],
  'key-in-project': [
    'A key is never kept in a project, where others read it.',
    'apiKey: … # in genrun.config.yaml',
  ],
  'key-in-settings': [
    'The key itself stands in a file of its own, which the settings name.',
    'apiKey: … # apiKeyFile: key',
  ],
  'large-file': [
    'The file is larger than can be read or sent.',
    'startFrame: photos/huge.png # 61 MiB, 50 are sent',
  ],
  'left-behind': [
    'An earlier job without a manifest was paid for and is not saved yet. Fetch it first.',
    'genrun generate -m famc-v3 -p Tea -o tea.mp4 # killed before; `genrun result`',
  ],
  'left-out': [
    'An option of a line that is imported concerns a run and not a job. Give it to the run of the manifest.',
    'genrun import - # genrun generate -m famc-v3 -p Tea --max-cost 4',
  ],
  'left-verdicts': [
    'A file of verdicts lies there whose manifest and lock are gone, and is about files like those of another manifest, which may have had that name.',
    'genrun plan autumn.yaml # campaign.review.json is still there',
  ],
  'lock-merge': [
    'Two versions of a lock cannot be merged.',
    'genrun lock merge base ours theirs # one of them is no lock',
  ],
  'lock-of-another': [
    'The lock that --continue names belongs to a manifest that is there, or this one has a lock or purchases of its own.',
    'genrun n.yaml --continue m.lock.json # and m.yaml is still there',
  ],
  'lost-records': [
    'Lock and journal are gone, and the output folder knows what was bought. `genrun recover campaign.yaml` takes it up.',
    'rm -r campaign.lock.json .genrun; genrun campaign.yaml',
  ],
  'many-again': [
    'More jobs would be bought again than is usual. Say so on purpose, or look at the plan for a slip.',
    'vars: { style: pencil } # was ink, in 300 finished jobs',
  ],
  'many-jobs': [
    'One run is what one job asked for: it cannot be given to several.',
    'genrun resolve campaign.yaml hero poster --adopt 1f2e # and both are in doubt',
  ],
  'merge-conflict': [
    'Git could not merge two edits and left both in the file. Keep what is meant and remove the marks; locks are merged by `genrun lock merge`.',
    '<<<<<<< HEAD\njobs: { hero: { model: famc-v3, prompt: Tea } }\n=======\njobs: { hero: { model: famc-v3, prompt: Milk } }\n>>>>>>> spring',
  ],
  missing: ['A file that genrun made is gone.', 'genrun verify campaign.yaml # stills/fox.png was deleted'],
  'missing-file': [
    'There is no file at this path. Paths count from the folder of the manifest.',
    'startFrame: photos/gone.png',
  ],
  'missing-id': ['A job in a list is named by `id`.', 'jobs: [{ model: famc-t2a }]'],
  'missing-key': [
    'A declared model or parameter lacks something that it needs.',
    'size: { type: enum } # values',
  ],
  'missing-model': [
    'A job has no model, neither its own nor by `defaults`.',
    'jobs: { a: { prompt: Rain } }',
  ],
  'missing-param': ['The model needs a parameter that nobody gives.', 'model: famc-v3 # prompt'],
  'missing-value': ['A flag has no value behind it.', 'genrun generate -m famc-v3 -p Tea -d'],
  needs: [
    'A job takes the result of another one, and that one did not end well.',
    'clip: { startFrame: ${{ jobs.still.output }} } # and still failed',
  ],
  'no-base-url': [
    'The key is there, and nothing says which service it is for.',
    'GENRUN_API_KEY=… genrun campaign.yaml # GENRUN_BASE_URL',
  ],
  'no-cap': [
    'Where nobody watches, and the checkout may be a stranger’s, somebody has to say how much it may spend.',
    'GENRUN_API_KEY=… CI=true genrun campaign.yaml # --max-paid 20',
  ],
  'no-cell': [
    'A reference is joined on the axes both jobs have, and no cell of the other job has these keys.',
    'startFrame: ${{ jobs.still.output }} # in the cell `blue`, and still has red only',
  ],
  'no-credit': [
    'The account at the service has no credit left (402). Nothing more is ordered in this run.',
    'genrun campaign.yaml # the last order was answered by 402',
  ],
  'no-effect': [
    'You would pay for this and not get it: a parameter that does nothing without another one.',
    'multiPrompt: […] # without multiShot: true',
  ],
  'no-files': ['No file fits the glob.', 'forEach: photos/*.jpg'],
  'no-git': [
    'This is no git repository, so that there is nothing to set up.',
    'genrun lock merge --install # outside of a git repository',
  ],
  'no-jobs': ['A manifest without jobs makes nothing.', 'jobs: {}'],
  'no-key': [
    'A cell is called by the id of its value, or by a column that `key` names, and there is none.',
    'matrix: { product: { rows: products.csv } } # key: sku',
  ],
  'no-listening': [
    'The gateway cannot listen at this address.',
    'GENRUN_API_KEY=… genrun serve --host 203.0.113.7 # an address of another machine',
  ],
  'no-name': [
    'A lock knows a job by the name of its files, and none is given.',
    'genrun generate -m famb-v3 -p Fox --lock art.lock.json # add `-o fox.png`',
  ],
  'no-prices': [
    'A file of prices has no `models`, or a price in it names no amount.',
    'currency: EUR # models: …',
  ],
  'no-service': [
    'No service is named: GENRUN_BASE_URL and GENRUN_API_KEY do that.',
    'CI=true genrun campaign.yaml # --local',
  ],
  'no-such-lock': [
    'The lock that --continue names cannot be read.',
    'genrun n.yaml --continue o.lock.json # m.lock.json',
  ],
  'no-workflow': [
    'A run is asked for under its workflow, and neither the order nor the profile says which one that is.',
    'genrun adopt campaign.yaml hero 1f2e # --workflow <id>',
  ],
  'not-a-catalog': ['The file declares no models.', 'catalog: lines.csv'],
  'not-a-file': ['The path leads to a folder or a device.', 'startFrame: photos'],
  'not-a-job': ['The file or the words describe no job.', 'genrun import notes.txt'],
  'not-a-manifest': ['The file is no mapping with jobs.', '- model: famc-t2a'],
  'not-data': [
    'Of a program only values that are written out can be read.',
    'genrun import job.js # prompt: makePrompt()',
  ],
  'not-made': [
    'A job of the manifest has no result yet.',
    'genrun pick campaign.yaml hero#2 # before it was run',
  ],
  'not-one-file': [
    '`output` and `pick` mean exactly one file, and several are there. Choose one, or take `outputs`.',
    'startFrame: ${{ jobs.still.output }} # of four cells',
  ],
  'not-prices': ['The file of prices does not fit its form.', 'prices: 5 # a mapping from models to amounts'],
  'not-rows': [
    'The file has no rows: csv, tsv, json, jsonl and yaml do, and JSON and YAML hold a list.',
    'forEach: { rows: photo.png }',
  ],
  'not-served': [
    'The service has no workflow of this name (404). A profile can say what it is called there.',
    'jobs: { a: { workflow: no-such-workflow, … } }',
  ],
  'not-settings': ['A file of settings is a mapping from their names to values.', '- output: media'],
  'not-text': ['The file is not UTF-8 text.', 'forEach: lines.csv # saved as UTF-16'],
  'nothing-selected': ['No job fits what was selected.', "genrun plan campaign.yaml 'stil*' # still"],
  'odd-base-url': [
    'The address of the service is allowed and looks unusual.',
    'GENRUN_BASE_URL=https://api.example/v1 # …/gw-v2',
  ],
  'on-hold': [
    'A person picked another take, or withdrew an approval, while the run was at work: what was to be made from it was not sent. Run again. Or the file whose name the result would have was altered by hand: put it back, or move it away.',
    'genrun campaign.yaml',
  ],
  'other-service': [
    'The job was paid for at another service than the one that is named now.',
    'genrun result # with another GENRUN_BASE_URL',
  ],
  'out-of-range': ['The number lies outside the bounds.', 'cfgScale: 2'],
  'outside-project': [
    'A setting of the project names a file outside of it. Anybody who writes to the project could have any file shown.',
    'catalog: /etc/passwd # in genrun.config.yaml',
  ],
  'output-folder': [
    'The output folder, or the folder of the lock, cannot be written.',
    'output: media # a folder without the right to write in it',
  ],
  'outside-file': [
    'Nothing outside the project is read or sent, wherever links lead.',
    'startFrame: ../../secret.png',
  ],
  'outside-lock': [
    'The files of a lock lie in its folder or below, so that both can be moved together.',
    'genrun generate -m famb-v3 -p Fox -o fox.png --lock locks/art.lock.json # `--lock art.lock.json`',
  ],
  'outside-only': [
    'What decides where the key is sent is never taken from a project or a manifest.',
    'baseUrl: https://api.example/gw-v2 # in genrun.config.yaml',
  ],
  overdue: [
    "The run was not finished by the job's deadline. Its id is kept: the next run asks for it again, for nothing.",
    'a: { model: famb-v3, prompt: x, timeout: 1s }',
  ],
  'owed-elsewhere': [
    'The job is paid for, or may be, and only state of another lock or the output folder knows it. Take it up, or buy anew by a word.',
    'genrun campaign.yaml # after git pull: genrun recover campaign.yaml',
  ],
  'port-denied': ['The system does not allow this port.', 'genrun serve --port 80'],
  'port-taken': ['Something else listens at this port.', 'genrun serve --port 8787 # twice'],
  'raw-template': [
    'A text that the manifest takes in, from a file, a table or a variable given from outside, is sent as it is: nothing in it is filled in.',
    "prompt: A teapot, ${{ file('style.md') }} # whose text has a ${{ vars.brand }} in it",
  ],
  'reference-too-long': [
    'A reference video lasts longer than the model takes with this orientation.',
    'characterOrientation: image # 10 s',
  ],
  refused: ['The manifest, the settings or a safety rule forbids it.', 'genrun campaign.yaml # exit code 2'],
  'rejected-content': [
    'The service will not make this. Change the prompt or the inputs; the same again would be rejected again.',
    'prompt: … # what the rules of the service do not allow',
  ],
  remote: [
    'The run failed at the service, which may have billed it. It is not ordered again by itself.',
    'genrun status campaign.yaml # --failed asks once more before it orders',
  ],
  'renamed-manifest': [
    'A lock beside the manifest knows the same jobs under another name: one that is gone, or that of another manifest. --continue goes on with the first.',
    'mv m.yaml n.yaml; genrun n.yaml # --continue m.lock.json',
  ],
  'run-taken': [
    'One run is the result of one job, and another job has this one already.',
    'genrun resolve campaign.yaml hero --adopt run-1 # which is the run of clip',
  ],
  'same-key': ['Two values of an axis would give their cells one name.', 'matrix: { colour: [red, Red] }'],
  'same-output': [
    'Two files would have one name, exactly or on disks that ignore case and accents.',
    'a: { output: hero }\nb: { output: Hero }',
  ],
  'same-recipe': [
    'Two jobs order exactly the same, and both are paid. `takes: 2` says that on purpose.',
    'a: { prompt: Tea }\nb: { prompt: Tea }',
  ],
  'second-document': [
    'A manifest is one document; what is behind `---` would be left out.',
    'jobs: {}\n---\njobs: {}',
  ],
  'settings-not-read': [
    'Settings that do not count: in a program, as nothing in a checkout is run; of another user; beside others in one folder.',
    'genrun.config.js # not genrun.config.yaml',
  ],
  'short-delivery': [
    'Fewer files were delivered than were ordered. Those that came are kept; --failed orders the rest, accept takes it as it is.',
    'hero: { model: fama-imagine-image, count: 4, … } # and three came',
  ],
  stale: [
    'What the manifest asks for is not what is there: it changed since, was never made, is not finished, or is in doubt.',
    'genrun verify campaign.yaml # a prompt was changed since the run',
  ],
  'stale-plan': [
    'The manifest, its inputs or the prices changed since the plan was saved. Plan again.',
    'genrun apply saved.plan # a prompt was changed since',
  ],
  stopped: [
    'The run was stopped before this was done. Run again to go on; what is paid for is not paid again.',
    'genrun campaign.yaml # Ctrl-C',
  ],
  'stray-word': [
    'A word on the command line belongs to nothing.',
    "genrun generate -m famc-v3 -p A teapot # 'A teapot'",
  ],
  'too-deep': ['The text is nested deeper than 64 levels.', 'a: [[[[[…]]]]] # 65 brackets'],
  'too-large': ['The text is larger than can be read.', 'a manifest of 65 MiB'],
  'too-long': [
    'The text has more characters than the model takes.',
    'prompt: … # 2,501 characters for a model that takes 2,500',
  ],
  'too-many': [
    'There are more files or items than the parameter takes, or more keys than any job has.',
    'imageUrls: [a.png, b.png] # of one',
  ],
  'too-many-errors': [
    'A check ends after 5,000 errors. What is wrong behind them is told when they are mended.',
    'a manifest of 10,000 jobs, each with a parameter that its model does not have',
  ],
  'too-many-jobs': [
    'A manifest comes to 100,000 jobs at most. Split it.',
    'matrix: { a: […], b: […] } # 400 × 400 cells',
  ],
  'too-many-needs': [
    'Every cell of a job needs every cell of another, and together that is more than a million. Give both an axis in common.',
    'needs: still # 10,000 cells in a job of 10,000 cells',
  ],
  'two-keys': [
    'GENRUN_API_KEY and GENRUN_API_KEY_FILE are both set.',
    'GENRUN_API_KEY=… GENRUN_API_KEY_FILE=key genrun campaign.yaml',
  ],
  'typographic-quotes': [
    'Word processors turn quotes into typographic ones. To YAML they are letters, and are sent with the text.',
    'prompt: “A teapot on wet slate”',
  ],
  unauthorized: [
    'The service does not accept the key (401 or 403). Nothing more is ordered in this run.',
    'GENRUN_API_KEY=mistyped genrun campaign.yaml',
  ],
  'unchecked-certificates': [
    'The certificates of the service are not checked, so that anybody could read the key.',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 genrun campaign.yaml',
  ],
  unconfirmed: [
    'What was found is taken up only when somebody says so: on a terminal it is asked, elsewhere --yes says it.',
    'genrun recover campaign.yaml # --yes',
  ],
  undelivered: [
    'The result is made and could not be downloaded. The next run fetches it, for nothing.',
    'genrun campaign.yaml # the host of the results was down',
  ],
  unindexed: [
    'The index in the output folder could not be written. It is only read when lock and journal are lost.',
    'genrun campaign.yaml # on a disk that is nearly full',
  ],
  'unknown-anchor': ['An alias names an anchor that is not above it.', 'style: *soft'],
  'unknown-axis': [
    'The job has no axis of that name, or the axis no such value.',
    'matrix: { colour: [red, green] }\nexclude: [{ color: red }] # colour',
  ],
  'unknown-cost': [
    'What a job costs is not known, so that a cap cannot hold. It is never counted as nothing.',
    'genrun campaign.yaml --max-cost 20 # no price for one of its models',
  ],
  'unknown-default': ['No model has a parameter of that name.', 'defaults: { aspectratio: 1:1 }'],
  'unknown-family': ['No model is of this family.', 'limits: { families: { famd: { submit: 2 } } }'],
  'unknown-flag': ['There is no such flag.', 'genrun generate -m famc-v3 --durations 5 # --duration'],
  'unknown-job': ['There is no job, cell or take of that name.', 'startFrame: ${{ jobs.heroo.output }}'],
  'unknown-key': ['The key is none of ours. Keys of your own begin with x-.', 'depends_on: hero # needs'],
  'unknown-lint': [
    '`lint` names the code of a warning, the word in the brackets behind it.',
    'lint: no-efect # no-effect',
  ],
  'unknown-member': [
    'An item of the list has a member that the model does not take.',
    'multiPrompt: [{ text: … }] # prompt',
  ],
  'unknown-model': ['There is no such model; `genrun models` lists them.', 'model: famc-v33'],
  'unknown-name': ['A name inside an expression is not known.', '${{ vars.brnad }}'],
  'unknown-param': [
    'The model has no such parameter; parameters are written in camelCase.',
    'aspect_ratio: 1:1 # aspectRatio',
  ],
  'unknown-run': ['Nothing is known here of a run with this id.', 'genrun result r_99'],
  'unknown-service': [
    'A job names a service that your own settings do not declare. A project never says where a service is.',
    'service: studio # services: { studio: { baseUrl: …, apiKeyFile: … } } in your own settings',
  ],
  'unknown-value': [
    'A profile says how a value is sent that no model takes, so that its rule is never of use.',
    "values: { aspectRatio: { '16-9': 16x9 } } # '16:9'",
  ],
  'unlike-asked': [
    'What came has another size, length or sound than was asked, or was looked at (`--gate`) and seems broken: of one color, black, frozen, silent, twice. It is kept; `--verify` and `--gate` say whether that counts.',
    'genrun campaign.yaml --verify fail',
  ],
  unmeasured: [
    'A reference video says nowhere how long it lasts, and the model takes only so many seconds.',
    'videoUrl: recorded.webm',
  ],
  'unmerged-shards': [
    'Shards of the manifest have bought things that its own lock does not know. `genrun merge campaign.yaml` makes their locks and states one with it, and buys nothing; before that nothing is planned for the whole, so that nothing is bought twice.',
    'genrun campaign.yaml # after `genrun run campaign.yaml --shard 3/16`',
  ],
  unreachable: [
    'Nobody answers at the address, or who answers cannot prove to be the service. Nothing was sent.',
    'GENRUN_BASE_URL=https://no-such-host.invalid/gw-v2 genrun campaign.yaml',
  ],
  unreadable: [
    'What an earlier job left cannot be read, so that nobody can tell what it owes.',
    'genrun result # a journal in .genrun was damaged',
  ],
  'unreadable-catalog': [
    'The file that declares models cannot be read.',
    'genrun models --catalog gone.yaml',
  ],
  'unreadable-file': [
    'The file cannot be read; look at its permissions.',
    'startFrame: photos/tea.png # chmod 000',
  ],
  'unreadable-input': [
    'A local input cannot be read.',
    'genrun campaign.yaml # photos/tea.png was deleted in the middle of the run',
  ],
  'unreadable-manifest': [
    'The manifest cannot be read, is no regular file or no UTF-8.',
    'genrun photos # a folder',
  ],
  'unreadable-prices': ['The file of prices cannot be read.', 'genrun plan campaign.yaml --prices gone.yaml'],
  'unreadable-profile': ['The profile cannot be read.', 'genrun campaign.yaml --profile gone.yaml'],
  'unreadable-settings': [
    'Settings stand there, or may, and cannot be read. Nothing is done without them, as a cap may stand in them.',
    'genrun.config.yaml # chmod 000, or a link that leads nowhere',
  ],
  'unreadable-verdicts': [
    'The file of verdicts is not there, or is none. The page of a report saves one.',
    'genrun review campaign.yaml --take gone.json',
  ],
  unsaved: [
    'What happened could not be written down. Nothing more was bought; what was accepted is told.',
    'genrun campaign.yaml # onto a full disk',
  ],
  'unsaved-plan': ['The plan cannot be written.', 'genrun plan campaign.yaml -o /no/such/folder/saved.plan'],
  'unsaved-report': [
    'The report, or the result on stdout, cannot be written.',
    'genrun report campaign.yaml # onto a full disk',
  ],
  unshared: [
    'Results could not be put where others find them. They are here, and the next run with that place puts them there.',
    'genrun campaign.yaml --cache s3://studio-results # the store is down',
  ],
  untracked: [
    'A file lies in the output folder that genrun did not make.',
    'genrun verify campaign.yaml # out/campaign/notes.png',
  ],
  'untrusted-gates': [
    'Gates are programs that are started, and addresses that files are sent to. Those that a project names are asked when you have read them.',
    'genrun campaign.yaml # with `gates: { brand: ./check }` in genrun.config.yaml; --trust',
  ],
  'untrusted-prices': [
    'Prices that lie in a stranger’s checkout count for nothing: they would make a cap on the cost mean what their author likes.',
    'genrun campaign.yaml --untrusted --max-cost 5 --prices prices.yaml # GENRUN_TRUST',
  ],
  'untrusted-profile': [
    'A profile says what is ordered, and which answers cost nothing. One that only the project names is followed when you have read it.',
    'genrun campaign.yaml # with `profile: service.yaml` in genrun.config.yaml; --trust',
  ],
  'unused-anchor': ['Nothing names this anchor, so that it was probably meant as text.', 'prompt: &tea'],
  'unused-default': [
    'No job has a model that takes this parameter.',
    'defaults: { voiceId: ara } # and no speech',
  ],
  'unused-var': ['Nothing reads the variable.', 'vars: { brand: Aster }'],
  'upload-origin': [
    'The key may not go to the address for uploads.',
    'upload: { url: https://files.example } # GENRUN_UPLOAD_ORIGINS',
  ],
  usage: [
    'The command line cannot be read; `genrun --help` shows how it is written.',
    'genrun plan --jsno campaign.yaml # --json',
  ],
  'wrong-media': [
    'The file is of another kind than the parameter takes.',
    'startFrame: ${{ jobs.voice.output }}',
  ],
  'wrong-type': ['The value is of another kind: text, a number, a list, a mapping.', 'duration: "5" # 5'],
  'yaml-bracket': [
    'A bracket is opened and never closed. Text that begins with one needs quotes.',
    'prompt: [soft light',
  ],
  'yaml-colon': [
    'A colon is missing, has no blank behind it, or stands in a text without quotes.',
    'prompt: Tea: the movie',
  ],
  'yaml-comma': ['A comma is missing between two items in brackets.', 'tags: ["shop" "web"]'],
  'yaml-escape': [
    'Inside double quotes a backslash begins an escape. Use single quotes or forward slashes.',
    'path: "C:\\photos"',
  ],
  'yaml-indent': [
    'The line does not line up with the ones it belongs to.',
    'hero:\n   model: famc-v3\n  prompt: Tea # one blank further in',
  ],
  'yaml-list': [
    'A list with dashes does not begin on the line of its key, and does not stand inside brackets.',
    'tags: - shop',
  ],
  'yaml-quote': ['A quote is never closed, or something stands behind it.', "prompt: 'It's tea' # ''"],
  'yaml-start': ['YAML does not let a text begin with this character. Put it in quotes.', 'prompt: @home'],
  'yaml-tab': ['YAML takes spaces for indentation, no tabs.', 'hero:\n	model: famc-v3'],
  'yaml-tag': ['A word that begins with ! is a tag of YAML. Text needs quotes.', 'prompt: !wow'],
  'yaml-version': ['Only YAML 1.2 is read: in 1.1 the text 16:9 is the number 969.', '%YAML 1.1'],
  'yes-no': [
    'The parameter takes the words yes and no, and a boolean is read as one of them.',
    'keepOriginalSound: true # yes',
  ],
}
