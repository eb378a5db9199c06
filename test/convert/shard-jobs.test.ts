import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { shardJobs } from '../../src/convert/shard-jobs.ts'

const folder = mkdtempSync(join(tmpdir(), 'genrun-shard-jobs-'))
writeFileSync(join(folder, 'genrun'), '#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done\n')
chmodSync(join(folder, 'genrun'), 0o755)
afterAll(() => rmSync(folder, { recursive: true }))

/** The words that genrun is started with by a line of a shell. */
function started(script: string, env: NodeJS.ProcessEnv): string[] {
  const path = `${folder}:${process.env.PATH}`
  return execFileSync('sh', ['-c', script], { env: { ...env, PATH: path }, encoding: 'utf8' })
    .trimEnd()
    .split('\n')
}

function documentOf(text: string) {
  const [document, ...others] = parseAllDocuments(text, { strict: true, uniqueKeys: true })
  if (!document || !('toJS' in document)) throw new Error('no document')
  expect([document.errors, document.warnings, others]).toEqual([[], [], []])
  return document.toJS()
}

const odd = "it's $mine `x`.yaml"

test.each(['campaign.yaml', odd])('an indexed job of Kubernetes starts each shard of %s', manifest => {
  const job = documentOf(shardJobs('kubernetes', { manifest, of: 16 }))
  const { spec } = job
  expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job' })
  expect(job.metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
  expect(spec).toMatchObject({
    completionMode: 'Indexed',
    completions: 16,
    parallelism: 16,
    backoffLimitPerIndex: 0,
  })
  const [container] = spec.template.spec.containers
  expect(container.command.slice(0, 2)).toEqual(['sh', '-c'])
  for (const [index, shard] of [
    ['0', '1/16'],
    ['15', '16/16'],
  ])
    expect(started(container.command[2], { JOB_COMPLETION_INDEX: index })).toEqual([
      'run',
      manifest,
      '--shard',
      shard,
    ])
})

test.each(['campaign.yaml', odd])('a workflow of Argo starts each shard of %s, and merges them', manifest => {
  const { spec } = documentOf(shardJobs('argo', { manifest, of: 3 }))
  const [all, shard, merge] = spec.templates
  expect(all.steps[0][0].withSequence).toEqual({ start: '1', count: '3' })
  expect(all.steps[1][0].template).toBe('merge')
  const filled = shard.container.command[2].replace('{{inputs.parameters.nth}}', '2')
  expect(started(filled, {})).toEqual(['run', manifest, '--shard', '2/3'])
  expect(started(merge.container.command[2], {})).toEqual(['merge', manifest])
})

test.each(['campaign.yaml', odd])('a script of Slurm starts each shard of %s', manifest => {
  const script = shardJobs('slurm', { manifest, of: 5 })
  expect(script).toMatch(/^#SBATCH --array=1-5$/m)
  expect(started(script, { SLURM_ARRAY_TASK_ID: '4' })).toEqual(['run', manifest, '--shard', '4/5'])
})

test.each([
  ['kubernetes', 'Job'],
  ['argo', 'Workflow'],
] as const)('a name from elsewhere stays in its comment (%s)', (to, kind) => {
  const text = shardJobs(to, { manifest: 'a\nkind: Evil.yaml', of: 2 })
  expect(text).not.toMatch(/^kind: Evil/m)
  expect(documentOf(text).kind).toBe(kind)
})
