import type { FactSource, Facts } from '#kit/read/facts.ts'
import { textAt } from '#kit/read/value-at.ts'
import type { CallbackParameters } from './callback-parameters.ts'
import { UpstreamError } from './request/errors.ts'

/** Limit: characters of a fact that a sign-in gives; a longer one fails the sign-in. */
const MAX_FACT_CHARACTERS = 500

/** Reads the connector's facts from one source. Those that are missing there are left out. */
export function readFacts(facts: Facts, from: FactSource['from'], read: (name: string) => string | undefined) {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, source]) => {
      if (source.from !== from) return []
      const value = read(source.from === 'token' ? source.path : source.name)
      return value === undefined ? [] : [[name, checkFact(name, value)]]
    }),
  ) as Record<string, string>
}

/** The facts of a token response. */
export function tokenFacts(facts: Facts, fields: unknown, tokenPath: readonly string[] = []): Record<string, string> {
  const inner = tokenPath.length === 0 ? '' : `${tokenPath.join('.')}.`
  return readFacts(facts, 'token', (path) => textAt(fields, `${inner}${path}`) ?? textAt(fields, path))
}

/** The facts of a callback. */
export function callbackFacts(facts: Facts, parameters: CallbackParameters): Record<string, string> {
  return readFacts(facts, 'callback', (name) => parameters.get(name))
}

// A fact becomes part of addresses and headers: control characters would end a header, dot segments change a path.
export function checkFact(name: string, value: string): string {
  if (value.length <= MAX_FACT_CHARACTERS && !/\p{Cc}/u.test(value) && !/^\.{1,2}$/.test(value)) return value
  throw new UpstreamError('stop', `The service’s value of “${name}” cannot be used`, { reason: 'unexpected_answer' })
}
