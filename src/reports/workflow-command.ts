import { display } from '../base/display.ts'

/** A command to the runner of GitHub Actions, as a line of the log: `::error file=teapots.yaml,line=4::duration must be one of 3, 5`. */
export function workflowCommand(
  word: string,
  fields: { readonly [name: string]: string | number },
  text: string,
): string {
  const properties = Object.entries(fields).map(([name, value]) => `${name}=${property(String(value))}`)
  return `::${word} ${properties.join(',')}::${data(text)}`
}

/** Folds the lines between the two in the log of a step. */
export function group(title: string): { readonly open: string; readonly close: string } {
  return { open: `::group::${data(display(title))}`, close: '::endgroup::' }
}

/** A line end would begin a command of its own, and the runner would carry it out. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
