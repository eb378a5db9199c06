/** What the value of an option may be. In a file of settings, paths count from the folder of that file. */
export type OptionForm =
  | {
      readonly is:
        | 'switch'
        | 'text'
        | 'path'
        /** A folder, `file:///folder` or `s3://bucket/prefix`: where results are shared. */
        | 'place'
        | 'address'
        | 'amount'
        | 'size'
        | 'date'
        /** One of so many: `3/16`. */
        | 'shard'
        /** Several, each given by itself: `--tag a --tag b`. */
        | 'texts'
        | 'paths'
        /** Several, side by side in a variable. */
        | 'words'
        /** Names with values: `season=winter`. */
        | 'variables'
    }
  | { readonly is: 'choice'; readonly values: readonly string[] }
  | { readonly is: 'count'; readonly least: number; readonly most: number }

/**
 * One thing that a user can say, with every face that it has: the flag, the setting and the variable. The parser, help,
 * completion, the file of settings and its schema, the environment and `genrun settings` are loops over the list in
 * `options.ts`.
 */
export interface Option {
  /** What help and the schema of the settings say of it; a command may say it in words of its own. */
  readonly says: string
  /** As it stands in help: `-q, --quiet`, `--output <folder>`. Absent where only settings have it. */
  readonly flag?: string
  /** A switch where it is absent, or a text where the flag has a value. */
  readonly form?: OptionForm
  /** Values that completion offers, where the form does not know them all. */
  readonly offers?: readonly string[]
  /** The option that cannot stand beside it on a line. */
  readonly not?: string
  /** As in a file of settings; `limits.maxCost` is `maxCost` in the section `limits`. */
  readonly setting?: string
  readonly variable?: string
  readonly builtIn?: SettingValue
  /** Of several values the lowest counts, whoever gave it. */
  readonly lowest?: true
  /** Told to whoever speaks with the service, by its variable. */
  readonly ofService?: true
  /** The option that it is a word about: where a flag gives that one, the setting of this one says nothing. */
  readonly about?: string
  /** Never taken from a project, which others may have written: why, as a sentence goes on after the setting's name. */
  readonly outside?: string
  /** A project has a say only where the person has none: theirs goes first. */
  readonly person?: true
  /** A project can switch it on, and never off. */
  readonly onlyOn?: true
}

export type SettingValue = string | number | boolean | readonly string[]

export function formOf({ form, flag }: Option): OptionForm {
  return form ?? { is: flag?.includes('<') ? 'text' : 'switch' }
}

export function isList(form: OptionForm): boolean {
  return ['texts', 'paths', 'words', 'variables'].includes(form.is)
}

/** `-q`, `--quiet`. */
export function formsOf({ flag = '' }: Option): string[] {
  return [...flag.matchAll(/(?<=^|, )--?[A-Za-z0-9-]+/g)].map(([form]) => form)
}

/** `quiet`. */
export function longName({ flag = '' }: Option): string {
  return /--([a-z0-9-]+)/.exec(flag)?.[1] ?? ''
}
