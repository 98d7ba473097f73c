import { StreamError } from './errors.ts'
import type { Operations } from './generated/api.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** The name of an operation: method and path, as in the OpenAPI document. */
export type Operation = keyof Operations
export type ResponseOf<K extends Operation> = Operations[K]['response']
export type QueryOf<K extends Operation> = Operations[K]['query']
export type BodyOf<K extends Operation> = Operations[K]['body']

/** A value of a query: lists are joined by commas, absent values are left out. */
export type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined

/** Who sends requests. */
export interface Core {
  transport: Transport
  /** The `Authorization` header. */
  authorization: string | undefined
}

/** A file in memory, so that it can be sent again. */
export type UploadContent = Blob | string | Uint8Array<ArrayBuffer> | ArrayBuffer

export interface Input {
  /** Values of the path's parameters. */
  path?: Record<string, string>
  query?: object | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, in place of a body of JSON. */
  content?: UploadContent | undefined
  options?: RequestOptions | undefined
}

/** A code works once, and a second use ends what the first one gave: this is sent again only if it was refused. */
const ONCE: readonly Operation[] = ['POST /oauth/access_token']

/** Calls an operation and reads the response. */
export async function call<K extends Operation>(core: Core, operation: K, input: Input = {}): Promise<ResponseOf<K>> {
  const response = await send(core, operation, input)
  return parsedBody(core, response)
}

export async function parsedBody({ transport }: Pick<Core, 'transport'>, response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === '' ? undefined : transport.parseJson(text)
  } catch (error) {
    throw new StreamError(`The response is not JSON: ${text.slice(0, 100)}`, { cause: error })
  }
}

/** Calls an operation; the caller reads the response. */
export async function send(
  { transport, authorization }: Core,
  operation: Operation,
  { path = {}, query, body, content, options = {} }: Input,
  { isStream = false, accept = 'application/json' }: { isStream?: boolean; accept?: string } = {},
): Promise<Response> {
  const [method = 'GET', template = '/'] = operation.split(' ')
  const isOnce = ONCE.includes(operation)
  return transport.send({
    ...options,
    method,
    path: template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => segment(name, path[name])),
    query: queryText(query),
    authorization,
    repeatable: isOnce ? 'refused' : 'always',
    isStream,
    headers: {
      accept,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(content === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(content === undefined ? {} : { body: content }),
    idempotencyKey:
      options.idempotencyKey ??
      (method === 'POST' && !isOnce && content === undefined ? crypto.randomUUID() : undefined),
  })
}

/** An empty segment would be another address. */
export function segment(name: string, value: string | undefined): string {
  if (value === undefined || value === '' || value === '.' || value === '..')
    throw new TypeError(`${name} must be a text that can be part of an address: ${JSON.stringify(value)}`)
  return encodeURIComponent(value)
}

export function queryText(query: object | undefined): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}) as [string, QueryValue][]) {
    if (value === undefined || value === null) continue
    pairs.append(name, typeof value === 'object' ? value.join(',') : String(value))
  }
  const text = pairs.toString()
  return text === '' ? '' : `?${text}`
}
