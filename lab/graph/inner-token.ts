import { Refusal } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { callRoute, fieldsIn } from '../oauth2/inside.ts'
import type { OAuth2Server } from '../oauth2/server.ts'

/** The response of the standard authorization server inside; the service converts it to the vendor's shape. */
export interface InnerTokenResponse {
  access_token: string
  expires_in: number
  scope: string
  user_id: string
}

interface TokenRequest {
  method: 'GET' | 'POST'
  path: string
  params: Record<string, string | undefined>
  /** Maps the inner server's error description to the vendor's error. */
  toError(description: string): Refusal
}

export async function requestToken(oauth: OAuth2Server, tokenRequest: TokenRequest): Promise<InnerTokenResponse> {
  const { method, path } = tokenRequest
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(tokenRequest.params)) if (value !== undefined) pairs.set(name, value)
  const request: LabRequest = {
    method,
    target: path,
    path,
    query: method === 'GET' ? [...pairs] : [],
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    rawHeaders: [],
    body: Buffer.from(method === 'GET' ? '' : pairs.toString()),
  }
  try {
    return fieldsIn(await callRoute(oauth.routes, `${method} ${path}`, request)) as unknown as InnerTokenResponse
  } catch (error) {
    if (error instanceof Refusal) throw tokenRequest.toError(String(fieldsIn(error.reply)['error_description']))
    throw error
  }
}
