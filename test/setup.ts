// Whichever undici is read first in a worker sends for all: Node's own `fetch`, which tests and packages call, cannot send by that of
// the package. So Node's is read before any file of tests, and not by the order in which these come.
await fetch('data:,')
