/**
 * Asks at once where nothing is being asked; what is wanted until that is answered is asked together after it. So those who need one
 * row, which every commit holds until it is on the disk, share a commit. All that are asked together hear the same answer, or trouble.
 */
export function gather<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let isAsking = false

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      const these = waiting
      waiting = []
      const answer = ask(these.map(({ question }) => question))
      for (const { resolve } of these) resolve(answer)
      await answer.catch(() => undefined)
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
