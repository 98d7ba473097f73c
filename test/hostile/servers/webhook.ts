import fc from 'fast-check'
import type { HostileServer } from './listen.ts'
import { type RawResponse, rawResponses, startRawHttp } from './raw-http.ts'

/** The responses of a receiver, one per request, then again from the first. */
export interface WebhookCase {
  responses: RawResponse[]
}

export function startHostileReceiver({ responses }: WebhookCase): Promise<HostileServer> {
  let asked = 0
  return startRawHttp(() => responses[asked++ % responses.length])
}

export const webhookCases: fc.Arbitrary<WebhookCase> = fc.record({
  responses: fc.array(rawResponses(fc.oneof(fc.string(), fc.json(), fc.constant('x'.repeat(300_000)))), {
    minLength: 1,
    maxLength: 4,
  }),
})
