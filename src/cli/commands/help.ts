import { exit } from '../../base/exit.ts'
import type { Out } from '../io/out.ts'
import { topics, topicText } from '../words/topics.ts'

/** `genrun help <topic>`: a page of the manual in short. The help of a command is its `--help`. */
export function help({ topic }: { readonly topic: string | undefined }, out: Out): number {
  const known = topics.find(({ name }) => name === topic)
  out.result(known ? topicText(known) : topicList())
  return exit.ok
}

function topicList(): string {
  const width = Math.max(...topics.map(({ name }) => name.length))
  const rows = topics.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`)
  return [
    'Topics of `genrun help`:',
    '',
    ...rows,
    '',
    '`genrun plan --help` explains the command plan; every command has such a page.',
  ].join('\n')
}
