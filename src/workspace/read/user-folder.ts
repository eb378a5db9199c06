import { join } from 'node:path'

interface Variables {
  readonly [name: string]: string | undefined
}

/** Where the user's own settings belong: `$XDG_CONFIG_HOME/genrun`, `~/.config/genrun`, `%APPDATA%\genrun`. */
export function userFolder(env: Variables, platform: NodeJS.Platform = process.platform): string | undefined {
  const xdg = env.XDG_CONFIG_HOME
  const home = homeOf(env)
  const roaming = env.APPDATA
  if (platform === 'win32' && roaming) return join(roaming, 'genrun')
  // A relative one is to be ignored (XDG Base Directory Specification): it could lead into a checkout.
  if (xdg?.startsWith('/')) return join(xdg, 'genrun')
  return home && join(home, '.config', 'genrun')
}

/** The file of a secret by which answers of gates are known as one's own. */
export function gateSecretIn(env: Variables): string | undefined {
  const folder = userFolder(env)
  return folder && join(folder, 'gate-secret')
}

/** Where their home is. */
export function homeOf(env: Variables): string | undefined {
  return env.HOME || env.USERPROFILE || undefined
}
