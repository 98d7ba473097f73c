import { CheckedSocket, MAX_RESPONSE_BYTES, malformed, type SocketRules, tooMuch } from '../checked-socket.ts'
import type { KindDeps } from '../contract.ts'
import type { DatabaseAddress } from '../database-address.ts'
import { checkDescription, checkMechanisms, checkRow, checkTexts, readFields } from './messages.ts'

/** Limit: bytes of one message of a PostgreSQL server that is no row. Beyond it the connection is cut. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Limit: rows in answer to one statement. Beyond it the connection is cut. */
const MAX_ROWS = 200_000
/** Limit: results in answer to one statement; ours hold four commands at most. Beyond it the connection is cut. */
const MAX_RESULTS = 16

const HEAD_BYTES = 5
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** A line that lets pass what PostgreSQL's protocol 3.0 allows and our statements can bring. */
export function postgresSocket(deps: KindDeps, address: DatabaseAddress, ca: string | undefined): CheckedSocket {
  const { host, wantsPlain } = address
  const start = { question: SSL_REQUEST, checkAnswer: checkTlsResponse }
  return new CheckedSocket({
    socket: deps.egress.socket({ plain: wantsPlain }),
    rules: new PostgresRules(),
    tls: wantsPlain ? undefined : { host, ca, start },
    times: deps.socketTimeouts,
  })
}

function checkTlsResponse(response: Buffer): void {
  if (response[0] === 0x4e) throw new Error('The server does not support SSL connections')
  // More than one byte could be meant to be read as if it had come inside TLS.
  if (response.length !== 1 || response[0] !== 0x53) throw malformed('no answer to the question for TLS')
}

/** What may follow each way of signing in; the client speaks between them, except before 0 after 12. */
const SIGN_IN: Record<number, { length: (body: number) => boolean; next: number[] }> = {
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
  #signIn = [0, 3, 5, 10]
  #isSignedIn = false
  /** The server asked something, and the client has not answered yet. */
  #isOurTurn = false
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

  take(bytes: Buffer, start: number, end: number): void {
    const type = String.fromCharCode(bytes[start]!)
    const at = start + HEAD_BYTES
    if (type === 'N') readFields(bytes, at, end)
    else if (type === 'S') checkTexts(bytes, at, end, 2)
    else if (type === 'E') this.#takeError(bytes, at, end)
    else if (this.phase === 'login') this.#takeLogin(type, bytes, at, end)
    else if (type === 'A' && end - at > 4) checkTexts(bytes, at + 4, end, 2)
    else if (this.phase === 'busy') this.#takeAnswer(type, bytes, at, end)
    else throw unasked(type)
  }

  sent(bytes: Buffer): Buffer {
    this.#isOurTurn = false
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

  #takeError(bytes: Buffer, at: number, end: number): void {
    const fields = readFields(bytes, at, end)
    if (this.phase === 'login') this.phase = 'over'
    // The driver knows errors of statements alone; this one says why the server leaves.
    else if (this.phase === 'idle')
      throw Object.assign(new Error((fields.get('M') ?? '').slice(0, 300)), {
        code: (fields.get('C') ?? '').slice(0, 5),
      })
    else if (this.#hasFailed) throw unasked('E')
    this.#hasFailed = true
  }

  #takeLogin(type: string, bytes: Buffer, at: number, end: number): void {
    if (this.#isOurTurn) throw unasked(type)
    if (!this.#isSignedIn) {
      if (type !== 'R') throw unasked(type)
      this.#takeSignIn(bytes, at, end)
    } else if (type === 'K') {
      if (end - at < 8 || end - at > 260) throw malformed('a key of another length')
    } else if (type === 'Z') this.#takeReady(bytes, at, end)
    else throw unasked(type)
  }

  #takeSignIn(bytes: Buffer, at: number, end: number): void {
    if (end - at < 4) throw malformed('a cut sign-in')
    const code = bytes.readUInt32BE(at)
    const known = SIGN_IN[code]
    if (known === undefined) throw new Error('The server asks for a way of signing in that is not supported')
    if (!this.#signIn.includes(code) || !known.length(end - at)) throw malformed('a sign-in out of turn')
    if (code === 10) checkMechanisms(bytes, at + 4, end)
    this.#isSignedIn = code === 0
    this.#isOurTurn = code !== 0 && code !== 12
    this.#signIn = known.next
  }

  #takeReady(bytes: Buffer, at: number, end: number): void {
    if (end - at !== 1 || !'ITE'.includes(String.fromCharCode(bytes[at]!))) throw malformed('an odd end of an answer')
    this.phase = 'idle'
  }

  #takeAnswer(type: string, bytes: Buffer, at: number, end: number): void {
    if (type === 'Z') {
      // The rows of a result that is not finished would be taken for those of the next.
      if (!this.#hasFailed && (this.#columns !== undefined || this.#results === 0)) throw unasked(type)
      this.#takeReady(bytes, at, end)
    } else if (this.#hasFailed) throw unasked(type)
    else if (type === 'D') this.#takeRow(bytes, at, end)
    else if (type === 'T') this.#columns = checkDescription(bytes, at, end)
    else if (type === 'C' || type === 'I') this.#takeEnd(type, bytes, at, end)
    else if (!this.#isExtended || !'12n'.includes(type) || end !== at) throw unasked(type)
  }

  #takeRow(bytes: Buffer, at: number, end: number): void {
    if (this.#columns === undefined) throw unasked('D')
    this.#rows += 1
    if (this.#rows > MAX_ROWS) throw tooMuch()
    checkRow(bytes, at, end, this.#columns)
  }

  #takeEnd(type: string, bytes: Buffer, at: number, end: number): void {
    checkTexts(bytes, at, end, type === 'C' ? 1 : 0)
    this.#columns = undefined
    this.#results += 1
    if (this.#results > (this.#isExtended ? 1 : MAX_RESULTS)) throw unasked(type)
  }
}

function unasked(type: string): Error {
  return malformed(`a message ${JSON.stringify(type)} out of turn`)
}
