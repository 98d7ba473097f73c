// Sends the requests of subscriptions to webhooks.

import { createHmac } from 'node:crypto'
import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { HookContext, HookRequest, HookSubscription } from '#kit/hooks/hook-life-cycle.ts'
import type { OpenServiceKey } from '#store/apps/service-keys.ts'
import { locateService } from '#upstream/addresses/addresses.ts'
import { addressOf, callService } from '#upstream/call/call-service.ts'
import { withParameters } from '#upstream/oauth2/token-request.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { Upstream, UpstreamResponse } from '#upstream/request/send.ts'

/** The service and the app that subscribes. */
export interface HookTarget {
  connector: Connector
  subscription: HookSubscription
  key: OpenServiceKey
  context: HookContext
}

/** Limit: bytes of a response about a subscription; a larger one fails the call. */
const MAX_SUBSCRIPTION_BYTES = 1024 * 1024
/** Limit: time for one call about a subscription; then it fails and is repeated later. */
const MAX_SUBSCRIPTION_MS = 20_000

export function hookContext(
  config: { baseUrl: string },
  { service, appId, person }: { service: string; appId: string; person: string },
  key: OpenServiceKey,
  granted?: readonly string[],
): HookContext {
  const secret = key.hookSecret ?? key.secret
  return {
    hookUrl: `${config.baseUrl}/hooks/${service}/${appId}`,
    key: key.key,
    hookId: key.hookId,
    person,
    granted,
    token: createHmac('sha256', secret).update('hook token').digest('hex'),
  }
}

/** With a credential as a call of its profile; without one as a call of the app. */
export async function sendHookRequest(
  upstream: Upstream,
  target: HookTarget,
  request: HookRequest,
  credential: Credential | undefined,
): Promise<UpstreamResponse> {
  const { connector, key } = target
  const fill = credential === undefined ? fillWith(key) : (value: string) => value
  const query = mapValues(request.query ?? {}, fill)
  const limits = { timeoutMs: MAX_SUBSCRIPTION_MS, maxBytes: MAX_SUBSCRIPTION_BYTES }
  const { headers, body } = encode(request, fill)
  if (credential !== undefined)
    return callService(
      { upstream, connector, key, credential },
      { method: request.method, path: request.path, query, headers, body, ...limits },
    )
  const { addresses, trust } = await locateService(upstream, { connector, key, instance: undefined })
  const url = withParameters(addressOf(addresses.apiUrl, { path: request.path }), { ...connector.api.query, ...query })
  return upstream.send({
    method: request.method,
    url,
    trust,
    headers: { ...connector.api.headers, ...headers },
    body,
    ...limits,
  })
}

function encode(
  { json, form }: HookRequest,
  fill: (value: string) => string,
): { headers: Record<string, string>; body: string | undefined } {
  if (json !== undefined) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
  if (form === undefined) return { headers: {}, body: undefined }
  const body = new URLSearchParams(mapValues(form, fill)).toString()
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }
}

function fillWith({ key, secret }: OpenServiceKey): (value: string) => string {
  return (value) => value.replaceAll(/\{(key|secret)\}/g, (_, name) => (name === 'key' ? key : secret))
}

function mapValues(values: Record<string, string>, map: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}

/** The body of a response, as JSON where it is. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Some services respond with an empty body or with plain text.
    return text
  }
}

/** Calls code of the connector: an error in it fails its subscription, not the worker. */
export function fromConnector<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    throw new UpstreamError('stop', 'The connector failed to handle a subscription.', {
      reason: 'connector_fault',
      cause,
    })
  }
}
