/** What `help` tells of beside the commands, in the order in which somebody needs it. No topic is called as a command is. */
export const topicNames = [
  'start',
  'jobs',
  'matrix',
  'references',
  'takes',
  'verdicts',
  'expressions',
  'sharing',
  'files',
  'names',
  'prices',
  'own-models',
  'services',
  'rehearsal',
  'money',
  'doubt',
  'exit-codes',
  'ci',
] as const

export type TopicName = (typeof topicNames)[number]

/** Whether a word behind `help` is a topic, or asks for all of them. */
export function isTopic(word: string | undefined): boolean {
  return word === 'topics' || topicNames.some(name => name === word)
}
