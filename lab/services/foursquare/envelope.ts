import { secret } from '../../base/random.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'

const requestId = (): string => secret(12)

/** Every response is wrapped; the envelope repeats the status. */
export const enveloped = (response: unknown): Reply =>
  json(200, {
    meta: { code: 200, requestId: requestId() },
    notifications: [{ type: 'notificationTray', item: { unreadCount: 0 } }],
    response,
  })

export function apiError(code: number, errorType: string, errorDetail: string, headers = {}): Refusal {
  return new Refusal(
    json(code, { meta: { code, errorType, errorDetail, requestId: requestId() }, response: {} }, headers),
  )
}

export const wrongParameter = (detail: string): Refusal => apiError(400, 'param_error', detail)
