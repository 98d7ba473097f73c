import { DESTINATION_KINDS, type DestinationKind } from '#model/apps/destination.ts'
import { UsageError } from '../command.ts'

export function kindIn(text: string): DestinationKind {
  const kind = DESTINATION_KINDS.find((each) => each === text)
  if (kind === undefined) throw new UsageError(`--kind must be one of ${DESTINATION_KINDS.join(', ')}.`)
  return kind
}

/** Options of a destination, each as NAME=VALUE. */
export function destinationOptions(pairs: string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      if (equals < 1) throw new UsageError(`--option ${pair}: write it as NAME=VALUE.`)
      const value = pair.slice(equals + 1)
      return [pair.slice(0, equals), optionValue(pair, value)]
    }),
  )
}

/** `true`, `false` and JSON objects are parsed; everything else is text. */
function optionValue(pair: string, value: string): unknown {
  if (!/^(true|false|\{.*)$/s.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    // The platform's message repeats the value, which may be a secret.
    throw new UsageError(`--option ${pair}: the value is not valid JSON.`)
  }
}
