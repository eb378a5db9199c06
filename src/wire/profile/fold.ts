/** Words compare by this: `IN_PROGRESS`, `in-progress` and `In Progress` are one. */
export function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '')
}
