import { z } from 'zod'

/** The codes of JSON-RPC and MCP. Errors of our own have the positive code of their reason. */
export const RPC_CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const

export type RpcId = string | number

/** One JSON-RPC message: a request, or a notification without an id. */
export interface RpcMessage {
  id: RpcId | undefined
  method: string
  params: Record<string, unknown>
}

/** An error of the protocol, with the HTTP status of the response. */
export class RpcError extends Error {
  readonly status: number
  readonly code: number
  readonly data: unknown

  constructor(status: number, code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcError'
    this.status = status
    this.code = code
    this.data = data
  }
}

/** Limit: characters of the name of an MCP method; a longer one is refused. */
const MAX_METHOD = 100

const message = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.number()]).optional(),
  method: z.string().min(1).max(MAX_METHOD),
  params: z.record(z.string(), z.unknown()).optional(),
})

/** Reads the body of a POST: exactly one request or notification. Repeats nothing of it. */
export function readMessage(body: string): RpcMessage {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    throw new RpcError(400, RPC_CODES.parse, error instanceof SyntaxError ? 'The body is not JSON.' : 'Unreadable.')
  }
  if (Array.isArray(value)) throw new RpcError(400, RPC_CODES.invalidRequest, 'Batches are not supported.')
  const parsed = message.safeParse(value)
  if (!parsed.success)
    throw new RpcError(400, RPC_CODES.invalidRequest, 'The body must be one JSON-RPC 2.0 request or notification.')
  const { id, method, params = {} } = parsed.data
  return { id, method, params }
}

export function resultMessage(id: RpcId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

export function errorMessage(id: RpcId | undefined, code: number, text: string, data?: unknown): string {
  const error = { code, message: text, ...(data === undefined ? {} : { data }) }
  return JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error })
}
