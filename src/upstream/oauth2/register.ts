import type { Connector } from '#kit/connector.ts'
import { findPlace } from '../addresses.ts'
import { answerFailure } from '../answer-failure.ts'
import { UpstreamError } from '../errors.ts'
import { parseObject } from '../parse-object.ts'
import type { Upstream } from '../send.ts'
import { scopeFor } from './scope.ts'

export interface RegisterInput {
  connector: Connector
  overrides: Readonly<Record<string, string>>
  callbackUrl: string
  /** Shown to people on the service's consent page. */
  appName: string
  scope?: string | undefined
}

const METHODS = { post: 'client_secret_post', basic: 'client_secret_basic', none: 'none' } as const

/** RFC 7591: makes the app known to an instance that has not heard of it, and answers its key and secret there. */
export async function registerApp(upstream: Upstream, input: RegisterInput): Promise<{ key: string; secret: string }> {
  const { connector, overrides, callbackUrl } = input
  const place = await findPlace(upstream, { connector, key: { key: '', secret: '', overrides } })
  const url = place.addresses.registerUrl
  if (connector.auth.kind !== 'oauth2' || url === undefined)
    throw new UpstreamError('stop', 'Apps cannot register themselves at this service', { reason: 'not_supported' })
  const { tokenAuth, scope } = connector.auth
  const method = tokenAuth === 'post' || tokenAuth === 'none' ? METHODS[tokenAuth] : METHODS.basic
  const wanted = scopeFor(scope, { asked: input.scope })
  const answer = await upstream.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: input.appName,
      redirect_uris: [callbackUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      ...(wanted === '' ? {} : { scope: wanted }),
    }),
  })
  const fields = parseObject(answer.text)
  const key = fields?.['client_id']
  if (answer.status >= 300)
    throw answerFailure(answer, { what: 'registration', nowMs: upstream.clock.now(), refused: 'stop' })
  if (typeof key !== 'string')
    throw new UpstreamError('stop', 'The service registered the app without a key', { reason: 'unexpected_answer' })
  const secret = fields?.['client_secret']
  return { key, secret: typeof secret === 'string' ? secret : '' }
}
