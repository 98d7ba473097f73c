import { first, type Pair, repeated } from '../base/pairs.ts'
import type { Client } from './clients.ts'

type Checked = { scopes: string[]; challenge?: string } | { error: string; description: string }

/** Checks an authorization request; errors are reported to the app by redirect. */
export function checkRequest(client: Client, params: Pair[]): Checked {
  const twice = repeated(params)
  if (twice !== undefined) return wrong('invalid_request', `${twice} is given twice`)
  const responseType = first(params, 'response_type')
  if (responseType === undefined) return wrong('invalid_request', 'response_type is missing')
  if (responseType !== 'code') return wrong('unsupported_response_type', 'Only code is supported')
  const scopes = requestedScopes(client, first(params, 'scope'))
  if (typeof scopes === 'string') return wrong('invalid_scope', `Unknown scope: ${scopes}`)
  return checkChallenge(client, params, scopes)
}

function requestedScopes(client: Client, scope: string | undefined): string[] | string {
  const { scopes, defaultScopes, scopeSeparator } = client.settings()
  if (scope === undefined || scope === '') return [...defaultScopes]
  const names = scope.split(scopeSeparator)
  const unknown = names.find((name) => !Object.hasOwn(scopes, name))
  return unknown === undefined ? [...new Set(names)] : unknown || '(empty)'
}

function checkChallenge(client: Client, params: Pair[], scopes: string[]): Checked {
  const { pkce } = client.settings()
  const challenge = first(params, 'code_challenge')
  const method = first(params, 'code_challenge_method')
  if (pkce === 'off') return { scopes }
  if (pkce === 'refused' && (challenge !== undefined || method !== undefined))
    return wrong('invalid_request', 'PKCE is not supported')
  if (challenge === undefined) {
    if (method !== undefined) return wrong('invalid_request', 'code_challenge is missing')
    const required = pkce === 'required' || client.secret === ''
    return required ? wrong('invalid_request', 'PKCE is required (code_challenge)') : { scopes }
  }
  if (method !== 'S256') return wrong('invalid_request', 'code_challenge_method must be S256')
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    return wrong('invalid_request', 'code_challenge is not a SHA-256 in base64url')
  return { scopes, challenge }
}

const wrong = (error: string, description: string): Checked => ({ error, description })
