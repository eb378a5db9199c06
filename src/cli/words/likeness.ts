/** Two texts that differ only in words with numbers in them, as names of jobs and counts are, look alike. */
export function likeness(text: string): string {
  return text.replaceAll(/\S*\d\S*/g, '0')
}
