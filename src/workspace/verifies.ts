/** A file of another size, length or sound than was asked is told, makes the run end badly, or is nobody's business. */
export const verifies = ['warn', 'fail', 'off'] as const

export type Verify = (typeof verifies)[number]
