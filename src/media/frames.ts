/** Length of the ID3v2 tag (`ID3`) at the beginning, 0 for none. Its size has seven bits a byte. */
export function tagBytes(head: Uint8Array): number {
  const isTag = head[0] === 0x49 && head[1] === 0x44 && head[2] === 0x33
  if (!isTag || head.length < 10) return 0
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0)
  const footer = ((head[5] ?? 0) & 0x10) === 0 ? 0 : 10
  return 10 + size + footer
}

/** Length of the MPEG layer III frame (ISO 11172-3, 2.4.1.3) whose four-byte header stands here; undefined if none does. */
export function mp3FrameBytes(bytes: Uint8Array, at: number): number | undefined {
  if (at + 4 > bytes.length) return undefined
  const [sync, second, third] = [bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0]
  const version = (second >> 3) & 3
  const isLayer3 = sync === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) === 0x02 && version !== 1
  const isVersion1 = version === 3
  const kilobits = (isVersion1 ? mp3Rates : mp3LowRates)[third >> 4] ?? 0
  const hertz = (mp3Hertz[(third >> 2) & 3] ?? 0) / (isVersion1 ? 1 : version === 2 ? 2 : 4)
  if (!isLayer3 || kilobits === 0 || hertz === 0) return undefined
  return Math.floor(((isVersion1 ? 144_000 : 72_000) * kilobits) / hertz) + ((third >> 1) & 1)
}

const mp3Rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const mp3LowRates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const mp3Hertz = [44_100, 48_000, 32_000]

/** Length of the AAC frame (ISO 13818-7, 6.2) whose seven-byte ADTS header stands here; undefined if none does. */
export function adtsFrameBytes(bytes: Uint8Array, at: number): number | undefined {
  if (at + 7 > bytes.length) return undefined
  const [second, third] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0]
  const isHeader = bytes[at] === 0xff && (second & 0xf6) === 0xf0 && ((third >> 2) & 15) < 13
  const length =
    (((bytes[at + 3] ?? 0) & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5)
  return isHeader && length >= 7 ? length : undefined
}
