import { type Core, call, queryText, type ResponseOf } from './core.ts'
import { ConnectError, isTributaryError } from './errors.ts'
import { createPkce, randomText } from './pkce.ts'
import type { RequestOptions } from './transport.ts'

const USED_CODE =
  'The code was already used, has expired, or belongs to another app or sign-in. A page that is loaded again uses its code twice, which ends the access: redirect the browser after `finishConnect`'

/** Parameters of a sign-in. Without `service`, people choose one on a page. */
export interface ConnectParameters {
  redirect_uri: string
  service?: string
  /** With the page: only these services. */
  services?: readonly string[]
  /** Link the profile to the account of this token. */
  access_token?: string
  scope?: string
  response_type?: 'code' | 'token'
  state?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
  force_login?: boolean
  flag?: string
  /** Answers to what a service asks: `host`, `login_hint`. */
  [parameter: string]: string | boolean | readonly string[] | undefined
}

/** A sign-in that has begun. Keep `state` and `verifier` in the session of the person's browser; send the person to `url`. */
export interface StartedConnect {
  url: string
  state: string
  verifier: string
  redirect_uri: string
}

export interface ConnectContext {
  core: Core
  clientId: string
  clientSecret: string | undefined
  /** The address that the server calls itself. */
  issuer: string
}

export type Connected = ResponseOf<'POST /oauth/access_token'>

/** What the exchange may add to its response. */
export interface ExchangeExtras {
  profile?: 'all' | 'last'
  auth?: boolean
  full?: boolean
}

export function connectUrl({ core, clientId }: ConnectContext, parameters: ConnectParameters): string {
  const path = parameters.service === undefined ? '/connect' : '/oauth/authenticate'
  return `${core.transport.baseUrl}${path}${queryText({ client_id: clientId, ...parameters })}`
}

export async function startConnect(context: ConnectContext, parameters: ConnectParameters): Promise<StartedConnect> {
  const { verifier, challenge } = await createPkce()
  const state = parameters.state ?? randomText()
  const url = connectUrl(context, {
    ...parameters,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  return { url, state, verifier, redirect_uri: parameters.redirect_uri }
}

/**
 * Completes a sign-in: checks the address that the person returned to and exchanges its code. Throws `ConnectError` when the person
 * declined or the service failed, when the address belongs to another sign-in or server, and when its code was used before
 * (`code_invalid`): redirect the browser afterwards, so that loading the page again does not use it twice.
 */
export async function finishConnect(
  context: ConnectContext,
  returned: string | URL | URLSearchParams,
  started: Pick<StartedConnect, 'state' | 'verifier' | 'redirect_uri'>,
  extras: ExchangeExtras = {},
  options?: RequestOptions,
): Promise<Connected> {
  const parameters = parametersOf(returned)
  if (started.state === '' || parameters.get('state') !== started.state)
    throw new ConnectError('state_mismatch', 'The address belongs to another sign-in: its state differs')
  const issuer = parameters.get('iss')
  if (issuer?.replace(/\/+$/, '') !== context.issuer)
    throw new ConnectError('issuer_mismatch', `The address names another server: ${issuer ?? 'none'}`)
  const error = parameters.get('error')
  if (error !== null) throw new ConnectError(error, parameters.get('error_description') ?? error)
  const code = parameters.get('code')
  if (code === null) throw new ConnectError('code_missing', 'The address has no code')
  const { redirect_uri: redirectUri, verifier } = started
  const fields = { code, code_verifier: verifier, redirect_uri: redirectUri, ...extras }
  try {
    return await exchange(context, fields, options)
  } catch (error) {
    if (!isTributaryError(error, 'code_invalid')) throw error
    throw new ConnectError('code_invalid', USED_CODE, { cause: error })
  }
}

function parametersOf(returned: string | URL | URLSearchParams): URLSearchParams {
  if (typeof returned === 'object') return returned instanceof URLSearchParams ? returned : returned.searchParams
  const start = returned.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : returned.slice(start + 1).replace(/#.*$/s, ''))
}

/** Exchanges a code for an access token. It is sent once: a code that was used twice ends the token of the first use. */
export async function exchange(
  { core, clientId, clientSecret }: ConnectContext,
  fields: { code: string; code_verifier?: string; redirect_uri?: string } & ExchangeExtras,
  options?: RequestOptions,
): Promise<Connected> {
  const client = { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }
  const body = Object.fromEntries(
    Object.entries({ ...client, ...fields }).map(([name, value]) => [name, String(value)]),
  )
  return call({ ...core, authorization: undefined }, 'POST /oauth/access_token', { body, options })
}
