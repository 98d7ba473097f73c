import { CheckedSocket, MAX_RESPONSE_BYTES, malformed, type SocketRules, tooMuch } from '../checked-socket.ts'
import type { KindDeps } from '../contract.ts'
import type { DatabaseAddress } from '../database-address.ts'
import { checkDescription, checkMechanisms, checkRow, checkTexts, readFields } from './messages.ts'

/** Limit: bytes of one message of a PostgreSQL server, unless it is a row. Beyond it the connection is closed. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Limit: rows in the result of one statement. Beyond it the connection is closed. */
const MAX_ROWS = 200_000
/** Limit: results of one statement; ours contain at most four commands. Beyond it the connection is closed. */
const MAX_RESULTS = 16

const HEAD_BYTES = 5
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** A socket that accepts what PostgreSQL's protocol 3.0 allows in response to our statements. */
export function postgresSocket(deps: KindDeps, address: DatabaseAddress, ca: string | undefined): CheckedSocket {
  const { host, wantsPlain } = address
  const start = { request: SSL_REQUEST, checkResponse: checkTlsResponse }
  return new CheckedSocket({
    socket: deps.egress.socket({ plain: wantsPlain }),
    rules: new PostgresRules(),
    tls: wantsPlain ? undefined : { host, ca, start },
    timeouts: deps.socketTimeouts,
  })
}

function checkTlsResponse(response: Buffer): void {
  if (response[0] === 0x4e) throw new Error('The server does not support SSL connections')
  // Further unencrypted bytes must not be read as if they had come inside TLS.
  if (response.length !== 1 || response[0] !== 0x53) throw malformed('a wrong response to the TLS request')
}

/** Which authentication message may follow which. The client responds in between, except between 12 and 0. */
const AUTHENTICATION: Record<number, { length: (body: number) => boolean; next: number[] }> = {
  0: { length: (body) => body === 4, next: [] },
  3: { length: (body) => body === 4, next: [0] },
  5: { length: (body) => body === 8, next: [0] },
  10: { length: (body) => body > 5, next: [11] },
  11: { length: (body) => body > 4, next: [12] },
  12: { length: (body) => body > 4, next: [0] },
}

class PostgresRules implements SocketRules {
  readonly headBytes = HEAD_BYTES
  phase: SocketRules['phase'] = 'login'
  #allowedAuthentication = [0, 3, 5, 10]
  #isAuthenticated = false
  /** The server waits for the client's response. */
  #awaitsClient = false
  #isExtended = false
  #columns: number | undefined
  #rows = 0
  #results = 0
  #hasFailed = false

  sizeOf(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32BE(at + 1)
    if (length < 4) throw malformed('a message shorter than its own length')
    if (length > (bytes[at] === 0x44 ? MAX_RESPONSE_BYTES : MAX_MESSAGE_BYTES)) throw tooMuch()
    return 1 + length
  }

  receive(bytes: Buffer, start: number, end: number): void {
    const type = String.fromCharCode(bytes[start]!)
    const at = start + HEAD_BYTES
    if (type === 'N') readFields(bytes, at, end)
    else if (type === 'S') checkTexts(bytes, at, end, 2)
    else if (type === 'E') this.#receiveError(bytes, at, end)
    else if (this.phase === 'login') this.#receiveLogin(type, bytes, at, end)
    else if (type === 'A' && end - at > 4) checkTexts(bytes, at + 4, end, 2)
    else if (this.phase === 'busy') this.#receiveResult(type, bytes, at, end)
    else throw unexpected(type)
  }

  send(bytes: Buffer): Buffer {
    this.#awaitsClient = false
    if (this.phase !== 'idle') return bytes
    const type = String.fromCharCode(bytes[0]!)
    this.phase = type === 'X' ? 'over' : 'busy'
    this.#isExtended = type !== 'Q'
    this.#columns = undefined
    this.#rows = 0
    this.#results = 0
    this.#hasFailed = false
    return bytes
  }

  #receiveError(bytes: Buffer, at: number, end: number): void {
    const fields = readFields(bytes, at, end)
    if (this.phase === 'login') this.phase = 'over'
    // The driver only handles errors of statements; this one says why the server closes the connection.
    else if (this.phase === 'idle')
      throw Object.assign(new Error((fields.get('M') ?? '').slice(0, 300)), {
        code: (fields.get('C') ?? '').slice(0, 5),
      })
    else if (this.#hasFailed) throw unexpected('E')
    this.#hasFailed = true
  }

  #receiveLogin(type: string, bytes: Buffer, at: number, end: number): void {
    if (this.#awaitsClient) throw unexpected(type)
    if (!this.#isAuthenticated) {
      if (type !== 'R') throw unexpected(type)
      this.#receiveAuthentication(bytes, at, end)
    } else if (type === 'K') {
      if (end - at < 8 || end - at > 260) throw malformed('a key with a wrong length')
    } else if (type === 'Z') this.#receiveReady(bytes, at, end)
    else throw unexpected(type)
  }

  #receiveAuthentication(bytes: Buffer, at: number, end: number): void {
    if (end - at < 4) throw malformed('a truncated authentication message')
    const code = bytes.readUInt32BE(at)
    const known = AUTHENTICATION[code]
    if (known === undefined) throw new Error('The server requires a login method that is not supported')
    if (!this.#allowedAuthentication.includes(code) || !known.length(end - at))
      throw malformed('an unexpected authentication message')
    if (code === 10) checkMechanisms(bytes, at + 4, end)
    this.#isAuthenticated = code === 0
    this.#awaitsClient = code !== 0 && code !== 12
    this.#allowedAuthentication = known.next
  }

  #receiveReady(bytes: Buffer, at: number, end: number): void {
    if (end - at !== 1 || !'ITE'.includes(String.fromCharCode(bytes[at]!))) throw malformed('a wrong end of a result')
    this.phase = 'idle'
  }

  #receiveResult(type: string, bytes: Buffer, at: number, end: number): void {
    if (type === 'Z') {
      // The driver would add the rows of an unfinished result to the next one.
      if (!this.#hasFailed && (this.#columns !== undefined || this.#results === 0)) throw unexpected(type)
      this.#receiveReady(bytes, at, end)
    } else if (this.#hasFailed) throw unexpected(type)
    else if (type === 'D') this.#receiveRow(bytes, at, end)
    else if (type === 'T') this.#columns = checkDescription(bytes, at, end)
    else if (type === 'C' || type === 'I') this.#receiveEnd(type, bytes, at, end)
    else if (!this.#isExtended || !'12n'.includes(type) || end !== at) throw unexpected(type)
  }

  #receiveRow(bytes: Buffer, at: number, end: number): void {
    if (this.#columns === undefined) throw unexpected('D')
    this.#rows += 1
    if (this.#rows > MAX_ROWS) throw tooMuch()
    checkRow(bytes, at, end, this.#columns)
  }

  #receiveEnd(type: string, bytes: Buffer, at: number, end: number): void {
    checkTexts(bytes, at, end, type === 'C' ? 1 : 0)
    this.#columns = undefined
    this.#results += 1
    if (this.#results > (this.#isExtended ? 1 : MAX_RESULTS)) throw unexpected(type)
  }
}

function unexpected(type: string): Error {
  return malformed(`an unexpected message ${JSON.stringify(type)}`)
}
