import { defined } from '../../base/defined.ts'
import { type JobAddress, jobAddress, type PurchaseId } from '../../base/names.ts'
import { type DonePurchase, type Ordered, purchaseLabel, putAsideAs } from '../../base/purchase.ts'
import { headOf } from '../../base/source.ts'
import { type Model, usualMode } from '../../catalog/index.ts'
import { expectOf } from '../../forms/expect.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Disk } from '../../store/files/disk.ts'
import { keepSaved } from '../../store/files/outputs.ts'
import type { StateFolder } from '../../store/files/state-folder.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** What files are put aside with. */
interface AsideMeans {
  readonly layout: Layout
  readonly folders: StateFolder
  readonly ledger: Ledger
  readonly disk: Disk
}

/**
 * Puts a result aside that nobody asks for any more: its files go where those are that were replaced, and it has no name of
 * its own from then on. What was altered or is gone is left alone. Rejects with StorageError.
 */
export async function putAside(purchase: DonePurchase, means: AsideMeans): Promise<void> {
  const { layout, folders, ledger, disk } = means
  for (const file of purchase.files) {
    const owner = ledger.ownerOfPath(file.path)
    if (owner && owner.id !== purchase.id) continue
    await keepSaved(file, { root: layout.output, kept: folders.kept, disk })
  }
  // Meanwhile it may have been fetched for another job, under other names.
  const now = ledger.purchases.get(purchase.id)
  if (
    now?.is !== 'done' ||
    now.aside ||
    now.files.some(({ path }, nth) => path !== purchase.files[nth]?.path)
  )
    return
  await ledger.stands(putAsideAs(now))
}

/**
 * One path has one owner: whoever had one of these names before, and is not among those that move, is put aside. Asked
 * before the names are given away.
 */
export async function makeRoom(
  paths: readonly string[],
  { moving, ...means }: AsideMeans & { readonly moving: ReadonlySet<PurchaseId> },
): Promise<void> {
  for (const path of paths) {
    const owner = means.ledger.ownerOfPath(path)
    if (owner && !moving.has(owner.id)) await putAside(owner, means)
  }
}

/** Results of jobs that have another one by now, under names that nothing took over. */
export function replacedFiles({ purchases, made }: Ledger, jobs: ReadonlySet<JobAddress>): DonePurchase[] {
  const replaced: DonePurchase[] = []
  for (const each of purchases.values()) {
    if (each.is !== 'done' || each.aside) continue
    const present = jobs.has(each.address) ? made(each.address) : undefined
    if (present && present.id !== each.id) replaced.push(each)
  }
  return replaced
}

/** The job of a run that nobody asks for: where its files would have gone, and what they should be. */
export function jobAside(purchase: Ordered, options: Job | undefined, model: Model): Job {
  const { recipe, address } = purchase
  const at = options?.at ?? headOf({ name: 'the journal', text: '' })
  return {
    address: jobAddress(purchaseLabel(purchase)),
    model,
    mode: usualMode(model),
    params: recipe.params,
    files: {},
    needs: [],
    output: options?.output ?? plainName(address),
    count: expectOf(model, recipe.params).count,
    take: recipe.take,
    tags: [],
    ...defined({ service: recipe.service }),
    retries: 0,
    ...(options?.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    at,
    written: { locate: () => at },
  }
}

/** `still[fox,noir]#2` as a file name. */
function plainName(address: JobAddress): string {
  const plain = address.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '')
  return plain || 'result'
}
