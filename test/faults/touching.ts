import type { DonePurchase } from '../../src/base/purchase.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import { filesOn } from './records.ts'
import type { Scene } from './scene.ts'

/** Files that a hand has altered in place, each as long as it was, and what they were. */
interface Touched {
  /** Alters one. */
  touch(): void
  /** All are what they were, under whatever names they have by now. */
  putBack(): void
  /** Whether files of a result are among them. */
  has(made: DonePurchase): boolean
}

export function openTouched(scene: Scene): Touched {
  const { medium, chance } = scene
  const touched = new Map<string, Buffer>()
  const isTouched = (bytes: Buffer) => touched.has(bytes.toString('latin1'))
  return {
    touch() {
      const whole = filesOn(scene).outputs.filter(([, bytes]) => bytes.length > 0 && !isTouched(bytes))
      if (whole.length === 0) return
      const [path, made] = chance.pick(whole)
      const altered = Buffer.from(made)
      altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
      scene.log('the user alters', path)
      touched.set(altered.toString('latin1'), made)
      medium.put(path, altered)
    },
    putBack() {
      for (const [path, bytes] of filesOn(scene).outputs) {
        const made = touched.get(bytes.toString('latin1'))
        if (!made) continue
        scene.log('the user puts back', path)
        medium.put(path, made)
      }
      touched.clear()
    },
    has({ files }) {
      const altered = new Set<string>([...touched.values()].map(digestBytes))
      return files.some(({ digest }) => altered.has(digest))
    },
  }
}
