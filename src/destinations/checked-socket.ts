import { isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

/** Limit: bytes that a database may send in response to one statement. Beyond it the connection is closed, and the delivery is tried again later. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024
/** Limit: bytes that a database may send until we are logged in. Beyond it the connection is closed. */
const MAX_LOGIN_BYTES = 256 * 1024
/** Limit: time for connecting, TLS and logging in to a database. Beyond it the connection is closed. */
const MAX_LOGIN_MS = 10_000
/** Limit: time from a statement to the end of its response; the statement timeout in the database is shorter. Beyond it the connection is closed. */
const MAX_RESPONSE_MS = 35_000
/** Limit: time that a database has to close a connection after we asked for it. Beyond it we close it. */
const MAX_CLOSE_MS = 1000

export interface SocketTimeouts {
  loginMs: number
  responseMs: number
  closeMs: number
}

/**
 * The checks of one protocol. Drivers trust their server: a wrong length or an unexpected message makes them throw where nothing
 * catches, or loop without end. So they see only complete messages, each checked, and only when they expect one.
 */
export interface SocketRules {
  /** Bytes at the start of a message that contain its length. */
  readonly headBytes: number
  /** `over`: one side ended the connection, and nothing follows. */
  readonly phase: 'login' | 'idle' | 'busy' | 'over'
  /** The size of the message that starts here; throws when the size is impossible. */
  sizeOf(bytes: Buffer, at: number): number
  /** Checks a complete message and updates which ones may follow; throws when it is wrong. */
  receive(bytes: Buffer, at: number, end: number): void
  /** Tracks what the driver sends, and returns the bytes to send. */
  send(bytes: Buffer): Buffer
}

/** How a protocol starts TLS: by a request as soon as the socket is open, or by one before the driver's first message. */
export type TlsStart =
  | { request: Buffer; checkResponse: (response: Buffer) => void }
  | { requestBefore: (first: Buffer) => Buffer }

export interface CheckedSocketOptions {
  /** A socket of the egress guard that is not connected yet. */
  socket: Socket
  rules: SocketRules
  /** Undefined: without TLS. */
  tls: { host: string; ca: string | undefined; start: TlsStart } | undefined
  timeouts?: Partial<SocketTimeouts> | undefined
}

/** The socket that a database driver gets. It does TLS itself, and checks every byte of the server before the driver sees it. */
export class CheckedSocket extends Duplex {
  readonly #rules: SocketRules
  readonly #tls: CheckedSocketOptions['tls']
  readonly #timeouts: SocketTimeouts
  readonly #socket: Socket
  /** The unencrypted side: the socket, or TLS over it. */
  #source: Socket
  #isSecure = false
  #phase: SocketRules['phase'] = 'login'
  #timer: NodeJS.Timeout | undefined
  /** Bytes since the last statement. */
  #received = 0
  /** The start of a message that is not complete yet. */
  #partial: Buffer[] = []
  #partialBytes = 0
  #neededBytes = 0

  constructor({ socket, rules, tls, timeouts }: CheckedSocketOptions) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#source = socket
    this.#rules = rules
    this.#tls = tls
    this.#timeouts = { loginMs: MAX_LOGIN_MS, responseMs: MAX_RESPONSE_MS, closeMs: MAX_CLOSE_MS, ...timeouts }
    // The pending statement fails with the error; one that comes later must not end the process.
    this.on('error', () => {})
    socket.on('error', (error) => this.destroy(error)).on('close', () => this.destroy())
  }

  connect(port: number, host: string): this {
    this.#startTimer(this.#timeouts.loginMs, 'did not let us in')
    this.#socket.setNoDelay(true)
    this.#socket.once('connect', () => this.#opened())
    this.#socket.connect(port, host)
    return this
  }

  // Drivers call these on sockets.
  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    this.#socket.ref()
    return this
  }

  unref(): this {
    this.#socket.unref()
    return this
  }

  // A driver that throws while it reads is in an unknown state: its connection is closed, and the process goes on.
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...values)
    try {
      return super.emit(event, ...values)
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)))
      return true
    }
  }

  override _read(): void {
    this.#source.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send([chunk], done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    )
  }

  override _final(done: () => void): void {
    this.#source.end()
    this.#startTimer(this.#timeouts.closeMs)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#partial = []
    this.#source.destroy()
    this.#socket.destroy()
    done(error)
  }

  #opened(): void {
    const start = this.#tls?.start
    if (start === undefined || 'requestBefore' in start) this.#listen()
    else {
      this.#socket.once('data', (response: Buffer) => {
        this.#orDestroy(() => {
          start.checkResponse(response)
          this.#secure(() => this.emit('connect'))
        })
      })
      this.#socket.write(start.request)
      return
    }
    this.emit('connect')
  }

  #listen(): void {
    this.#source.on('data', (chunk: Buffer) => this.#receive(chunk)).once('end', () => this.push(null))
  }

  #secure(then: () => void): void {
    const { host, ca } = this.#tls!
    // Unencrypted bytes must not be read as if they had come inside TLS.
    if (this.#partialBytes > 0) throw new Error('The server sent more than it may before TLS')
    this.#socket.removeAllListeners('data')
    const serverName = isIP(host) === 0 ? { servername: host } : {}
    const options = {
      socket: this.#socket,
      host,
      minVersion: 'TLSv1.2' as const,
      rejectUnauthorized: true,
      ...serverName,
    }
    const source = connectTls(ca === undefined ? options : { ...options, ca })
    source.on('error', (error) => this.destroy(error)).on('close', () => this.destroy())
    source.once('secureConnect', () => this.#orDestroy(then))
    this.#source = source
    this.#isSecure = true
    this.#listen()
  }

  #send(chunks: Buffer[], done: (error?: Error | null) => void): void {
    this.#orDestroy(() => {
      if (this.#rules.phase === 'idle') this.#received = 0
      const start = this.#tls?.start
      if (start !== undefined && 'requestBefore' in start && !this.#isSecure) {
        this.#socket.write(start.requestBefore(chunks[0]!))
        this.#secure(() => this.#forward(chunks, done))
      } else this.#forward(chunks, done)
    })
  }

  #forward(chunks: Buffer[], done: (error?: Error | null) => void): void {
    const bytes = chunks.map((chunk) => this.#rules.send(chunk))
    this.#followPhase()
    this.#source.cork()
    for (const [i, each] of bytes.entries()) this.#source.write(each, i === bytes.length - 1 ? done : undefined)
    this.#source.uncork()
  }

  #receive(chunk: Buffer): void {
    this.#orDestroy(() => {
      this.#received += chunk.length
      if (this.#received > (this.#rules.phase === 'login' ? MAX_LOGIN_BYTES : MAX_RESPONSE_BYTES)) throw tooMuch()
      this.#partialBytes += chunk.length
      if (this.#partialBytes < this.#neededBytes) {
        this.#partial.push(chunk)
        return
      }
      const bytes = this.#partial.length === 0 ? chunk : Buffer.concat([...this.#partial, chunk])
      const { end, problem } = this.#check(bytes)
      this.#partial = end === bytes.length ? [] : [bytes.subarray(end)]
      this.#partialBytes = bytes.length - end
      this.#followPhase()
      if (end > 0 && !this.push(bytes.subarray(0, end))) this.#source.pause()
      if (problem !== undefined) throw problem
    })
  }

  /** Checks all complete messages; `end` is where the last correct one ends. */
  #check(bytes: Buffer): { end: number; problem?: unknown } {
    const { headBytes } = this.#rules
    let end = 0
    try {
      while (bytes.length - end >= headBytes && this.#rules.phase !== 'over') {
        const size = this.#rules.sizeOf(bytes, end)
        this.#neededBytes = size
        if (bytes.length - end < size) return { end }
        this.#rules.receive(bytes, end, end + size)
        end += size
      }
      this.#neededBytes = headBytes
      return { end }
    } catch (problem) {
      return { end, problem }
    }
  }

  /** Sets the timeout of the phase that the protocol is in now. */
  #followPhase(): void {
    const { phase } = this.#rules
    if (phase === this.#phase) return
    this.#phase = phase
    clearTimeout(this.#timer)
    if (phase === 'busy') this.#startTimer(this.#timeouts.responseMs, 'did not answer')
    if (phase !== 'over') return
    // Also when the server never reads that we end the connection.
    this.#startTimer(this.#timeouts.closeMs)
    this.end()
  }

  /** Destroys the socket after this time: quietly, or with an error that says what the server failed to do. */
  #startTimer(ms: number, failure?: string): void {
    clearTimeout(this.#timer)
    const end = () => {
      if (failure === undefined) this.destroy()
      else this.destroy(Object.assign(new Error(`The server ${failure} within ${ms / 1000} s`), { code: 'ETIMEDOUT' }))
    }
    this.#timer = setTimeout(end, ms).unref()
  }

  /** An error in the work closes the connection. */
  #orDestroy(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

export function tooMuch(): Error {
  return new Error('The server sent far more than it was asked for')
}

export function malformed(what: string): Error {
  return new Error(`The server violates its protocol: ${what}`)
}
