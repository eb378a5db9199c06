import { bytesText, counted } from '../../base/measure.ts'
import { outputKind } from '../../catalog/index.ts'
import type { Model } from '../../catalog/model.ts'
import { programAt } from '../../disk/program.ts'
import type { Equipment } from '../../gateway/render/equipment.ts'
import {
  type GatePolicy,
  type LookMeaning,
  type LookName,
  looksByProgram,
  meaningOf,
} from '../../looks/names.ts'
import type { DiskSeen } from '../../verbs/disk-check.ts'
import { wantsColour } from '../io/colour.ts'
import { type Env, type Sink, variable } from '../io/surroundings.ts'
import { bad, type Finding, good, odd } from './finding.ts'

const least = [20, 19] as const

/** `20.19.4` and newer. */
export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major > least[0] || (major === least[0] && minor >= least[1])
  if (isNew) return good('node', `Node ${version}`)
  return bad('node', `Node ${version} is too old`, `install Node ${least.join('.')} or newer`)
}

const littleSpace = 1e9

/** What a folder can do. `name` is what it is for. */
export function diskFindings(seen: DiskSeen, name: string): Finding[] {
  const at = `${name} ${seen.folder}`
  if (seen.unwritable !== undefined)
    return [
      bad(
        'disk',
        `${at} cannot be written: ${seen.unwritable}`,
        'give yourself the right, or work in a folder of yours',
      ),
    ]
  const found: Finding[] = []
  const hint = 'work on a local disk: here a crash could cost a paid result'
  if (seen.unsaved !== undefined)
    found.push(
      bad('disk-save', `${at} takes no results: ${seen.unsaved}`, 'nothing is ordered while this is so'),
    )
  if (seen.sync?.tasks === false) found.push(bad('disk-sync', `${at} cannot make files durable`, hint))
  else if ((seen.sync?.ms ?? 0) > slowSyncMs)
    found.push(
      odd(
        'disk-sync',
        `${at} takes ${Math.round(seen.sync?.ms ?? 0)} ms to make a file durable`,
        'paid requests wait for this; a local disk is quicker',
      ),
    )
  if (seen.rename === false) found.push(bad('disk-rename', `${at} cannot replace a file in one step`, hint))
  if (seen.link === false)
    found.push(
      bad(
        'disk-link',
        `${at} has no hard links, which keep two genruns apart`,
        'put manifest and output on a disk that has them (not FAT, not some network shares)',
      ),
    )
  const free = seen.freeBytes
  if (free !== undefined && free < littleSpace)
    found.push(
      odd(
        'disk-space',
        `${at} has ${bytesText(free)} free`,
        'make room before you buy: results must be put somewhere',
      ),
    )
  if (found.length > 0) return found
  const cases = seen.isCaseSensitive === false ? ', A and a are one name' : ''
  return [
    good(
      'disk',
      `${at}: durable, links, ${free === undefined ? 'space unknown' : `${bytesText(free)} free`}${cases}`,
    ),
  ]
}

const slowSyncMs = 200

/** UTF-8 or not: names of files and what a terminal shows depend on it. */
export function localeFinding(env: Env, platform: NodeJS.Platform = process.platform): Finding {
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG'].map(name => variable(env, name)).find(value => value)
  if (platform === 'win32' || /utf-?8/i.test(locale ?? '')) return good('locale', locale ?? 'UTF-8')
  return odd(
    'locale',
    `the locale is ${locale ?? 'not set'}, which is not UTF-8`,
    'export LANG=C.UTF-8, or signs in names look wrong',
  )
}

/** The terminal that talk goes to. */
export function terminalFinding(stderr: Sink, env: Env): Finding {
  if (!stderr.isTerminal) return good('terminal', 'none: a run tells its progress line by line')
  const colours = wantsColour(stderr, env, false) ? 'colours' : 'no colours'
  const { columns = 0 } = stderr
  if (env.TERM === 'dumb')
    return odd('terminal', 'TERM is dumb: progress is told line by line', 'set TERM for a live view')
  if (columns < 40)
    return odd('terminal', `${columns} columns are few`, 'a live view needs 40 to be readable')
  return good('terminal', `${columns} columns, ${colours}`)
}

const byProgram = 'clips, and sounds other than WAV,'

interface Gated {
  readonly model: Model
  readonly gate?: GatePolicy
}

/** Whoever asks for looks that nothing here can take learns that before anything is paid for. */
export function lookFindings(
  jobs: readonly Gated[],
  usual: LookMeaning | undefined,
  path: string | undefined,
): Finding[] {
  if (programAt('ffmpeg', path) !== undefined) return []
  const asked = jobs
    .map(({ model, gate }) => looksBlindOf(model).filter(look => meaningOf(look, gate, usual) !== 'off'))
    .filter(looks => looks.length > 0)
  if (asked.length === 0) return []
  const looks = [...new Set(asked.flat())].join(', ')
  return [
    odd(
      'looks',
      `${byProgram} need the program ffmpeg, which is not here: of ${counted(asked.length, 'job')} they are not looked at (${looks})`,
      'install ffmpeg, so that it is on your PATH',
    ),
  ]
}

function looksBlindOf(model: Model): readonly LookName[] {
  const kind = outputKind(model)
  if (kind !== 'video' && kind !== 'audio') return []
  // The pace is that of speech.
  return looksByProgram[kind].filter(look => look !== 'pace' || model.inputType === 'tts')
}

/** What a rehearsal draws and speaks with, and what else may be at hand. */
export function equipmentFindings(found: Equipment, path: string | undefined): Finding[] {
  const again = 'install genrun again, with its optional packages'
  const speech =
    found.speech === undefined
      ? odd(
          'speech',
          'nothing speaks: rehearsed speech is tones',
          'npm install @echogarden/espeak-ng-emscripten, or the program espeak-ng',
        )
      : good('speech', found.speech === 'package' ? 'eSpeak NG, as a package' : 'eSpeak NG, as a program')
  return [
    found.pictures === undefined
      ? good('pictures', 'placeholders can be drawn')
      : odd(
          'pictures',
          `placeholders cannot be drawn: ${found.pictures}`,
          `${again}; only rehearsals need them`,
        ),
    found.fonts === undefined
      ? good('fonts', 'Inter, its own')
      : odd('fonts', found.fonts, `${again}; only rehearsals need it`),
    speech,
    programAt('ffmpeg', path) === undefined
      ? good(
          'ffmpeg',
          `not here: ${byProgram} are not looked at, and no report has pictures or waves of them`,
        )
      : good('ffmpeg', `here: ${byProgram} can be looked at, and reports have pictures and waves of them`),
    // Nothing needs it: files are measured by genrun itself.
    programAt('ffprobe', path) === undefined
      ? good('ffprobe', 'not here, and not needed')
      : good('ffprobe', 'here, and not needed'),
  ]
}
