/** Text for HTML and XML, in elements and in quoted attributes. */
export function markup(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
