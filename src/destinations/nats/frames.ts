import { DeliveryError } from '../contract.ts'
import { checkedInfo, headerFault, type NatsInfo } from './info.ts'

/** Limit: bytes of one protocol line of a NATS server (INFO, MSG, -ERR). A longer line ends the connection. */
const MAX_LINE_BYTES = 64 * 1024
/** Limit: bytes of one NATS message with its headers; responses to us are a few hundred bytes. A larger message ends the connection. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Limit: characters of a NATS server's error that are passed on; the rest is dropped. */
const MAX_ERROR_CHARACTERS = 300

const LINE_FEED = 10

export function natsFault(why: string): DeliveryError {
  return new DeliveryError('retry', `The NATS server ${why}.`)
}

/**
 * Splits a server's bytes into complete frames, checks each and writes it anew, so that the library's parser only sees what it
 * expects. Each byte is copied once or twice, however small the chunks are.
 */
export class NatsFrames {
  readonly #line = Buffer.allocUnsafe(MAX_LINE_BYTES)
  #lineBytes = 0
  /** The message that is being read: its head as it is passed on, its body, and how much of the body has arrived. */
  #message: { head: string; headerBytes: number; body: Buffer; bytes: number } | undefined
  /** The last INFO of the server. */
  info: NatsInfo | undefined

  /** Whether no frame is incomplete. */
  get isComplete(): boolean {
    return this.#lineBytes === 0 && this.#message === undefined
  }

  /** The frames that these bytes complete; throws when the server violates the protocol. */
  push(chunk: Buffer): Buffer[] {
    const frames: Buffer[] = []
    for (let rest = chunk; rest.length > 0; ) {
      rest = this.#message === undefined ? this.#readLine(rest, frames) : this.#readMessage(rest, frames)
    }
    return frames
  }

  #readLine(bytes: Buffer, frames: Buffer[]): Buffer {
    const end = bytes.indexOf(LINE_FEED)
    const part = end < 0 ? bytes : bytes.subarray(0, end)
    if (this.#lineBytes + part.length > MAX_LINE_BYTES) throw natsFault(`sent a line of over ${MAX_LINE_BYTES} bytes`)
    this.#lineBytes += part.copy(this.#line, this.#lineBytes)
    if (end < 0) return bytes.subarray(bytes.length)
    const line = this.#line.toString('utf8', 0, this.#lineBytes).replace(/\r$/, '')
    this.#lineBytes = 0
    const frame = this.#frameOf(line)
    if (frame !== undefined) frames.push(Buffer.from(`${frame}\r\n`))
    return bytes.subarray(end + 1)
  }

  /** Undefined for the head of a message, whose body follows. */
  #frameOf(line: string): string | undefined {
    const [, verb = '', rest = ''] = /^([-+A-Za-z]{1,5})(?:[ \t]+(.*))?$/s.exec(line) ?? []
    switch (verb.toUpperCase()) {
      case 'PING':
      case 'PONG':
      case '+OK':
        return verb.toUpperCase()
      case '-ERR':
        // Reduced to one line of printable characters.
        return `-ERR ${rest.slice(0, MAX_ERROR_CHARACTERS).replaceAll(/\p{C}/gu, ' ').trim() || "'unknown'"}`
      case 'INFO':
        this.info = checkedInfo(rest)
        return `INFO ${JSON.stringify(this.info)}`
      case 'MSG':
      case 'HMSG':
        this.#beginMessage(verb.toUpperCase(), rest)
        return undefined
      default:
        throw natsFault('sent something that is not the NATS protocol')
    }
  }

  #beginMessage(verb: string, rest: string): void {
    const words = rest.split(/[ \t]+/).filter((word) => word !== '')
    const sizes = words.splice(verb === 'MSG' ? -1 : -2).map(sizeOf)
    const [subject = '', sid = '', reply] = words
    const bytes = sizes.at(-1)
    if (
      words.length < 2 ||
      words.length > 3 ||
      bytes === undefined ||
      sizes.includes(undefined) ||
      !/^\d{1,9}$/.test(sid)
    )
      throw natsFault('sent a message with a malformed head')
    const headerBytes = verb === 'MSG' ? 0 : sizes[0]!
    if (headerBytes > bytes) throw natsFault('sent a message with a malformed head')
    if (bytes > MAX_MESSAGE_BYTES) throw natsFault(`sent a message of over ${MAX_MESSAGE_BYTES} bytes`)
    const head = [verb, subject, sid, ...(reply === undefined ? [] : [reply]), ...sizes].join(' ')
    this.#message = { head, headerBytes, body: Buffer.allocUnsafe(bytes + 2), bytes: 0 }
  }

  #readMessage(bytes: Buffer, frames: Buffer[]): Buffer {
    const message = this.#message!
    const taken = bytes.copy(message.body, message.bytes)
    message.bytes += taken
    if (message.bytes === message.body.length) {
      this.#message = undefined
      if (message.body.toString('latin1', message.body.length - 2) !== '\r\n')
        throw natsFault('sent a message that is longer than announced')
      const fault = headerFault(message.body.subarray(0, message.headerBytes))
      if (fault !== undefined) throw natsFault(fault)
      frames.push(Buffer.concat([Buffer.from(`${message.head}\r\n`), message.body]))
    }
    return bytes.subarray(taken)
  }
}

function sizeOf(word: string): number | undefined {
  return /^\d{1,9}$/.test(word) ? Number(word) : undefined
}
