import { CheckedSocket, malformed, type SocketRules, tooMuch } from '../checked-socket.ts'
import type { KindDeps } from '../contract.ts'
import type { DatabaseAddress } from '../database-address.ts'
import { checkColumn, checkEndOfRows, checkOk, checkRow, isEndOfRows, readError, takeGreeting } from './packets.ts'

/** Limit: bytes of one packet of a MySQL server; larger values would come in parts. Beyond it the connection is cut. */
const MAX_PACKET_BYTES = 0xff_ff_ff - 1
/** Limit: bytes of a packet of a MySQL server that is no row. Beyond it the connection is cut. */
const MAX_SMALL_PACKET_BYTES = 64 * 1024
/** Limit: columns of a result; our statements ask for 18 at most. Beyond it the connection is cut. */
const MAX_COLUMNS = 250
/** Limit: rows in answer to one statement. Beyond it the connection is cut. */
const MAX_ROWS = 200_000
/** Limit: packets of a server while it lets us in. Beyond it the connection is cut. */
const MAX_LOGIN_PACKETS = 8

const HEAD_BYTES = 4
const SSL_REQUEST_BYTES = 32
const CLIENT_TLS = 0x08
const COMMAND_QUIT = 1
const COMMAND_QUERY = 3
/** The others would send the password as it is, also to a server that only says that it is one. */
const SIGN_IN_PLUGINS = new Set(['mysql_native_password', 'caching_sha2_password', 'sha256_password'])

/** A line that lets pass what MySQL's protocol allows in answer to plain statements. */
export function mysqlSocket(deps: KindDeps, address: DatabaseAddress, ca: string | undefined): CheckedSocket {
  const { host, wantsPlain } = address
  return new CheckedSocket({
    socket: deps.egress.socket({ plain: wantsPlain }),
    rules: new MysqlRules(!wantsPlain),
    tls: wantsPlain ? undefined : { host, ca, start: { requestBefore: tlsRequest } },
    times: deps.socketTimeouts,
  })
}

/** The beginning of the driver's own answer to the greeting, with the wish for TLS. */
function tlsRequest(first: Buffer): Buffer {
  const request = Buffer.concat([
    Buffer.from([SSL_REQUEST_BYTES, 0, 0, 1]),
    first.subarray(HEAD_BYTES, HEAD_BYTES + SSL_REQUEST_BYTES),
  ])
  request[HEAD_BYTES + 1]! |= CLIENT_TLS
  return request
}

class MysqlRules implements SocketRules {
  readonly headBytes = HEAD_BYTES
  phase: SocketRules['phase'] = 'login'
  readonly #needsTls: boolean
  /** The driver does not know of our request for TLS, so it counts one packet less until it is let in. */
  readonly #uncounted: number
  #part: 'greeting' | 'signIn' | 'header' | 'columns' | 'columnsEnd' | 'rows' = 'greeting'
  /** The number that the next packet must have, as the driver counts. */
  #next = 0
  #isOurTurn = false
  #loginPackets = 0
  #columns = 0
  #columnsLeft = 0
  #rows = 0
  /** Bytes that follow of a packet of the driver. */
  #unsent = 0

  constructor(needsTls: boolean) {
    this.#needsTls = needsTls
    this.#uncounted = needsTls ? 1 : 0
  }

