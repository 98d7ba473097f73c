import { basicIn, type CallIn, carriedAt, fieldsOf, type Reply, refused } from './call.ts'
import { fillEntryText, type LabEntry, labValue, pathOf, setAt, type Texts } from './entry.ts'

/** How one entry checks what a person typed: a key, a name and a password, several values, or a token for them. */
export function createTyped(entry: LabEntry): {
  isAuthorized: (call: CallIn) => boolean
  exchange: ((call: CallIn) => Reply | undefined) | undefined
} {
  const { key, basic, typed } = entry.auth
  if (key !== undefined)
    return { isAuthorized: (call) => carriedAt(call, key.place) === labValue('typed', 'token'), exchange: undefined }
  if (basic !== undefined)
    return {
      isAuthorized: (call) => isPair(call, [labValue('typed', 'name'), labValue('typed', 'password')]),
      exchange: undefined,
    }
  if (typed === undefined) throw new Error('An entry without a way to sign in.')
  const tokens = new Set<string>()
  const { exchange } = typed
  const has = (call: CallIn, token: string) =>
    hasTexts(typed.headers, (name) => call.headers[name.toLowerCase()], entry, token) &&
    hasTexts(typed.query, (name) => call.query.get(name) ?? undefined, entry, token) &&
    (typed.basic === undefined || isPair(call, filledPair(entry, typed.basic)))
  if (exchange === undefined) return { isAuthorized: (call) => has(call, ''), exchange: undefined }
  return {
    isAuthorized: (call) => [...tokens].some((token) => has(call, token)),
    exchange: (call) => {
      if (call.path !== pathOf(entry, exchange.url) || call.method !== (exchange.method ?? 'POST')) return undefined
      const fields = exchange.json === undefined ? fieldsOf(call, 'form') : fieldsOf(call, 'json')
      const isRight =
        hasTexts(exchange.form ?? exchange.json, (name) => fields?.[name], entry, '') &&
        hasTexts(exchange.headers, (name) => call.headers[name.toLowerCase()], entry, '') &&
        (exchange.basic === undefined || isPair(call, filledPair(entry, exchange.basic)))
      if (!isRight) return refused(401, 'invalid_client')
      const token = `exchanged-${tokens.size + 1}`
      tokens.add(token)
      const body = {}
      setAt(body, exchange.token, token)
      if (exchange.expires !== undefined) setAt(body, exchange.expires, 3600)
      if (exchange.expires_at !== undefined)
        setAt(body, exchange.expires_at, new Date(Date.now() + 3_600_000).toISOString())
      return { status: 200, body }
    },
  }
}

function hasTexts(
  wanted: Texts | undefined,
  given: (name: string) => string | undefined,
  entry: LabEntry,
  token: string,
): boolean {
  return Object.entries(wanted ?? {}).every(([name, text]) => given(name) === fillEntryText(entry, text, token))
}

const filledPair = (entry: LabEntry, [name, password]: [string, string]): [string, string] => [
  fillEntryText(entry, name),
  fillEntryText(entry, password),
]

function isPair(call: CallIn, [name, password]: readonly [string, string]): boolean {
  const given = basicIn(call)
  return given !== undefined && given[0] === name && given[1] === password
}
