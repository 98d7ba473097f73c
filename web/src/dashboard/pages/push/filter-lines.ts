import { linesOf } from '../../../ui/lines.ts'

/** The paths of a filter, one on each line; everything, if there is none. */
export const filterIn = (text: string): string[] => {
  const lines = linesOf(text)
  return lines.length === 0 ? ['*'] : lines
}
