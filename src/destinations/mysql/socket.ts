import { CheckedSocket, malformed, type SocketRules, tooMuch } from '../checked-socket.ts'
import type { KindDeps } from '../contract.ts'
import type { DatabaseAddress } from '../database-address.ts'
import { checkColumn, checkEndOfRows, checkOk, checkRow, isEndOfRows, readError, readGreeting } from './packets.ts'

/** Limit: bytes of one packet of a MySQL server; larger values would be split. Beyond it the connection is closed. */
const MAX_PACKET_BYTES = 0xff_ff_ff - 1
/** Limit: bytes of a packet of a MySQL server, unless it is a row. Beyond it the connection is closed. */
const MAX_SMALL_PACKET_BYTES = 64 * 1024
/** Limit: columns of a result; our statements read at most 18. Beyond it the connection is closed. */
const MAX_COLUMNS = 250
/** Limit: rows in the result of one statement. Beyond it the connection is closed. */
const MAX_ROWS = 200_000
/** Limit: packets of a server during the login. Beyond it the connection is closed. */
const MAX_LOGIN_PACKETS = 8

const HEAD_BYTES = 4
const SSL_REQUEST_BYTES = 32
const CLIENT_TLS = 0x08
const COMMAND_QUIT = 1
const COMMAND_QUERY = 3
/** Others would send the password in clear text, also to an impostor. */
const LOGIN_PLUGINS = new Set(['mysql_native_password', 'caching_sha2_password', 'sha256_password'])

/** A socket that accepts what MySQL's protocol allows in response to statements sent as text. */
export function mysqlSocket(deps: KindDeps, address: DatabaseAddress, ca: string | undefined): CheckedSocket {
  const { host, wantsPlain } = address
  return new CheckedSocket({
    socket: deps.egress.socket({ plain: wantsPlain }),
    rules: new MysqlRules(!wantsPlain),
    tls: wantsPlain ? undefined : { host, ca, start: { requestBefore: tlsRequest } },
    timeouts: deps.socketTimeouts,
  })
}

