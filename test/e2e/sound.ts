const rate = 8000
const head = 44

/** Three seconds of a WAV file with a text in it, so that a test can tell which order a file came from. */
export function sound(text: string): Buffer {
  const samples = rate * 3
  const bytes = Buffer.alloc(head + samples * 2)
  bytes.write('RIFF', 0, 'latin1')
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8, 'latin1')
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36, 'latin1')
  bytes.writeUInt32LE(samples * 2, 40)
  bytes.write(text, head, 'latin1')
  return bytes
}

/** The text in it. */
export function textIn(bytes: Buffer): string {
  return bytes.subarray(head, bytes.indexOf(0, head)).toString('latin1')
}
