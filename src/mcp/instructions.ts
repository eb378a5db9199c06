import { listOpen, type OpenOrder } from '../verbs/collect.ts'
import type { Session } from './tool.ts'

/** What an agent is told when it comes: how to wait, and what earlier ones paid for and did not get. */
export function instructionsFor({ readOnly, ...session }: Session): string {
  if (readOnly) return 'Models, prices and checks of manifests. Nothing is made here.'
  const listed = listOpen(session)
  return [...usual, ...owedText(listed.got === 'open' ? listed.orders : [])].join(' ')
}

const usual = [
  'A generation takes seconds to many minutes: wait long, or ask for progress notifications.',
  'A call whose connection breaks goes on where it can; one that you cancel orders nothing more; what either ordered is kept.',
  'service_run, called again with the same arguments, goes on with what was ordered, and nothing of it is paid twice;',
  'so does service_generate after a call that was cancelled or cut off.',
  'After one that was answered, or beside one that still waits, the same service_generate is one more order, and is paid;',
  'service_redo orders once more each time that it is called after the last one is over.',
  'service_result gives everything that service_generate left behind.',
]

function owedText(orders: readonly OpenOrder[]): string[] {
  if (orders.length === 0) return []
  const names = orders.map(({ model, name }) => `${name} of ${model}`)
  return [`Left behind by earlier calls: ${names.join(', ')}. Call service_result first.`]
}
