import type { Person } from '../base/people.ts'
import { form, type Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { oauth1Error } from './error.ts'
import { type Verifier, verify } from './verify.ts'

/** RFC 5849 2.3. A wrong verifier invalidates the request token. */
export function accessTokenEndpoint(
  parts: Verifier,
  request: LabRequest,
  fields: (person: Person) => Record<string, string>,
): Reply {
  const { settings, stores } = parts
  const { token, oauth } = verify(parts, request, 'request')
  const verifier = oauth.get('oauth_verifier')
  if (verifier === undefined || verifier === '')
    throw oauth1Error('parameter_absent', 'oauth_verifier', settings.malformedStatus)
  const { person } = token
  if (!person || token.verifier === undefined)
    throw oauth1Error('permission_unknown', 'nobody has allowed this request token')
  stores.removeRequestToken(token)
  if (verifier !== token.verifier)
    throw oauth1Error('verifier_invalid', 'oauth_verifier does not fit the request token')
  const access = stores.addAccessToken({ ...token, person })
  return form(
    200,
    { oauth_token: access.key, oauth_token_secret: access.secret, ...fields(person) },
    { 'content-type': settings.tokenResponseType, 'cache-control': 'no-store' },
  )
}
