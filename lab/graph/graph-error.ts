import { randomBytes } from 'node:crypto'
import { json, Refusal } from '../base/reply.ts'

interface GraphErrorParts {
  status?: number
  type?: 'OAuthException' | 'GraphMethodException' | 'IGApiException'
  code: number
  subcode?: number
  transient?: boolean
}

/** The error body of the Graph API. Most errors have status 400, expired tokens too. */
export function graphError(message: string, parts: GraphErrorParts): Refusal {
  const { status = 400, type = 'OAuthException', code, subcode, transient } = parts
  const headers =
    code === 190 ? { 'www-authenticate': `OAuth "Facebook Platform" "invalid_token" "${message}"` } : undefined
  return new Refusal(
    json(
      status,
      {
        error: {
          message,
          type,
          ...(transient === undefined ? {} : { is_transient: transient }),
          code,
          ...(subcode === undefined ? {} : { error_subcode: subcode }),
          fbtrace_id: `A${randomBytes(8).toString('base64url')}`,
        },
      },
      headers,
    ),
  )
}

export const wrongParameter = (message: string): Refusal => graphError(`(#100) ${message}`, { code: 100 })

export const noSuchObject = (id: string, method = 'get'): Refusal =>
  graphError(
    `Unsupported ${method} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { type: 'GraphMethodException', code: 100, subcode: 33 },
  )

export const unknownPath = (path: string): Refusal => graphError(`Unknown path components: /${path}`, { code: 2500 })
