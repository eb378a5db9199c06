import { PassingTrouble } from './trouble.ts'

/**
 * Asks at once where nothing is being asked; what is wanted until that is answered is asked together after it. So those who need one
 * row, which every commit holds until it is on the disk, share a commit. All that are asked together hear the same answer, or trouble;
 * but what is wrong with one of them, and would not pass, keeps none of the others from an answer.
 */
export function gather<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<Answer>,
  /** Waited for before each time, so that more come together. */
  rest?: () => Promise<void>,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let isAsking = false

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      if (rest) await rest()
      const these = waiting
      waiting = []
      const answer = ask(these.map(({ question }) => question))
      const isOne = await answer.then(
        () => true,
        (trouble: unknown) => these.length === 1 || trouble instanceof PassingTrouble,
      )
      for (const { question, resolve } of these) resolve(isOne ? answer : ask([question]))
    }
    isAsking = false
  }

  return question =>
    new Promise(resolve => {
      waiting.push({ question, resolve })
      if (!isAsking) void askAll()
    })
}

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Promise<Answer>) => void
}
