// Runs a manifest and tells what happens, as a program would: `node examples/faces/batch.mjs examples/catalogue.yaml`.
import { createGenrun, fromEnv } from 'genrun'

const [manifest = 'examples/catalogue.yaml'] = process.argv.slice(2)
const isReal = process.env.GENRUN_BASE_URL !== undefined
const genrun = createGenrun(isReal ? fromEnv() : { rehearse: true })

const { paid } = genrun.plan(manifest)
console.log(`${paid} paid requests`)

// Ctrl-C buys nothing more; the next run goes on.
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

const run = genrun.run(manifest, { caps: { maxPaid: paid }, signal: stop.signal })
for await (const event of run) if (event.event === 'settled') console.log(event.address, event.state.is)
const { counts, exit } = await run.report
console.log(`${counts.made ?? 0} made, ${counts.kept ?? 0} kept`)
process.exitCode = exit
