// Loaded before the executable: `NODE_OPTIONS=--import …`. The wall clock is so many milliseconds ahead as the file of
// GENRUN_TEST_CLOCK says by now, as when somebody sets the machine's: the monotonic clock goes on as it was.
import { readFileSync } from 'node:fs'

const file = process.env.GENRUN_TEST_CLOCK
const RealDate = Date

function aheadMs() {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + aheadMs())
    else super(...given)
  }

  static now() {
    return RealDate.now() + aheadMs()
  }
}
