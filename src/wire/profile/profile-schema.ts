import { profileSchema } from './profile-file.ts'

/** The schema that is checked in for editors, by its path from the project's root. A test keeps it fresh. */
export function publishedProfileSchema(): readonly [path: string, text: string] {
  return ['schemas/profile.schema.json', `${JSON.stringify(profileSchema(), null, 2)}\n`]
}
