import { linesOf } from '../../../ui/lines.ts'

/** Overrides as a text field shows them: `name=address`, one on each line. */
export const linesOfPairs = (pairs: Record<string, string>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')

/** What such a field holds. A line without `=` is a name without an address, which the server refuses by its name. */
export const pairsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const equals = line.indexOf('=')
      return equals < 0 ? [line, ''] : [line.slice(0, equals).trim(), line.slice(equals + 1).trim()]
    }),
  )
