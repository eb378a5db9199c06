// What came is paid for, and of a kind that nobody asked for: it stays, under a name that is told.
import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type OddKind, oddFile } from '../../src/gateway/faults/odd-files.ts'
import type { GatewayOptions } from '../../src/gateway/server.ts'
import { type Jobs, openProject } from './project.ts'
import { openShop } from './shop.ts'
import { sound } from './sound.ts'

const good = { bytes: sound('Rain'), type: 'audio/wav', extension: 'wav', seconds: 3 }

/** A service that delivers this, whatever was ordered, and then what it should. */
async function oddProject(kind: OddKind, jobs: Jobs = { a: 'Rain' }, times = 1) {
  let left = times
  const render: GatewayOptions['render'] = async () => [left-- > 0 ? oddFile(kind) : good]
  const shop = await openShop({ render })
  return { shop, project: openProject(shop, jobs) }
}

const unusual = (names: readonly string[]) => names.filter(name => name.startsWith('unusual/'))

describe('a paid file of an unusual kind', () => {
  test.each<[OddKind, string, string]>([
    ['mkv', 'mkv', 'it is a Matroska clip'],
    ['pcm', 'bin', 'it is data of a kind that genrun does not know'],
  ])('%s: fetched once, kept, told by run and status, and taken by accept', async (kind, extension, said) => {
    const { shop, project } = await oddProject(kind)
    const { stderr } = await project.exits(1, 'm.yaml')
    const [path = ''] = unusual(project.outputs())
    expect(path).toMatch(new RegExp(`^unusual/a@[0-9a-f]{6}\\.${extension}$`))
    expect(stderr).toContain(said)
    expect(stderr).toContain(`kept: out/m/${path}\n`)
    const arrived = shop.requests()
    const again = await project.exits(4, 'm.yaml')
    expect(again.stderr).toContain(`kept: out/m/${path}\n`)
    // One download was enough.
    expect(shop.requests()).toBe(arrived)
    expect((await project.exits(0, 'status', 'm.yaml')).stdout).toContain(`kept: out/m/${path}\n`)
    expect((await project.exits(8, 'verify', 'm.yaml')).stderr).not.toContain('untracked')

    const { stdout } = await project.exits(0, 'accept', 'm.yaml', 'a')
    const taken = `taken as it came: ${said}, and famc-t2a makes audio`
    expect(stdout).toBe(`a: ${taken}\n`)
    expect(project.outputs()).toEqual([`a.${extension}`])
    // By now it is the result: nobody calls it useless, and everybody says what it is.
    expect((await project.exits(0, 'm.yaml')).stderr).not.toContain('not usable')
    expect((await project.exits(0, 'why', 'm.yaml', 'a')).stdout).toContain(`  accepted as it is: ${taken}\n`)
    expect((await project.exits(0, 'verify', 'm.yaml')).stderr).toBe(`a is accepted as it is: ${taken}\n`)
    await project.exits(0, 'report', 'm.yaml')
    expect(project.text('out/m/report.html')).toContain(`accepted: ${taken}"`)
    rmSync(project.path('out/m/report.html'))
    await project.isAtRest()
    expect(shop.paid()).toBe(1)
  })

  test('another order, an edit and a lost journal leave it where it is, until prune has a yes', async () => {
    const { shop, project } = await oddProject('tiff')
    await project.exits(1, 'm.yaml')
    const kept = unusual(project.outputs())
    rmSync(project.path('.genrun'), { recursive: true })
    await project.exits(4, 'm.yaml')
    await project.exits(0, 'm.yaml', '--failed', '--yes')
    expect(shop.paid()).toBe(2)
    expect(project.outputs()).toEqual(['a.wav', ...kept])
    const told = await project.exits(0, 'status', 'm.yaml')
    expect(told.stdout).toContain(project.path(`out/m/${kept[0]}`))
    await project.isAtRest()
    await project.exits(0, 'prune', 'm.yaml', '--yes')
    await project.exits(0, 'prune', 'm.yaml', '--aside')
    expect(unusual(project.outputs())).toEqual(kept)
    await project.exits(0, 'prune', 'm.yaml', '--aside', '--yes')
    expect(project.outputs()).toEqual(['a.wav'])
    await project.isAtRest()
  })

  test('lock and journal lost: it is not bought again before somebody says so, and recover knows it', async () => {
    const { shop, project } = await oddProject('tiff')
    await project.exits(1, 'm.yaml')
    rmSync(project.path('.genrun'), { recursive: true })
    rmSync(project.path('m.lock.json'))
    expect((await project.exits(2, 'm.yaml')).stderr).toContain('[lost-records]')
    await project.exits(0, 'recover', 'm.yaml', '--yes')
    expect((await project.exits(4, 'm.yaml')).stderr).toContain('kept: out/m/unusual/a@')
    expect(shop.paid()).toBe(1)
  })

  test('of two that came for one job neither takes the place of the other', async () => {
    const { project } = await oddProject('glb', { a: 'Rain' }, 2)
    await project.exits(1, 'm.yaml')
    await project.exits(1, 'm.yaml', '--failed', '--yes')
    expect(unusual(project.outputs())).toHaveLength(2)
  })

  test('what a job that left the manifest had of it is told, and pruned by name', async () => {
    const { project } = await oddProject('svg', { a: 'Rain', b: 'Thunder' })
    await project.exits(1, 'm.yaml', 'a')
    project.write({ b: 'Thunder' })
    const [path = ''] = unusual(project.outputs())
    const asked = await project.exits(0, 'prune', 'm.yaml')
    expect(asked.stdout).toContain(path)
    const again = 'what is removed is forgotten: when the manifest asks for it again, it is bought again'
    expect(asked.stderr).toContain(again)
    expect(unusual(project.outputs())).toEqual([path])
    await project.exits(0, 'prune', 'm.yaml', '--yes')
    expect(unusual(project.outputs())).toEqual([])
  })

  test('one that somebody threw away is not accepted', async () => {
    const { project } = await oddProject('pdf')
    await project.exits(1, 'm.yaml')
    const [path = ''] = unusual(project.outputs())
    rmSync(project.path('out/m/unusual'), { recursive: true })
    const refused = await project.exits(4, 'accept', 'm.yaml', 'a')
    expect(refused.stderr).toContain(`a is not accepted: ${path} is gone or altered\n`)
    const { stderr } = await project.exits(4, 'm.yaml')
    expect(stderr).toContain(`= hint: what came is gone or altered (${path}): put it back`)
    expect(stderr).not.toContain('kept: ')
    expect((await project.exits(0, 'status', 'm.yaml')).stdout).toContain(`put ${path} back and accept it`)
  })
})

/** The same of a call without a manifest. */
test('generate says where it lies, and not on stdout', async () => {
  const { shop, project } = await oddProject('avi')
  const made = await project.exits(
    1,
    'generate',
    '-m',
    'famc-t2a',
    '-p',
    'Rain',
    '--duration',
    '3',
    '-o',
    'rain',
  )
  const [path = ''] = unusual(project.outputs('.'))
  expect([made.stdout, shop.paid()]).toEqual(['', 1])
  expect(made.stderr).toContain(`kept: ${path}\n`)
})
