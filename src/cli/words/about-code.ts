import { explain } from '../../verbs/explain.ts'

/** What the code of a problem means, for the rules of a SARIF log. */
export function aboutCode(code: string): string | undefined {
  const explained = explain(code)
  return explained.got === 'explanation' ? explained.explanation.about : undefined
}
