import assert from 'node:assert/strict'
import { until } from '../../../harness/until.ts'
import { rawClient } from '../../operating/raw-http.ts'
import type { ProxyHarness } from '../fixture.ts'

export interface MadeToken {
  id: string
  token: string
  service: string
  methods?: string[]
  expires_at?: number
}

interface ListedToken extends Omit<MadeToken, 'token'> {
  label?: string
  made_by: string
  created_at: number
  used_at?: number
}

interface Sent {
  status: number
  /** Undefined if it is not JSON. */
  body: ({ reason?: string; error?: string; param?: string } & Record<string, unknown>) | undefined
}

interface Calling {
  method?: string
  service?: string
  path?: string
  headers?: Record<string, string>
}

export type Requests = ReturnType<typeof requestsOf>

/** Requests to a server about tokens for services, and with them. */
export function requestsOf(url: string) {
  const send = async (
    method: string,
    path: string,
    token: string | undefined,
    content?: object,
    more: Record<string, string> = {},
  ): Promise<Sent> => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    }
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
    return { status: response.status, body: isJson ? (JSON.parse(text) as NonNullable<Sent['body']>) : undefined }
  }
  return {
    until,
    send,
    make: async (token: string, request: object = { service: 'plain' }): Promise<MadeToken> => {
      const { status, body } = await send('POST', '/proxy-tokens', token, request)
      assert.equal(status, 201, JSON.stringify(body))
      return body as unknown as MadeToken
    },
    list: async (token: string): Promise<ListedToken[]> => {
      const { status, body } = await send('GET', '/proxy-tokens', token)
      assert.equal(status, 200)
      return body as unknown as ListedToken[]
    },
    revoke: async (token: string, id: string): Promise<void> => {
      assert.equal((await send('DELETE', `/proxy-tokens/${id}`, token)).status, 200)
    },
    /** `ok`, or status and reason of a refusal. */
    call: async (
      token: string | undefined,
      { method = 'GET', service = 'plain', path = '/x', headers }: Calling = {},
    ) => {
      const { status, body } = await send(method, `/proxy/${service}${path}`, token, undefined, headers)
      return status === 200 ? 'ok' : `${status} ${body?.reason}`
    },
    /** The status line of a call whose path `fetch` would change. */
    callRaw: async (token: string, path: string): Promise<string> => {
      const client = await rawClient(url)
      client.send(
        `GET /proxy/plain${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      )
      return (await client.ended).split('\r\n')[0]!
    },
    byApp: (harness: ProxyHarness, method: string, path: string, content?: object) =>
      send(method, path, undefined, content, { authorization: harness.basic }),
  }
}
