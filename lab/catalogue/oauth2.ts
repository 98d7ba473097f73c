import { createHash } from 'node:crypto'
import { basicIn, type CallIn, carriedAt, fieldsOf, type Reply, refused } from './call.ts'
import {
  fillEntryText,
  LAB_KEY,
  LAB_SECRET,
  type LabEntry,
  labValue,
  mayBeAbsent,
  type OAuth2Entry,
  pathOf,
  setAt,
} from './entry.ts'

/** Where people sign in at a service of the lab, and what its tokens open. */
export interface SignInPart {
  answer(call: CallIn): Reply | undefined
  isAuthorized: (call: CallIn) => boolean
  expire(): void
  living(): number
}

interface Code {
  redirectUri: string
  challenge: string | undefined
}

const BEARER = { header: 'authorization', scheme: 'Bearer' }
const LIFETIME_S = 3600

/** The authorization server of one entry (RFC 6749, 7009, 7636), with what the entry says it does differently. */
export function createOAuth2(entry: LabEntry, oauth2: OAuth2Entry): SignInPart {
  const codes = new Map<string, Code>()
  const tokens = new Set<string>()
  const refreshTokens = new Set<string>()
  const at = (address: string | undefined) => (address === undefined ? undefined : pathOf(entry, address))
  const paths = {
    authorize: at(oauth2.authorize),
    token: at(oauth2.token),
    refresh: at(oauth2.refresh ?? oauth2.token),
    revoke: at(oauth2.revoke),
  }
  let issued = 0

  function authorize({ query }: CallIn): Reply {
    const redirectUri = query.get('redirect_uri')
    const wanted: [string, string | undefined][] = [
      ['response_type', 'code'],
      [oauth2.names?.client_id ?? 'client_id', LAB_KEY],
      ['scope', oauth2.scope?.join(oauth2.separator ?? ' ')],
      ...Object.entries(oauth2.params?.authorize ?? {})
        .filter(([name, text]) => query.has(name) || !mayBeAbsent(entry, text))
        .map(([name, text]): [string, string] => [name, fillEntryText(entry, text)]),
    ]
    const wrong = wanted.find(([name, value]) => (query.get(name) ?? undefined) !== value)
    if (wrong !== undefined) return refused(400, `${wrong[0]} is not ${wrong[1] ?? 'absent'}`)
    const challenge = query.get('code_challenge') ?? undefined
    if ((challenge === undefined) !== (oauth2.pkce === false)) return refused(400, 'code_challenge')
    const state = query.get('state')
    if (redirectUri === null || state === null) return refused(400, 'redirect_uri and state')
    issued += 1
    const code = `code-${issued}`
    codes.set(code, { redirectUri, challenge })
    const back = new URL(redirectUri)
    back.searchParams.set('code', code)
    back.searchParams.set('state', state)
    for (const [name, { callback }] of Object.entries(oauth2.facts ?? {}))
      if (callback !== undefined) back.searchParams.set(callback, labValue('fact', name))
    return { status: 302, headers: { location: back.href } }
  }

  function isClient(call: CallIn, fields: Record<string, string>): boolean {
    const { client = 'post', names = {} } = oauth2
    if (client === 'basic' || client === 'basic_raw') {
      const [name, password] = basicIn(call) ?? []
      return name === LAB_KEY && password === LAB_SECRET
    }
    if (client === 'secret_basic') {
      const [name, password] = basicIn(call) ?? []
      return name === LAB_SECRET && password === '' && fields[names.client_secret ?? 'client_secret'] === undefined
    }
    const secret = fields[names.client_secret ?? 'client_secret']
    return (
      call.headers['authorization'] === undefined &&
      fields[names.client_id ?? 'client_id'] === LAB_KEY &&
      secret === (client === 'none' ? undefined : LAB_SECRET)
    )
  }

  function token(call: CallIn): Reply {
    const fields = fieldsOf(call, oauth2.body ?? 'form')
    if (fields === undefined) return refused(415, `the body is not ${oauth2.body ?? 'form'}`)
    if (!isClient(call, fields)) return refused(401, 'invalid_client')
    if (fields['grant_type'] === 'refresh_token') return refresh(call, fields)
    if (fields['grant_type'] !== 'authorization_code' || call.path !== paths.token)
      return refused(400, 'unsupported_grant_type')
    const code = codes.get(fields['code'] ?? '')
    codes.delete(fields['code'] ?? '')
    if (code === undefined || code.redirectUri !== fields['redirect_uri']) return refused(400, 'invalid_grant')
    const verified = createHash('sha256')
      .update(fields['code_verifier'] ?? '')
      .digest('base64url')
    if (code.challenge !== undefined && verified !== code.challenge) return refused(400, 'invalid_grant')
    for (const [name, text] of Object.entries(oauth2.params?.token ?? {}))
      if (fields[name] !== fillEntryText(entry, text)) return refused(400, `${name} is missing`)
    return issue()
  }

  /** Each refresh token is valid once. */
  function refresh(call: CallIn, fields: Record<string, string>): Reply {
    if (call.path !== paths.refresh) return refused(404, 'tokens are refreshed elsewhere')
    return refreshTokens.delete(fields['refresh_token'] ?? '') ? issue() : refused(400, 'invalid_grant')
  }

  function issue(): Reply {
    issued += 1
    const [access, again] = [`access-${issued}`, `refresh-${issued}`]
    tokens.add(access)
    refreshTokens.add(again)
    const fields: Record<string, unknown> = {
      access_token: access,
      refresh_token: again,
      token_type: 'bearer',
      expires_in: LIFETIME_S,
    }
    for (const [name, fact] of Object.entries(oauth2.facts ?? {}))
      if (fact.token !== undefined) setAt(fields, fact.token, labValue('fact', name))
    if (oauth2.at === undefined) return { status: 200, body: fields }
    const nested = {}
    setAt(nested, oauth2.at, fields)
    return { status: 200, body: nested }
  }

  function revoke(call: CallIn): Reply {
    const fields = fieldsOf(call, 'form')
    if (fields === undefined || !isClient(call, fields)) return refused(401, 'invalid_client')
    const given = fields['token'] ?? ''
    // RFC 7009 2.2: an unknown token is as revoked. Either token ends the grant.
    if (tokens.has(given) || refreshTokens.has(given)) {
      tokens.clear()
      refreshTokens.clear()
    }
    return { status: 200, body: {} }
  }

  return {
    answer: (call) => {
      if (call.method === 'GET' && call.path === paths.authorize && call.query.has('response_type'))
        return authorize(call)
      if (call.method !== 'POST') return undefined
      if (call.path === paths.revoke) return revoke(call)
      return call.path === paths.token || call.path === paths.refresh ? token(call) : undefined
    },
    isAuthorized: (call) => tokens.has(carriedAt(call, oauth2.place ?? BEARER) ?? ''),
    expire: () => tokens.clear(),
    living: () => tokens.size,
  }
}
