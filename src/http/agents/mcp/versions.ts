import type { IncomingHttpHeaders } from 'node:http'
import { RPC_CODES, RpcError, type RpcMessage } from './messages.ts'

/** The revision whose requests describe themselves; there is no handshake and no session. */
export const MODERN_VERSION = '2026-07-28'
/** Revisions with a handshake, newest first. They are served without a session, too. */
const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18']
export const VERSIONS = [MODERN_VERSION, ...LEGACY_VERSIONS]

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** The version of a legacy handshake: the requested one, or the newest that we have. */
export function negotiate({ params }: RpcMessage): string {
  const wanted = LEGACY_VERSIONS.find((version) => version === params['protocolVersion'])
  return wanted ?? LEGACY_VERSIONS[0]!
}

/** Checks the headers that repeat parts of the message, and returns the version of the request. */
export function versionOf(headers: IncomingHttpHeaders, message: RpcMessage): string {
  const header = headers['mcp-protocol-version']
  const meta = message.params['_meta']
  const inBody = isRecord(meta) ? meta[VERSION_KEY] : undefined
  if (typeof header !== 'string') throw mismatch('The header MCP-Protocol-Version is missing.')
  if (!VERSIONS.includes(header))
    throw new RpcError(400, RPC_CODES.unsupportedVersion, 'Unsupported protocol version', {
      supported: VERSIONS,
      requested: header.slice(0, 40),
    })
  if (header !== MODERN_VERSION) return header
  if (message.id !== undefined && inBody !== header)
    throw mismatch(`MCP-Protocol-Version differs from _meta["${VERSION_KEY}"], or one is missing.`)
  if (message.id !== undefined && headers['mcp-method'] !== message.method)
    throw mismatch('The header Mcp-Method is missing, or differs from the method.')
  if (message.method === 'tools/call' && decoded(headers['mcp-name']) !== message.params['name'])
    throw mismatch('The header Mcp-Name is missing, or differs from the name of the tool.')
  return header
}

/** A name with other characters than ASCII is sent in base64. */
function decoded(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const encoded = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value)?.[1]
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}

function mismatch(sentence: string): RpcError {
  return new RpcError(400, RPC_CODES.headerMismatch, sentence)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
