import { type Answers, isLoopbackHost } from '#kit/auth/ask.ts'
import type { Parameters } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { placeholdersIn } from '#kit/endpoints/placeholders.ts'

/**
 * The connector with the answers of one person in the place of `{name}`: in addresses, headers and parameters. Other
 * placeholders stay. An address whose answer is missing stays unusable, because a brace is not valid in a host name.
 */
export function fillConnector(connector: Connector, answers: Answers | undefined): Connector {
  const { ask } = connector
  if (ask === undefined || answers === undefined) return connector
  const values = Object.fromEntries(
    Object.keys(ask).flatMap((name) => (answers[name] === undefined ? [] : [[name, answers[name]]])),
  )
  const left = Object.keys(ask).filter((name) => ask[name]?.optional === true && values[name] === undefined)
  const asked = left.length === 0 ? connector : withoutParts(connector, left)
  return { ...connector, auth: fillStrings(asked.auth, values), api: fillStrings(asked.api, values) }
}

/** Without the parameters and headers that need an answer which the person left out. */
function withoutParts({ auth, api }: Connector, names: readonly string[]): Pick<Connector, 'auth' | 'api'> {
  const usable = (texts: Parameters | undefined): Parameters =>
    Object.fromEntries(
      Object.entries(texts ?? {}).filter(([, text]) => !placeholdersIn(text).some((name) => names.includes(name))),
    )
  const { headers, query } = api
  return {
    auth:
      auth.kind === 'oauth2'
        ? { ...auth, parameters: { ...auth.parameters, authorize: usable(auth.parameters.authorize) } }
        : auth,
    api: { ...api, ...(headers && { headers: usable(headers) }), ...(query && { query: usable(query) }) },
  }
}

/** Replaces in every text of a value; functions stay as they are. */
function fillStrings<Value>(value: Value, values: Answers): Value {
  const filled = (one: unknown): unknown => {
    if (typeof one === 'string') return fillText(one, values)
    if (Array.isArray(one)) return one.map(filled)
    if (one === null || typeof one !== 'object' || Object.getPrototypeOf(one) !== Object.prototype) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, filled(inner)]))
  }
  return filled(value) as Value
}

function fillText(text: string, values: Answers): string {
  return text.replaceAll(/(https:\/\/)?\{(\w+)\}/g, (whole, scheme: string | undefined, name: string) => {
    if (!Object.hasOwn(values, name)) return whole
    const value = values[name] ?? ''
    // A loopback address has no certificate; the egress guard calls it only if the operator allows that.
    return `${scheme !== undefined && isLoopbackHost(value) ? 'http://' : (scheme ?? '')}${value}`
  })
}
