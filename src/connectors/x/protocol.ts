import type { Api, Hook } from '#kit/connector.ts'
import { sameText } from '#kit/hook.ts'
import { rateFrom } from '#kit/rate.ts'

/** Limits are per endpoint and person, mostly in windows of 15 minutes. */
export const rate = rateFrom({ remaining: 'x-rate-limit-remaining', reset: 'x-rate-limit-reset', of: 'endpoint' })

/** A reached cap and missing access must be fixed by the operator, so such calls are not retried. 402 is for all services the same. */
export const recovery: NonNullable<Api['recovery']> = ({ status, body }) => {
  const { type } = (body ?? {}) as { type?: unknown }
  const problem = typeof type === 'string' ? type.split('/').at(-1) : undefined
  if (problem === 'usage-capped' || problem === 'client-forbidden') return 'stop'
  if (problem === 'not-authorized-for-resource' || problem === 'resource-not-found')
    return status >= 400 ? 'skip' : undefined
  return undefined
}

interface Delivery {
  /** Account Activity API. */
  for_user_id?: string
  /** X Activity API. */
  data?: { filter?: { user_id?: string } }
}

/** The hook's secret is the app's consumer secret (“API key secret”), not the OAuth 2 client secret. */
export const hook: Hook = {
  handshake: ({ crc_token }, _secret, sign) =>
    crc_token === undefined
      ? undefined
      : JSON.stringify({ response_token: signature(sign('sha256', crc_token, 'base64')) }),
  verify: ({ headers, body, sign }) =>
    sameText(sign, headers['x-twitter-webhooks-signature'] ?? '', signature(sign('sha256', body, 'base64'))),
  people: (body) => {
    const { for_user_id, data } = body as Delivery
    return [for_user_id, data?.filter?.user_id].filter((id) => id !== undefined)
  },
}

const signature = (digest: string) => `sha256=${digest}`
