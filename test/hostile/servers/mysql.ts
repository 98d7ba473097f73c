import { type Misdeed, type ScriptedServer, type ServerOptions, startScripted, type Talk } from './scripted-server.ts'

export type MysqlSignIn = 'native' | 'switch' | 'sha2'

/** Speaks enough of MySQL's protocol for a delivery, except for one attack. */
export function startHostileMysql(
  misdeed: Misdeed | undefined,
  { signIn = 'native', ...options }: ServerOptions & { signIn?: MysqlSignIn } = {},
): Promise<ScriptedServer> {
  const { identity } = options
  return startScripted(misdeed, options, (talk) => {
    const session = new Session(talk, signIn)
    talk.say(packet(0, greeting(identity !== undefined)))
    session.start()
  })
}

export function packet(sequence: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(body.length, 0, 3)
  head[3] = sequence & 255
  return Buffer.concat([head, body])
}

export function greeting(offersTls: boolean): Buffer {
  return Buffer.concat([
    Buffer.from('\x0a8.0.0-hostile\0'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0'),
    Buffer.from([0xdf, offersTls ? 0xff : 0xf7, 0x21, 0x02, 0x00, 0xff, 0x81, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0mysql_native_password\0'),
  ])
}

export const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0])
export const END_OF_ROWS = Buffer.from([0xfe, 0, 0, 2, 0])
export const switchTo = (plugin: string) => Buffer.from(`\xfe${plugin}\x0012345678901234567890\0`, 'latin1')
export const failure = (words: string) => Buffer.from(`\xff\x15\x04#28000${words}`, 'latin1')

export function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)])
}

export function column(name: string, type = 253): Buffer {
  const names = ['def', '', '', '', name, ''].map(text)
  return Buffer.concat([...names, Buffer.from([12, 45, 0, 0, 1, 0, 0, type, 0, 0, 0, 0, 0])])
}

/** A complete result, in response to the packet with this number. */
export function result(asked: number, names: string[], rows: string[][], type = 253): Buffer {
  const bodies = [
    Buffer.from([names.length]),
    ...names.map((name) => column(name, type)),
    END_OF_ROWS,
    ...rows.map((row) => Buffer.concat(row.map(text))),
    END_OF_ROWS,
  ]
  return Buffer.concat(bodies.map((body, i) => packet(asked + 1 + i, body)))
}

class Session {
  readonly #talk: Talk
  readonly #signIn: MysqlSignIn
  #held = Buffer.alloc(0)
  #logins = 0

  constructor(talk: Talk, signIn: MysqlSignIn) {
    this.#talk = talk
    this.#signIn = signIn
  }

  start(): void {
    this.#talk.listen((chunk) => {
      this.#held = Buffer.concat([this.#held, chunk])
      while (this.#held.length >= 4) {
        const size = 4 + this.#held.readUIntLE(0, 3)
        if (this.#held.length < size) return
        const asked = this.#held[3]!
        const body = this.#held.subarray(4, size)
        this.#held = this.#held.subarray(size)
        if (asked === 0) this.#command(body)
        else if (size === 36 && this.#logins === 0 && !this.#talk.isSecure()) {
          const rest = this.#held
          this.#held = Buffer.alloc(0)
          this.#talk.secure(rest)
        } else this.#login(asked)
      }
    })
  }

  #login(asked: number): void {
    this.#logins += 1
    const steps: Record<MysqlSignIn, Buffer[]> = {
      native: [OK],
      switch: [switchTo('mysql_native_password'), OK],
      // Inside TLS the server asks for the password itself.
      sha2: [switchTo('caching_sha2_password'), this.#talk.isSecure() ? Buffer.from([1, 4]) : OK, OK],
    }
    this.#talk.say(packet(asked + 1, steps[this.#signIn][this.#logins - 1] ?? failure('enough')))
  }

  #command(body: Buffer): void {
    if (body[0] === 1) this.#talk.end()
    // Text follows the command, or the command and two bytes for its attributes.
    else this.#talk.say(response(body.subarray(body[1] === 0 ? 3 : 1).toString()))
  }
}

/** The results of an empty destination with our tables. */
function response(sql: string): Buffer {
  const numbers = (names: string[], values: string[]) => result(0, names, [values], 8)
  if (sql.startsWith('select version')) return result(0, ['version'], [['8.0.0-hostile']])
  if (sql.startsWith('show session status')) return result(0, ['Variable_name', 'Value'], [['Ssl_version', 'TLSv1.3']])
  if (sql.startsWith('show tables')) return result(0, ['name'], [])
  if (/get_lock|release_lock/.test(sql)) return numbers(['got'], ['1'])
  if (/as present/.test(sql)) return numbers(['version', 'present'], ['1', '0'])
  if (/from tributary_checkpoint/.test(sql)) return numbers(['seq', 'epoch', 'at'], ['0', '0', '0'])
  if (/max_allowed_packet/.test(sql)) return numbers(['bytes'], ['67108864'])
  if (sql.startsWith('select id, seq')) {
    const ids = [.../'([^']+)'/g[Symbol.matchAll](sql.replace(/^.* in /s, ''))].map(([, id]) => [id!, '1'])
    return result(0, ['id', 'seq'], ids)
  }
  if (sql.startsWith('select')) return result(0, ['id'], [])
  return packet(1, OK)
}
