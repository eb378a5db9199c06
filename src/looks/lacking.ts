import type { Looked } from '../base/state.ts'

// What is missing on a machine to look at a file. By these words it is known later: once it is there, the file is looked at.

/** What is said of clips and sounds. */
export const noProgram = 'needs the program ffmpeg, which is not here'
/** What is said of packages that read words. */
export const notInstalled = 'not installed'

/** Whether a program is why a file was not looked at. */
export function lacksProgram({ why }: Looked): boolean {
  return why?.endsWith(noProgram) === true
}

/** The finding that words were not looked for, as packages were not there. */
export function lackedReader({ found = [] }: Looked): NonNullable<Looked['found']>[number] | undefined {
  return found.find(({ look, why }) => look === 'words' && why?.endsWith(notInstalled))
}
