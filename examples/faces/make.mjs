// Two pictures and a sentence about them, by the SDK: `node examples/faces/make.mjs`. Without a service it rehearses.
import { createGenrun, fromEnv, GenrunError } from 'genrun'

const isReal = process.env.GENRUN_BASE_URL !== undefined
const genrun = createGenrun({ ...(isReal ? fromEnv() : { rehearse: true }), output: 'out/faces' })

// In TypeScript wrong values, missing and unknown parameters are compile errors; `check` says the same to what comes from outside.
const prompt = 'A celadon teapot on wet slate at dawn'
const problems = genrun.check('fama-imagine-image', { prompt, aspectRatio: '16:9', count: 2 })
if (problems.length > 0) throw new Error(problems.map(problem => problem.message).join('\n'))

const { files } = await genrun.generate('fama-imagine-image', { prompt, aspectRatio: '16:9', count: 2 })
for (const { path, width, height } of files) console.log(path, `${width}x${height}`)

// An order that is only submitted is plain data: it may wait in a file or a database.
const order = await genrun.submit('fama-tts', { prompt: 'Steam rises from the teapot.', voiceId: 'rex' })
const kept = JSON.stringify(order)

try {
  const voice = await genrun.wait(JSON.parse(kept), { onEvent: ({ event }) => console.error(event) })
  for (const file of voice.files) console.log(file.path, `${file.seconds} s`, file.type)
} catch (error) {
  if (!(error instanceof GenrunError)) throw error
  console.error(error.message, error.hint ?? '')
  process.exitCode = 1
}
