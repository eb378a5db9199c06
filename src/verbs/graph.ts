import { type GraphForm, graphText } from '../plan/graph.ts'
import type { Refused } from '../planning/make-plan.ts'
import { type WorkspaceRequest } from '../planning/open-workspace.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import type { Damaged } from '../workspace/records/recorded.ts'

export { type GraphForm, graphForms } from '../plan/graph.ts'

type GraphResult = Refused | Damaged | { readonly got: 'graph'; readonly text: string }

/** The jobs of a manifest and what flows between them, as text for a page or for Graphviz. No write, no request. */
export function graphManifest(request: WorkspaceRequest & { readonly form: GraphForm }): GraphResult {
  const seen = seeManifest(request, { isForShow: true })
  if (seen.got !== 'seen') return seen
  return { got: 'graph', text: graphText(seen.planned.plan, request.form) }
}
