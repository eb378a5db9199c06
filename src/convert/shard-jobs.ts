import { shellWord } from '../text/shell-word.ts'

/** What runs the shards of a manifest side by side. */
export const schedulers = ['kubernetes', 'argo', 'slurm'] as const

type Scheduler = (typeof schedulers)[number]

interface Asked {
  /** As it is found from the folder in which genrun is started. */
  readonly manifest: string
  readonly of: number
}

/** A job with a part for each shard, to be looked at and handed over; nothing of it is carried out here. Pure. */
export function shardJobs(to: Scheduler, asked: Asked): string {
  switch (to) {
    case 'kubernetes':
      return kubernetes(asked)
    case 'argo':
      return argo(asked)
    case 'slurm':
      return slurm(asked)
  }
}

function kubernetes({ manifest, of }: Asked): string {
  const name = nameOf(manifest)
  return `${head(manifest, of)}
# Before: a claim ${name} for a volume that all pods see (ReadWriteMany), with the project in it; a secret "genrun" with
# GENRUN_BASE_URL and GENRUN_API_KEY; an image with genrun. What a pod wrote must be there after it: a folder of its own would
# forget what was bought. After: ${mergeAfter(manifest)}, in the same folder.
apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
spec:
  completionMode: Indexed
  completions: ${of}
  parallelism: ${of}
  # A pod that is gone leaves its claim: whether it is gone you know, and say so with --take-claim.
  backoffLimitPerIndex: 0
  maxFailedIndexes: ${of}
  template:
    spec:
      restartPolicy: Never
${container('      ', name, runShell(manifest, `$((JOB_COMPLETION_INDEX + 1))/${of}`))}
${volumes('      ', name)}
`
}

function argo({ manifest, of }: Asked): string {
  const name = nameOf(manifest)
  return `${head(manifest, of)}
# Before: a claim ${name} for a volume that all pods see (ReadWriteMany), with the project in it; a secret "genrun" with
# GENRUN_BASE_URL and GENRUN_API_KEY; an image with genrun.
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  generateName: ${name}-
spec:
  entrypoint: all
${volumes('  ', name)}
  templates:
    - name: all
      steps:
        - - name: shard
            template: shard
            arguments:
              parameters: [{ name: nth, value: '{{item}}' }]
            withSequence: { start: '1', count: '${of}' }
            # What others made is merged all the same.
            continueOn: { failed: true }
        - - name: merge
            template: merge
    - name: shard
      inputs:
        parameters: [{ name: nth }]
${one('      ', runShell(manifest, `{{inputs.parameters.nth}}/${of}`))}
    - name: merge
${one('      ', `exec ${quotedCommand(['merge', manifest])}`)}
`
}

function slurm({ manifest, of }: Asked): string {
  return `#!/bin/sh
${head(manifest, of)}
# Submit it in the project's folder, on a disk that all nodes see, with GENRUN_BASE_URL and GENRUN_API_KEY_FILE set.
# After: ${mergeAfter(manifest)}, in the same folder.
#SBATCH --job-name=${nameOf(manifest)}
#SBATCH --array=1-${of}
#SBATCH --ntasks=1
#SBATCH --no-requeue
#SBATCH --signal=B:TERM@60
${runShell(manifest, `$SLURM_ARRAY_TASK_ID/${of}`)}
`
}

function head(manifest: string, of: number): string {
  return `# ${of} shards of ${inComment(manifest)}. Its lock is one again when they are merged.`
}

function mergeAfter(manifest: string): string {
  return inComment(quotedCommand(['merge', manifest]))
}

/** A name may hold a line feed: it ends no comment. */
function inComment(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}

/** `which` is for the shell, or whoever comes before it, to fill. */
function runShell(manifest: string, which: string): string {
  return `exec ${quotedCommand(['run', manifest])} --shard "${which}"`
}

function quotedCommand(words: readonly string[]): string {
  return ['genrun', ...words].map(shellWord).join(' ')
}

/** The container of a pod; and, below, that of a template, which has one only. */
function container(indent: string, name: string, shell: string): string {
  const lines = ['containers:', `  - name: ${name}`, ...containerLines(shell).map(line => `    ${line}`)]
  return indented(indent, lines)
}

function one(indent: string, shell: string): string {
  return indented(indent, ['container:', ...containerLines(shell).map(line => `  ${line}`)])
}

function containerLines(shell: string): string[] {
  return [
    'image: genrun',
    'workingDir: /project',
    // A JSON text is a YAML text.
    `command: [sh, -c, ${JSON.stringify(shell)}]`,
    'envFrom: [{ secretRef: { name: genrun } }]',
    'volumeMounts: [{ name: project, mountPath: /project }]',
  ]
}

function volumes(indent: string, name: string): string {
  return indented(indent, [
    'volumes:',
    '  - name: project',
    `    persistentVolumeClaim: { claimName: ${name} }`,
  ])
}

function indented(indent: string, lines: readonly string[]): string {
  return lines.map(line => `${indent}${line}`).join('\n')
}

/** As names are there: letters, digits and dashes, at most 63. */
function nameOf(manifest: string): string {
  const stem = manifest.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '')
  const plain = stem
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  return plain === '' ? 'genrun' : `genrun-${plain}`
}
