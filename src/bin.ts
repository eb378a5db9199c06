#!/usr/bin/env node
import { version } from './cli/io/version.ts'

// Asked often and by machines: answered before anything else is loaded. The build makes a CommonJS module of this file, and of this
// one alone, as Node takes a fifth of its start more for the first module of the other kind.
if (process.argv[2] === '--version' || process.argv[2] === '-V') process.stdout.write(`${version()}\n`)
else void import('./cli/start.ts')
