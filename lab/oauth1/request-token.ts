import { form, type Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { oauth1Error } from './error.ts'
import type { OAuth1Settings } from './settings.ts'
import type { OAuth1Client } from './stores.ts'
import { type Verifier, verify } from './verify.ts'

/** RFC 5849 2.1. */
export function requestTokenEndpoint(parts: Verifier, request: LabRequest): Reply {
  const { settings, stores } = parts
  const { client, oauth } = verify(parts, request, 'none')
  const callback = oauth.get('oauth_callback')
  if (callback === undefined || callback === '')
    throw oauth1Error('parameter_absent', 'oauth_callback', settings.malformedStatus)
  if (!callbackMatches(settings, client, callback)) throw oauth1Error('callback_rejected', callback)
  const token = stores.addRequestToken(client, callback, settings.requestTokenTtlSeconds)
  return form(
    200,
    {
      oauth_token: token.key,
      oauth_token_secret: token.secret,
      ...(settings.callbackConfirmed === 'true' ? { oauth_callback_confirmed: 'true' } : {}),
    },
    { 'content-type': settings.tokenResponseType, 'cache-control': 'no-store' },
  )
}

function callbackMatches(settings: OAuth1Settings, client: OAuth1Client, callback: string): boolean {
  if (callback === 'oob') return settings.oob
  if (!URL.canParse(callback)) return false
  switch (settings.callbackMatch) {
    case 'any':
      return true
    case 'host':
      return client.callbacks.some((known) => new URL(known).host === new URL(callback).host)
    case 'exact':
      return client.callbacks.includes(callback)
    default:
      return settings.callbackMatch satisfies never
  }
}
