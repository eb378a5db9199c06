import { readAsset } from '../../disk/own.ts'

/** Put in by the build, so that the executable needs no file to know it. */
declare const GENRUN_VERSION: string | undefined

/** The version of this genrun. Run unbundled, it is read from package.json. */
export function version(): string {
  if (typeof GENRUN_VERSION === 'string') return GENRUN_VERSION
  const text = readAsset(new URL('../../../package.json', import.meta.url)).toString('utf8')
  // Our own package.json: its version is a text.
  return (JSON.parse(text) as { version: string }).version
}
