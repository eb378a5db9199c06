import { basename, resolve } from 'node:path'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { equipment } from '../../gateway/render/equipment.ts'
import { type GatePolicy, lookMeanings, meaningOf } from '../../looks/names.ts'
import { whyNoWords, wordsHint } from '../../looks/words.ts'
import { checkDisk, checkLock } from '../../verbs/disk-check.ts'
import { absolute, layoutOf } from '../../workspace/layout.ts'
import { checkFile } from '../../workspace/read/check.ts'
import { leadsAway } from '../../workspace/read/guarded.ts'
import { ownModels } from '../../workspace/read/model-set.ts'
import { bad, type Finding, good, odd } from '../doctor/finding.ts'
import {
  diskFindings,
  equipmentFindings,
  localeFinding,
  lookFindings,
  nodeFinding,
  terminalFinding,
} from '../doctor/machine.ts'
import { catalogFindings, namedFindings, serviceFindings, settingsFindings } from '../doctor/service.ts'
import type { Given } from '../flags/given.ts'
import { fitted, type Out } from '../io/out.ts'
import type { Sink, Surroundings } from '../io/surroundings.ts'
import { version } from '../io/version.ts'
import { namedServices } from '../service/named.ts'
import { secretsOf } from '../service/service.ts'
import { keysIn, serviceFor } from '../service/service-for.ts'
import { withServiceSettings } from '../settings/fill.ts'
import { openSettings, type Settings } from '../settings/settle.ts'
import { settingsStart } from '../settings/start.ts'

interface DoctorArgs extends Given<'offline' | 'profile' | 'ca' | 'json'> {
  readonly manifest: string | undefined
}

/** `genrun doctor`: looks at everything that a run stands on. One harmless question goes to the service, nothing else. */
export async function doctor(args: DoctorArgs, around: Surroundings, out: Out): Promise<number> {
  const settings = await openSettings(around.cwd, around.env, await settingsStart(args, around.cwd))
  const { services } = settings
  const set = { ...around, env: withServiceSettings(around.env, settings), services }
  const given = settings.given('profile')
  const profile = args.profile ?? (typeof given === 'string' ? given : undefined)
  const choice = serviceFor({ local: false, ca: args.ca }, set)
  if (choice.use === 'service') for (const secret of secretsOf(choice)) out.hide(secret)
  for (const key of keysIn(set)) out.hide(key)
  const catalog = settings.given('catalog')
  const checked = ownModels(Array.isArray(catalog) ? catalog : [], around.cwd)
  const own = checked.value ?? []
  const findings: Finding[] = [
    good('genrun', `genrun ${version()}`),
    nodeFinding(process.versions.node),
    ...settingsFindings(settings),
    ...catalogFindings(checked),
    ...(await serviceFindings(choice, { ...args, profile }, { cwd: around.cwd, own })),
    ...(await namedFindings(namedServices(set), args, { cwd: around.cwd, own })),
    ...(await manifestFindings(args.manifest, around, settings)),
    localeFinding(around.env),
    terminalFinding(around.stderr, around.env),
    ...equipmentFindings(await equipment(around.env.PATH), around.env.PATH),
  ]
  const isBad = findings.some(each => each.is === 'bad')
  if (args.json) out.json({ ok: !isBad, exit: isBad ? exit.refused : exit.ok, findings })
  else tell(findings, around.stdout, out)
  return isBad ? exit.refused : exit.ok
}

