import { type TopicName, topicNames } from './topic-names.ts'

/** A page of the manual in short, for a terminal. */
interface Topic {
  readonly name: TopicName
  readonly title: string
  /** Lines of at most 80 columns; those that are typed begin with two spaces and `genrun`. */
  readonly text: string
  /** The page itself, below the package's folder. */
  readonly page: string
}

const pages: { readonly [name in TopicName]: Omit<Topic, 'name'> } = {
  start: {
    title: 'from nothing to a first campaign',
    page: 'docs/start.md',
    text: `  genrun init                     writes campaign.yaml
  genrun validate campaign.yaml   what is wrong with it, if anything
  genrun campaign.yaml --local    rehearses it: placeholders, nothing is paid
  genrun plan campaign.yaml       what would be bought, why, and at what cost
  genrun campaign.yaml            makes it

A service is an address and a key: GENRUN_BASE_URL, and GENRUN_API_KEY or
GENRUN_API_KEY_FILE. Without one every run is a rehearsal. Commit
campaign.lock.json; never commit .genrun.`,
  },
  jobs: {
    title: 'what a manifest says',
    page: 'docs/guide/jobs.md',
    text: `A manifest names jobs; a job names a model and its parameters:

  jobs:
    hero:
      model: fama-imagine-image
      prompt: A teapot on wet slate
    clip:
      model: famc-v3-turbo
      prompt: Slow push-in
      startFrame: \${{ jobs.hero.output }}

Beside parameters a job has keys of its own: needs, takes, matrix, forEach, if,
override, output, tags, timeout, retries, mode, workflow, service, require,
gate, shortDelivery, description, lint.

  genrun models                   the models
  genrun models info famc-v3      what one takes
  genrun plan campaign.yaml hero  some jobs only: ids, addresses, globs`,
  },
  matrix: {
    title: 'many jobs from one text: matrix, forEach, if, override',
    page: 'docs/guide/matrix.md',
    text: `  matrix:
    animal: [fox, hare]
    product: { rows: products.csv, key: sku }
    photo: { files: photos/*.jpg }
    exclude: [{ animal: hare }]

One job a combination: still[fox,…]. \`forEach: lines.csv\` is short for one axis
named item. \`if\` leaves cells out, \`override\` gives some of them other values.
A cell is selected by its address, a glob or its axes: 'still[*,1x1]'.`,
  },
  references: {
    title: 'a file of one job as the input of another',
    page: 'docs/guide/references.md',
    text: `  \${{ jobs.hero.output }}             one file: the same cell, the picked take
  \${{ jobs.still.outputs }}           all files, in the order of the matrix
  \${{ jobs.still['fox,1x1'].output }} one cell
  \${{ jobs.hero.pick }}               waits until a person has picked

On axes that both jobs have, cells with equal keys belong together.`,
  },
  takes: {
    title: 'several results, and choosing one',
    page: 'docs/guide/takes.md',
    text: `\`takes: 3\` at a job makes three independent results.

  genrun pick campaign.yaml 'hero#2'  the second is the result now
  genrun redo campaign.yaml hero      one more, paid for, and picked
  genrun accept campaign.yaml hero    right as it is, though its recipe changed`,
  },
  verdicts: {
    title: 'looking at results, and deciding',
    page: 'docs/review.md',
    text: `  genrun review campaign.yaml                a page to judge on
  genrun report campaign.yaml                one page with all results
  genrun report campaign.yaml --sheet s.png  one picture of all results

Keys of the page: arrows, space to look, p pick, x reject, u undecided, 1 to 5,
c compare, r order what is rejected anew (shows the amount first), ? for all.
Verdicts stand in campaign.review.json beside the lock: commit it.`,
  },
  expressions: {
    title: 'what stands between ${{ and }}',
    page: 'docs/guide/expressions.md',
    text: `Names: vars, matrix, item, job (id, key), jobs; n and take in \`output\` only.
Operators: == != < <= > >= && || !
Functions: file('style.md'), slug('16:9'), upper('a'), lower('A'), pad(7, 3),
join(vars.colours, ', '), format('{0} of {1}', 1, 3)

Text stands in single quotes. What comes out is never read as a template again.`,
  },
  sharing: {
    title: 'words and values for many jobs: vars, defaults, include',
    page: 'docs/guide/sharing.md',
    text: `  include: [shared/style.yaml]
  vars:
    brand: Aster
    look: \${{ vars.brand }} catalogue photograph
  defaults:
    aspectRatio: '16:9'
    models:
      famc-*: { duration: 5 }

What stands closer wins: flat defaults, a pattern, a model's id, the job's own,
\`override\`. Of included files this one wins; a job's id stands in one file.

  genrun plan campaign.yaml --var brand=Lily   another value, for one call
  genrun why campaign.yaml hero                where each value comes from`,
  },
  files: {
    title: 'files and tables that go in',
    page: 'docs/guide/files.md',
    text: `  imageUrls: [photos/cup.jpg, https://pictures.example/teapot.png]
  prompt: A cup. \${{ file('style.md') }}
  forEach: lines.csv

A path is beside the manifest; what counts is the file's content, and a link's
text. A table (csv, tsv, json, jsonl, yaml) has a column \`id\`, or names another
one as \`key\`. What is wrong with a cell points into the table.`,
  },
  names: {
    title: 'how the files are called that come out',
    page: 'docs/guide/names.md',
    text: `A job's file is called by its id, a cell's by its id and keys. Otherwise:

  output: stills/\${{ slug(matrix.animal) }}_\${{ pad(n, 2) }}

\`n\` counts the files of a job, \`take\` its takes. A new name renames what is
there and buys nothing.`,
  },
  prices: {
    title: 'prices, caps and limits',
    page: 'docs/guide/prices.md',
    text: `  currency: USD
  models:
    fama-imagine-image: { perImage: 0.02 }
    famc-v3:
      - { when: { renderingSpeed: pro }, perSecond: 0.2 }
      - { perSecond: 0.12 }
  workflows:
    hero-flow: { perRun: 0.4 }

Amounts: perRun, perImage, perSecond, perCharacter. The first line that fits
counts. What has no price is unknown, never 0.

  genrun plan campaign.yaml --prices prices.yaml
  genrun campaign.yaml --max-paid 10 --max-cost 40 --prices prices.yaml

A cap is reserved before each paid request and never overshot.`,
  },
  'own-models': {
    title: 'models of your own',
    page: 'docs/guide/models.md',
    text: `  models:
    acme-paint:
      inputType: t2i
      params:
        prompt: { type: text, required: true, maxLength: 500 }
        steps: { type: integer, minimum: 1, maximum: 50, default: 20 }
        aspectRatio: { type: enum, values: ['1:1', '16:9'], default: '1:1' }

Types: text, enum, boolean, integer, number, file, object[].

  genrun models info acme-paint --catalog acme.models.yaml

In a manifest: \`catalog: acme.models.yaml\`.`,
  },
  services: {
    title: 'another service, and several of them',
    page: 'docs/services.md',
    text: `A catalog says which models it has, a profile how it speaks: addresses, key,
body, and where in an answer id, state and files stand.

  genrun catalog import openapi.json -o acme.catalog.yaml
  genrun profile check acme.profile.yaml --catalog acme.catalog.yaml
  genrun convert campaign.yaml hero --to curl --profile acme.profile.yaml
  genrun campaign.yaml --profile acme.profile.yaml --max-paid 1
  genrun schema profile

Several in one manifest: \`services\` of your own settings name them; \`service:\`
of a job, of defaults or of a model in its catalog says which.`,
  },
  rehearsal: {
    title: 'the whole batch, offline and free',
    page: 'docs/guide/rehearsal.md',
    text: `  genrun campaign.yaml --local

Placeholders of the right size and length, in out/campaign.preview, with a lock
and a memory of their own. Without a service a run is a rehearsal by itself; in
CI it has to be asked for.`,
  },
  money: {
    title: 'what is never paid for twice, and why',
    page: 'docs/money/never-twice.md',
    text: `Every order is on the disk before its first byte leaves. What is accepted is
fetched for nothing, however often genrun is killed. What may have been billed
is never ordered again by itself.

  genrun campaign.yaml --failed   asks the old run, then orders again
  genrun campaign.yaml --rebuy    buys again what is gone for good
  genrun status campaign.yaml     what is open, held or in doubt

Ctrl-C: nothing more is bought; answers under way get 4 seconds, and an order
that has none by then is in doubt. Names, places and comments never buy.`,
  },
  doubt: {
    title: 'a paid request without an answer',
    page: 'docs/money/recovery.md',
    text: `  genrun status campaign.yaml                        which, since when
  genrun journal campaign.yaml                       and under which key
  genrun resolve campaign.yaml hero --adopt r_81     the service has it
  genrun resolve campaign.yaml hero --resubmit       it never came: order again
  genrun campaign.yaml --failed --resubmit           all of it, and what failed
  genrun resolve campaign.yaml hero --abandon        let it be`,
  },
  'exit-codes': {
    title: 'what a script hears',
    page: 'docs/money/exit-codes.md',
    text: `0 all well · 1 a job failed · 2 refused: the manifest, the settings or the key
3 in doubt: a person · 4 not finished or held: run again, or pick
5 another genrun is at work · 6 the budget, or the service failed too often
7 disk or state · 8 verify · 130, 143 stopped · 70 a bug

  genrun explain 4`,
  },
  ci: {
    title: 'unattended',
    page: 'docs/ci.md',
    text: `  genrun validate 'campaigns/*.yaml' --strict   needs nothing
  genrun plan campaign.yaml --summary           the bill, for a pull request
  genrun verify campaign.yaml                   exit 8 if lock and files differ
  genrun campaign.yaml --max-paid 50            with the key, and with a cap

With CI set nothing is rehearsed unasked, a run with a key needs a cap, and the
checkout of a pull request counts as a stranger's.`,
  },
}

/** In the order in which somebody needs them. */
export const topics: readonly Topic[] = topicNames.map(name => ({ name, ...pages[name] }))

export function topicText({ name, title, text, page }: Topic): string {
  return `${name}: ${title}\n\n${text}\n\nThe whole page: ${page}`
}
