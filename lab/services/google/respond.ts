import { json, Refusal } from '../../base/reply.ts'

interface Details {
  domain?: string
  location?: string
  locationType?: 'parameter' | 'header'
  status?: string
  /** `google.rpc.ErrorInfo` of newer APIs. */
  info?: { reason: string; metadata?: Record<string, string> }
}

/** An error as Google's APIs send it. */
export function failure(status: number, reason: string, message: string, more: Details = {}): Refusal {
  const { domain = 'global', location, locationType = 'parameter', info } = more
  return new Refusal(
    json(status, {
      error: {
        code: status,
        message,
        errors: [{ message, domain, reason, ...(location && { location, locationType }) }],
        ...(more.status && { status: more.status }),
        ...(info && {
          details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'googleapis.com', ...info }],
        }),
      },
    }),
  )
}

export const invalid = (parameter: string, message = 'Invalid Value') =>
  failure(400, 'invalid', message, { location: parameter })

export const notFound = () => failure(404, 'notFound', 'Not Found')
