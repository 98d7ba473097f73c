import { isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

/** Limit: bytes that a database may send in answer to one statement. Beyond it the connection is cut, and the delivery is tried again later. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024
/** Limit: bytes that a database may send until it has let us in. Beyond it the connection is cut. */
const MAX_LOGIN_BYTES = 256 * 1024
/** Limit: time for connecting, TLS and signing in to a database. Beyond it the connection is cut. */
const MAX_LOGIN_MS = 10_000
/** Limit: time from a statement to the end of its answer; a database is asked to give up by itself before. Beyond it the connection is cut. */
const MAX_RESPONSE_MS = 35_000
/** Limit: time that a database has to close a connection after we said goodbye. Beyond it we close it. */
const MAX_CLOSE_MS = 1000

export interface SocketTimeouts {
  loginMs: number
  answerMs: number
  closeMs: number
}

/**
 * How a protocol is checked. Drivers trust their server: a wrong length or a message out of turn makes them throw where nobody
 * catches, or loop for ever. So they see whole messages only, each checked, and only in their turn.
 */
export interface SocketRules {
  /** Bytes that tell how long a message is. */
  readonly headBytes: number
  /** `over`: somebody said goodbye, and nothing follows. */
  readonly phase: 'login' | 'idle' | 'busy' | 'over'
  /** The size of the message that begins here; throws if there can be no such message. */
  sizeOf(bytes: Buffer, at: number): number
  /** Checks a whole message and notes what may follow; throws. */
  take(bytes: Buffer, at: number, end: number): void
  /** Notes what the driver says, and gives it as it is to be sent. */
  sent(bytes: Buffer): Buffer
}

/** How a protocol changes to TLS: by a question when the socket is open, or by a request before the driver's first message. */
export type TlsStart =
  | { question: Buffer; checkAnswer: (response: Buffer) => void }
  | { requestBefore: (first: Buffer) => Buffer }

export interface CheckedSocketOptions {
  /** Not yet connected, and guarded. */
  socket: Socket
  rules: SocketRules
  /** Without it the line is plain. */
  tls: { host: string; ca: string | undefined; start: TlsStart } | undefined
  times?: Partial<SocketTimeouts> | undefined
}

/** What a database driver takes for its socket: TLS is done here, and every byte of the server is checked before the driver sees it. */
export class CheckedSocket extends Duplex {
  readonly #rules: SocketRules
  readonly #tls: CheckedSocketOptions['tls']
  readonly #times: SocketTimeouts
  readonly #socket: Socket
  /** Where plain text goes in and comes out: the socket, or TLS over it. */
  #source: Socket
  #isSecure = false
  #phase: SocketRules['phase'] = 'login'
  #timer: NodeJS.Timeout | undefined
  /** Since the last statement. */
  #received = 0
  /** The beginning of a message whose end is not here yet. */
  #held: Buffer[] = []
  #heldBytes = 0
  #wantedBytes = 0

  constructor({ socket, rules, tls, times }: CheckedSocketOptions) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#source = socket
    this.#rules = rules
    this.#tls = tls
    this.#times = { loginMs: MAX_LOGIN_MS, answerMs: MAX_RESPONSE_MS, closeMs: MAX_CLOSE_MS, ...times }
    // Whoever uses the line hears of an error by what it asked for; a late one must not end the process.
    this.on('error', () => {})
    socket.on('error', (error) => this.destroy(error)).on('close', () => this.destroy())
  }

  connect(port: number, host: string): this {
    this.#limit(this.#times.loginMs, 'did not let us in')
    this.#socket.setNoDelay(true)
    this.#socket.once('connect', () => this.#opened())
    this.#socket.connect(port, host)
    return this
  }

  // Drivers set these on sockets.
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

  // A driver that throws over what it reads is at a place that it does not know: its connection ends, and nothing else.
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
    this.#limit(this.#times.closeMs)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#held = []
    this.#source.destroy()
    this.#socket.destroy()
    done(error)
  }

  #opened(): void {
    const start = this.#tls?.start
    if (start === undefined || 'requestBefore' in start) this.#listen()
    else {
      this.#socket.once('data', (response: Buffer) => {
        this.#failing(() => {
          start.checkAnswer(response)
          this.#secure(() => this.emit('connect'))
        })
      })
      this.#socket.write(start.question)
      return
    }
    this.emit('connect')
  }

  #listen(): void {
    this.#source.on('data', (chunk: Buffer) => this.#receive(chunk)).once('end', () => this.push(null))
  }

  #secure(then: () => void): void {
    const { host, ca } = this.#tls!
    // Told in the clear, it could be taken for something that was told inside TLS.
    if (this.#heldBytes > 0) throw new Error('The server said more than it may before TLS')
    this.#socket.removeAllListeners('data')
    const name = isIP(host) === 0 ? { servername: host } : {}
    const options = { socket: this.#socket, host, minVersion: 'TLSv1.2' as const, rejectUnauthorized: true, ...name }
    const source = connectTls(ca === undefined ? options : { ...options, ca })
    source.on('error', (error) => this.destroy(error)).on('close', () => this.destroy())
    source.once('secureConnect', () => this.#failing(then))
    this.#source = source
    this.#isSecure = true
    this.#listen()
  }

  #send(chunks: Buffer[], done: (error?: Error | null) => void): void {
    this.#failing(() => {
      if (this.#rules.phase === 'idle') this.#received = 0
      const start = this.#tls?.start
      if (start !== undefined && 'requestBefore' in start && !this.#isSecure) {
        this.#socket.write(start.requestBefore(chunks[0]!))
        this.#secure(() => this.#pass(chunks, done))
      } else this.#pass(chunks, done)
    })
  }

  #pass(chunks: Buffer[], done: (error?: Error | null) => void): void {
    const bytes = chunks.map((chunk) => this.#rules.sent(chunk))
    this.#watch()
    this.#source.cork()
    for (const [i, each] of bytes.entries()) this.#source.write(each, i === bytes.length - 1 ? done : undefined)
    this.#source.uncork()
  }

  #receive(chunk: Buffer): void {
    this.#failing(() => {
      this.#received += chunk.length
      if (this.#received > (this.#rules.phase === 'login' ? MAX_LOGIN_BYTES : MAX_RESPONSE_BYTES)) throw tooMuch()
      this.#heldBytes += chunk.length
      if (this.#heldBytes < this.#wantedBytes) {
        this.#held.push(chunk)
        return
      }
      const bytes = this.#held.length === 0 ? chunk : Buffer.concat([...this.#held, chunk])
      const { end, problem } = this.#check(bytes)
      this.#held = end === bytes.length ? [] : [bytes.subarray(end)]
      this.#heldBytes = bytes.length - end
      this.#watch()
      if (end > 0 && !this.push(bytes.subarray(0, end))) this.#source.pause()
      if (problem !== undefined) throw problem
    })
  }

  /** How far the messages are whole and right. */
  #check(bytes: Buffer): { end: number; problem?: unknown } {
    const { headBytes } = this.#rules
    let end = 0
    try {
      while (bytes.length - end >= headBytes && this.#rules.phase !== 'over') {
        const size = this.#rules.sizeOf(bytes, end)
        this.#wantedBytes = size
        if (bytes.length - end < size) return { end }
        this.#rules.take(bytes, end, end + size)
        end += size
      }
      this.#wantedBytes = headBytes
      return { end }
    } catch (problem) {
      return { end, problem }
    }
  }

  #watch(): void {
    const { phase } = this.#rules
    if (phase === this.#phase) return
    this.#phase = phase
    clearTimeout(this.#timer)
    if (phase === 'busy') this.#limit(this.#times.answerMs, 'did not answer')
    if (phase !== 'over') return
    // Also where the goodbye itself is never read.
    this.#limit(this.#times.closeMs)
    this.end()
  }

  #limit(ms: number, words?: string): void {
    clearTimeout(this.#timer)
    const end = () => {
      if (words === undefined) this.destroy()
      else this.destroy(Object.assign(new Error(`The server ${words} within ${ms / 1000} s`), { code: 'ETIMEDOUT' }))
    }
    this.#timer = setTimeout(end, ms).unref()
  }

  #failing(work: () => void): void {
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
  return new Error(`The server does not keep to its protocol: ${what}`)
}
