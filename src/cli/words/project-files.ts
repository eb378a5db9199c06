/** What a project of its own is begun with, besides its manifest. */
interface ProjectFiles {
  /** The name of the folder, as it is typed. */
  readonly folder: string
  readonly manifest: string
  /** Of this genrun. */
  readonly version: string
}

/** The files of a project: name and text each. The lock is committed, what is under way and what is made is not. */
export function projectFiles({
  folder,
  manifest,
  version,
}: ProjectFiles): readonly (readonly [string, string])[] {
  const scripts = {
    check: `genrun validate ${manifest} --strict`,
    rehearse: `genrun ${manifest} --local`,
    plan: `genrun plan ${manifest}`,
    make: `genrun ${manifest}`,
    report: `genrun report ${manifest}`,
  }
  const described = {
    name: packageName(folder),
    private: true,
    scripts,
    devDependencies: { genrun: `^${version}` },
  }
  return [
    ['package.json', `${JSON.stringify(described, null, 2)}\n`],
    ['.gitignore', '.genrun/\nnode_modules/\nout/\n'],
  ]
}

/** What npm takes as a name: small letters, digits and hyphens. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return name === '' ? 'campaigns' : name
}
