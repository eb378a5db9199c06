import { display } from '../base/display.ts'

/** Text of a manifest or a service in Markdown: it must not become a heading, a link or HTML, nor mention anybody. */
export function markdown(text: string): string {
  return display(text, 300).replaceAll(/[\\`*_{}[\]<>#|~@!]/g, sign => `&#${sign.codePointAt(0) ?? 0};`)
}

/** The same as code, where nothing is escaped. */
export function codeSpan(text: string): string {
  return `\`${display(text, 100).replaceAll(/[`|]/g, '')}\``
}
