import { relative, sep } from 'node:path'
import { type Diagnostic, warning } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import { verifySaved } from '../../store/files/outputs.ts'
import type { Setting } from '../../workspace/workspace.ts'
import type { GenerateResult } from './generation.ts'

type Told = Extract<GenerateResult, { got: 'generation' }>

/** Tells of files that were altered. A plan looks at sizes; here are few files, and they are read. Rejects with StorageError. */
export async function withAltered(told: Told, { layout, machine }: Setting): Promise<Told> {
  const { generation, problems } = told
  if (generation.again !== 'kept') return told
  const altered: Diagnostic[] = []
  for (const { path, ...file } of generation.files) {
    const saved = { ...file, path: relative(layout.output, path).split(sep).join('/') }
    if ((await verifySaved(saved, layout.output, machine.disk)) === 'same') continue
    const at = headOf({ name: saved.path, text: '' })
    const hint = 'move it away, and the same call gets it again without paying where the service still has it'
    altered.push(warning('altered', at, 'it was altered since it was made, and is left alone', hint))
  }
  return { ...told, problems: [...problems, ...altered] }
}
