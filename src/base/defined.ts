/** Values without those that are undefined, to be spread into a record where they are optional: `{ message, ...defined({ hint }) }`. */
export function defined<Values extends object>(values: Values): Defined<Values> {
  const kept: Partial<Values> = {}
  for (const name of Object.keys(values) as (keyof Values)[]) // its own
    if (values[name] !== undefined) kept[name] = values[name]
  return kept as Defined<Values> // what is undefined is left out
}

type Defined<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> }
