import { basicIn, type CallIn, carriedAt, fieldsOf, type Reply, refused } from './call.ts'
import { fillEntryText, type LabEntry, labValue, pathOf, setAt, type Texts } from './entry.ts'
import { hasSignature, isSignedToken } from './signed.ts'

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
    (typed.basic === undefined || isPair(call, filledPair(entry, typed.basic))) &&
    (typed.sign === undefined || hasSignature(entry, typed.sign, call))
  const { jwt } = typed
  if (jwt !== undefined && exchange === undefined)
    return {
      isAuthorized: (call) => {
        const token = tokenOf(typed.headers, call, '{token}')
        return token !== undefined && isSignedToken(entry, jwt, token) && has(call, token)
      },
      exchange: undefined,
    }
  if (exchange === undefined) return { isAuthorized: (call) => has(call, ''), exchange: undefined }
  return {
    isAuthorized: (call) => [...tokens].some((token) => has(call, token)),
    exchange: (call) => {
      if (call.path !== pathOf(entry, exchange.url) || call.method !== (exchange.method ?? 'POST')) return undefined
      const fields = exchange.json === undefined ? fieldsOf(call, 'form') : fieldsOf(call, 'json')
      const signed =
        jwt &&
        [exchange.form ?? exchange.json, exchange.headers]
          .map((texts, i) => tokenOf(texts, i === 0 ? { headers: fields ?? {} } : call, '{jwt}'))
          .find((each) => each !== undefined)
      if (jwt !== undefined && (signed === undefined || !isSignedToken(entry, jwt, signed)))
        return refused(401, 'invalid_grant')
      const isRight =
        hasTexts(exchange.form ?? exchange.json, (name) => fields?.[name], entry, signed ?? '') &&
        hasTexts(exchange.headers, (name) => call.headers[name.toLowerCase()], entry, signed ?? '') &&
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

/** What a call has where the entry has a token. */
function tokenOf(texts: Texts | undefined, { headers }: Pick<CallIn, 'headers'>, word: string): string | undefined {
  for (const [name, text] of Object.entries(texts ?? {})) {
    const [before, after] = text.split(word)
    const given = headers[name] ?? headers[name.toLowerCase()]
    if (after !== undefined && given?.startsWith(before!) === true) return given.slice(before!.length)
  }
  return undefined
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
