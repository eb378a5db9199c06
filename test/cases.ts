import fc from 'fast-check'

/**
 * Cases that are drawn by chance are the same in every run: whether a change lands must not hang on luck. Another number
 * draws others: `GENRUN_CASES=7 npx vitest run test/text`.
 */
fc.configureGlobal({ seed: Number(process.env.GENRUN_CASES ?? 1) })

export default fc