  sizeOf(bytes: Buffer, at: number): number {
    const length = bytes.readUIntLE(at, 3)
    if (length === 0) throw malformed('an empty packet')
    if (length > (this.#part === 'rows' ? MAX_PACKET_BYTES : MAX_SMALL_PACKET_BYTES)) throw tooMuch()
    return HEAD_BYTES + length
  }

  take(bytes: Buffer, start: number, end: number): void {
    const at = start + HEAD_BYTES
    const isError = bytes[at] === 0xff
    // The driver knows errors of statements alone; this one says why the server leaves.
    if (isError && (this.phase === 'idle' || (this.#part === 'header' && bytes[start + 3] === 0)))
      throw readError(bytes, at, end)
    if (this.phase === 'idle' || this.#isOurTurn) throw malformed('a packet out of turn')
    if (this.phase === 'login' && this.#part === 'signIn') bytes[start + 3]! -= this.#uncounted
    if (bytes[start + 3] !== this.#next) throw malformed('packets out of order')
    this.#next = (this.#next + 1) % 256
    if (isError) {
      readError(bytes, at, end)
      this.phase = this.phase === 'login' ? 'over' : 'idle'
    } else if (this.phase === 'login') this.#takeLogin(bytes, at, end)
    else this.#takeAnswer(bytes, at, end)
  }

  sent(bytes: Buffer): Buffer {
    if (this.#unsent > 0) {
      this.#unsent -= bytes.length
      return bytes
    }
    this.#unsent = bytes.readUIntLE(0, 3) + HEAD_BYTES - bytes.length
    this.#next = (bytes[3]! + 1) % 256
    this.#isOurTurn = false
    if (this.phase === 'login') {
      if (this.#needsTls && this.#loginPackets === 1) bytes[HEAD_BYTES + 1]! |= CLIENT_TLS
      bytes[3]! += this.#uncounted
    } else if (this.phase === 'idle') {
      this.phase = bytes[HEAD_BYTES] === COMMAND_QUIT ? 'over' : 'busy'
      if (this.phase === 'busy' && bytes[HEAD_BYTES] !== COMMAND_QUERY)
        throw new Error('Only plain statements are sent')
      this.#part = 'header'
      this.#rows = 0
    }
    return bytes
  }

  #takeLogin(bytes: Buffer, at: number, end: number): void {
    this.#loginPackets += 1
    if (this.#loginPackets > MAX_LOGIN_PACKETS) throw malformed('signing in has no end')
    if (this.#part === 'greeting') {
      const offersTls = takeGreeting(bytes, at, end)
      if (this.#needsTls && !offersTls) throw new Error('The server does not support secure connections')
      this.#part = 'signIn'
      this.#isOurTurn = true
    } else if (bytes[at] === 0x00) {
      checkOk(bytes, at, end)
      this.phase = 'idle'
    } else if (bytes[at] === 0xfe) this.#takeSwitch(bytes, at, end)
    // More data: a wish for an answer, except for the word that no more is needed.
    else if (bytes[at] === 0x01) this.#isOurTurn = !(end - at === 2 && bytes[at + 1] === 3)
    else throw malformed('an odd packet while signing in')
  }

  #takeSwitch(bytes: Buffer, at: number, end: number): void {
    const zero = bytes.indexOf(0, at)
    const plugin = zero < 0 || zero >= end ? '' : bytes.toString('latin1', at + 1, Math.min(zero, at + 100))
    if (!SIGN_IN_PLUGINS.has(plugin)) throw new Error('The server asks for a way of signing in that is not supported')
    if (end - zero < 21) throw malformed('a cut salt')
    this.#isOurTurn = true
  }

  #takeAnswer(bytes: Buffer, at: number, end: number): void {
    if (this.#part === 'header') this.#takeHeader(bytes, at, end)
    else if (this.#part === 'columns') {
      checkColumn(bytes, at, end)
      this.#columnsLeft -= 1
      if (this.#columnsLeft === 0) this.#part = 'columnsEnd'
    } else if (isEndOfRows(bytes, at, end)) {
      checkEndOfRows(bytes, at, end)
      if (this.#part === 'rows') this.phase = 'idle'
      this.#part = 'rows'
    } else {
      if (this.#part === 'columnsEnd') throw malformed('columns without an end')
      this.#rows += 1
      if (this.#rows > MAX_ROWS) throw tooMuch()
      checkRow(bytes, at, end, this.#columns)
    }
  }

  #takeHeader(bytes: Buffer, at: number, end: number): void {
    const first = bytes[at]!
    if (first === 0x00) {
      checkOk(bytes, at, end)
      this.phase = 'idle'
      return
    }
    if (first === 0xfb) throw malformed('it asks for a file of ours')
    if (first > MAX_COLUMNS || end - at !== 1) throw malformed('an odd number of columns')
    this.#columns = first
    this.#columnsLeft = first
    this.#part = 'columns'
  }
}