/** The folders of a manifest, or the one that the user is in, and whether what caps the cost can count. */
async function manifestFindings(
  manifest: string | undefined,
  { cwd, env: { PATH: path } }: Pick<Surroundings, 'cwd' | 'env'>,
  { given, gates, theirGates }: Settings,
): Promise<Finding[]> {
  const isPriced = given('prices') !== undefined
  if (manifest === undefined)
    return [
      ...capFindings(given('limits.maxCost') !== undefined, isPriced),
      ...diskFindings(await checkDisk(cwd), 'this folder'),
    ]
  const [outputs, catalog] = [given('output'), given('catalog')]
  const named = [...gates, ...(theirGates?.gates ?? [])]
  const checked = checkFile(manifest, cwd, {
    gates: named,
    ...(Array.isArray(catalog) && { catalog }),
  })
  if (!checked.manifest || !checked.place)
    return [bad('manifest', `${manifest} has problems`, `\`genrun validate ${manifest}\` shows them`)]
  const output = absolute({ cwd, ...(typeof outputs === 'string' && { outputs }) }, checked.manifest)
  const layout = layoutOf(checked.place, checked.manifest, output, false)
  return [
    good('manifest', `${manifest}: ${counted(checked.jobs, 'job')}`),
    ...capFindings(given('limits.maxCost') !== undefined || capsCost(checked.manifest.limits), isPriced),
    ...wordFindings(checked.manifest.jobs),
    ...lookFindings(
      checked.manifest.jobs,
      lookMeanings.find(each => each === given('gate')),
      path,
    ),
    ...lockFindings(layout.lock, basename(checked.place.manifest)),
    ...(await folderFindings(resolve(layout.state), 'the state', cwd)),
    ...(await folderFindings(layout.output, 'the output', cwd)),
  ]
}

/** Only what is in the way of a run: what is in a lock `status` tells. */
function lockFindings(path: string, manifest: string): Finding[] {
  const wrong = checkLock(path, manifest)
  return wrong ? [bad('lock', wrong.message, wrong.remedy)] : []
}

/** A folder that a checkout leads elsewhere by a link is refused by every run, and not tried out. */
async function folderFindings(folder: string, name: string, cwd: string): Promise<Finding[]> {
  if (!leadsAway(folder, cwd)) return diskFindings(await checkDisk(folder), name)
  return [bad('disk', `${name} ${folder} leads out of the project by a link`, 'remove the link')]
}

function capsCost({ maxCost, tags }: { readonly maxCost?: number; readonly tags?: object }): boolean {
  return maxCost !== undefined || Object.keys(tags ?? {}).length > 0
}

/** What is not known could be anything: under a cap of the cost nothing is ordered without prices. */
function capFindings(isCapped: boolean, isPriced: boolean): Finding[] {
  if (!isCapped || isPriced) return []
  const hint = 'name a file of prices (the setting `prices`, or --prices), or limit the paid requests instead'
  return [bad('prices', 'the cost is limited and no prices are named: a run orders nothing', hint)]
}

/** What reads words on pictures is nobody's business whose jobs do not ask for it. */
function wordFindings(jobs: readonly { readonly gate?: GatePolicy }[]): Finding[] {
  if (!jobs.some(({ gate }) => meaningOf('words', gate, undefined) !== 'off')) return []
  const lack = whyNoWords()
  if (lack === undefined) return [good('words', 'tesseract.js, as a package')]
  return [odd('words', `no words are looked for: ${lack}`, wordsHint)]
}

function tell(findings: readonly Finding[], stdout: Sink, out: Out): void {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const { good: green, warning, error, dim } = out.resultPaint
  const marks = { good: green('✓'), odd: warning('!'), bad: error('✗') }
  const lines = findings.flatMap(({ check, is, says, hint }) => [
    `${marks[is]} ${check.padEnd(width)}  ${display(says)}`,
    ...(hint === undefined ? [] : [`  ${' '.repeat(width)}  ${dim(`→ ${display(hint)}`)}`]),
  ])
  out.result(fitted(lines.join('\n'), stdout))
  const count = (is: Finding['is']) => findings.filter(each => each.is === is).length
  const [wrong, strange] = [count('bad'), count('odd')]
  if (wrong > 0) out.talk(`${counted(wrong, 'thing')} in the way of a run`)
  else out.talk(strange > 0 ? 'a run can begin; what is marked ! could be better' : 'all is well')
}