/** The start of the driver's own response to the greeting, with the TLS flag set. */
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
  /** The driver does not know of our TLS request, so during the login its packet numbers are one less than the server's. */
  readonly #numberOffset: number
  #stage: 'greeting' | 'signIn' | 'header' | 'columns' | 'columnsEnd' | 'rows' = 'greeting'
  /** The number that the next packet must have, as the driver counts. */
  #nextNumber = 0
  /** The server waits for the driver's response. */
  #awaitsClient = false
  #loginPackets = 0
  #columns = 0
  #columnsLeft = 0
  #rows = 0
  /** Bytes of the driver's current packet that are not sent yet. */
  #unsent = 0

  constructor(needsTls: boolean) {
    this.#needsTls = needsTls
    this.#numberOffset = needsTls ? 1 : 0
  }

  sizeOf(bytes: Buffer, at: number): number {
    const length = bytes.readUIntLE(at, 3)
    if (length === 0) throw malformed('an empty packet')
    if (length > (this.#stage === 'rows' ? MAX_PACKET_BYTES : MAX_SMALL_PACKET_BYTES)) throw tooMuch()
    return HEAD_BYTES + length
  }

  receive(bytes: Buffer, start: number, end: number): void {
    const at = start + HEAD_BYTES
    const isError = bytes[at] === 0xff
    // The driver only handles errors of statements; this one says why the server closes the connection.
    if (isError && (this.phase === 'idle' || (this.#stage === 'header' && bytes[start + 3] === 0)))
      throw readError(bytes, at, end)
    if (this.phase === 'idle' || this.#awaitsClient) throw malformed('an unexpected packet')
    if (this.phase === 'login' && this.#stage === 'signIn') bytes[start + 3]! -= this.#numberOffset
    if (bytes[start + 3] !== this.#nextNumber) throw malformed('packets out of order')
    this.#nextNumber = (this.#nextNumber + 1) % 256
    if (isError) {
      readError(bytes, at, end)
      this.phase = this.phase === 'login' ? 'over' : 'idle'
    } else if (this.phase === 'login') this.#receiveLogin(bytes, at, end)
    else this.#receiveResult(bytes, at, end)
  }

  send(bytes: Buffer): Buffer {
    if (this.#unsent > 0) {
      this.#unsent -= bytes.length
      return bytes
    }
    this.#unsent = bytes.readUIntLE(0, 3) + HEAD_BYTES - bytes.length
    this.#nextNumber = (bytes[3]! + 1) % 256
    this.#awaitsClient = false
    if (this.phase === 'login') {
      if (this.#needsTls && this.#loginPackets === 1) bytes[HEAD_BYTES + 1]! |= CLIENT_TLS
      bytes[3]! += this.#numberOffset
    } else if (this.phase === 'idle') {
      this.phase = bytes[HEAD_BYTES] === COMMAND_QUIT ? 'over' : 'busy'
      if (this.phase === 'busy' && bytes[HEAD_BYTES] !== COMMAND_QUERY)
        throw new Error('Only statements as text may be sent')
      this.#stage = 'header'
      this.#rows = 0
    }
    return bytes
  }

  #receiveLogin(bytes: Buffer, at: number, end: number): void {
    this.#loginPackets += 1
    if (this.#loginPackets > MAX_LOGIN_PACKETS) throw malformed('the login does not end')
    if (this.#stage === 'greeting') {
      const offersTls = readGreeting(bytes, at, end)
      if (this.#needsTls && !offersTls) throw new Error('The server does not support secure connections')
      this.#stage = 'signIn'
      this.#awaitsClient = true
    } else if (bytes[at] === 0x00) {
      checkOk(bytes, at, end)
      this.phase = 'idle'
    } else if (bytes[at] === 0xfe) this.#receiveSwitch(bytes, at, end)
    // More data: the server waits for a response, unless it says that the login is complete.
    else if (bytes[at] === 0x01) this.#awaitsClient = !(end - at === 2 && bytes[at + 1] === 3)
    else throw malformed('an unknown packet during the login')
  }

  #receiveSwitch(bytes: Buffer, at: number, end: number): void {
    const zero = bytes.indexOf(0, at)
    const plugin = zero < 0 || zero >= end ? '' : bytes.toString('latin1', at + 1, Math.min(zero, at + 100))
    if (!LOGIN_PLUGINS.has(plugin)) throw new Error('The server requires a login method that is not supported')
    if (end - zero < 21) throw malformed('a truncated salt')
    this.#awaitsClient = true
  }

  #receiveResult(bytes: Buffer, at: number, end: number): void {
    if (this.#stage === 'header') this.#receiveHeader(bytes, at, end)
    else if (this.#stage === 'columns') {
      checkColumn(bytes, at, end)
      this.#columnsLeft -= 1
      if (this.#columnsLeft === 0) this.#stage = 'columnsEnd'
    } else if (isEndOfRows(bytes, at, end)) {
      checkEndOfRows(bytes, at, end)
      if (this.#stage === 'rows') this.phase = 'idle'
      this.#stage = 'rows'
    } else {
      if (this.#stage === 'columnsEnd') throw malformed('columns without an end')
      this.#rows += 1
      if (this.#rows > MAX_ROWS) throw tooMuch()
      checkRow(bytes, at, end, this.#columns)
    }
  }

  #receiveHeader(bytes: Buffer, at: number, end: number): void {
    const first = bytes[at]!
    if (first === 0x00) {
      checkOk(bytes, at, end)
      this.phase = 'idle'
      return
    }
    if (first === 0xfb) throw malformed('it requests one of our files')
    if (first > MAX_COLUMNS || end - at !== 1) throw malformed('an impossible number of columns')
    this.#columns = first
    this.#columnsLeft = first
    this.#stage = 'columns'
  }
}
