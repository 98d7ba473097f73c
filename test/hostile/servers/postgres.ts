import { createHmac, pbkdf2Sync } from 'node:crypto'
import { type Misdeed, type ScriptedServer, type ServerOptions, startScripted, type Talk } from './scripted-server.ts'

export type PostgresSignIn = 'trust' | 'password' | 'md5' | 'scram'

/** Speaks enough of PostgreSQL's protocol for a delivery, except for one attack. */
export function startHostilePostgres(
  misdeed: Misdeed | undefined,
  { signIn = 'trust', ...options }: ServerOptions & { signIn?: PostgresSignIn } = {},
): Promise<ScriptedServer> {
  const { identity } = options
  return startScripted(misdeed, options, (talk) => {
    let held = Buffer.alloc(0)
    talk.listen((chunk) => {
      held = Buffer.concat([held, chunk])
      if (held.length < 8 || held.length < held.readUInt32BE(0)) return
      const asksTls = held.readUInt32BE(4) === 80_877_103
      held = held.subarray(held.readUInt32BE(0))
      if (asksTls) {
        talk.say(Buffer.from(identity === undefined ? 'N' : 'S'))
        if (identity !== undefined) talk.secure(held)
        return
      }
      new Session(talk).signIn(signIn)
    })
  })
}

/** A message of the server. */
export function message(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export const int16 = (value: number) => Buffer.from([(value >> 8) & 255, value & 255])
export const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

export const READY = message('Z', 'I')
const SIGNED_IN = Buffer.concat([
  message('R', int32(0)),
  message('S', 'server_version\x0015.0\0'),
  message('K', int32(7), int32(9)),
  READY,
])

export function rowDescription(names: string[]): Buffer {
  const fields = names.map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
  )
  return message('T', int16(names.length), ...fields)
}

export function dataRow(values: (string | null)[]): Buffer {
  const fields = values.map((value) =>
    value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
  )
  return message('D', int16(values.length), ...fields)
}

class Session {
  readonly #talk: Talk
  #held = Buffer.alloc(0)
  #password: (body: Buffer) => void = () => {}
  #sql = ''

  constructor(talk: Talk) {
    this.#talk = talk
    talk.listen((chunk) => this.#listen(chunk))
  }

  signIn(how: PostgresSignIn): void {
    const done = () => this.#talk.say(SIGNED_IN)
    this.#password = done
    if (how === 'trust') done()
    else if (how === 'password') this.#talk.say(message('R', int32(3)))
    else if (how === 'md5') this.#talk.say(message('R', int32(5), 'salt'))
    else this.#scram()
  }

  #scram(): void {
    this.#talk.say(message('R', int32(10), 'SCRAM-SHA-256\0\0'))
    this.#password = (body) => {
      const bare = body.toString('latin1').replace(/^SCRAM-SHA-256\0[^]{4}n,,/, '')
      const nonce = `${/r=(.*)$/.exec(bare)?.[1]}server`
      const first = `r=${nonce},s=${Buffer.from('salt').toString('base64')},i=4096`
      this.#talk.say(message('R', int32(11), first))
      this.#password = (final) => {
        const proofless = final.toString('latin1').replace(/,p=.*$/, '')
        const salted = pbkdf2Sync('p', 'salt', 4096, 32, 'sha256')
        const key = createHmac('sha256', salted).update('Server Key').digest()
        const signature = createHmac('sha256', key).update(`${bare},${first},${proofless}`).digest('base64')
        this.#talk.say(Buffer.concat([message('R', int32(12), `v=${signature}`), SIGNED_IN]))
      }
    }
  }

  #listen(chunk: Buffer): void {
    this.#held = Buffer.concat([this.#held, chunk])
    while (this.#held.length >= 5) {
      const size = 1 + this.#held.readUInt32BE(1)
      if (this.#held.length < size) return
      const type = String.fromCharCode(this.#held[0]!)
      const body = this.#held.subarray(5, size)
      this.#held = this.#held.subarray(size)
      if (type === 'p') this.#password(body)
      else if (type === 'Q') this.#talk.say(Buffer.concat([...responses(body.toString().slice(0, -1)), READY]))
      else if (type === 'P') this.#sql = body.toString().split('\0')[1] ?? ''
      else if (type === 'X') this.#talk.end()
      else if (type === 'S') this.#talk.say(Buffer.concat([message('1'), message('2'), ...described(this.#sql), READY]))
    }
  }
}

function responses(sql: string): Buffer[] {
  return sql.split(';').flatMap((each) => described(each).filter((part) => part[0] !== 'n'.charCodeAt(0)))
}

/** The results of an empty destination with our tables. */
function described(sql: string): Buffer[] {
  const rows = (names: string[], values: string[][]) => [
    rowDescription(names),
    ...values.map(dataRow),
    message('C', `SELECT ${values.length}\0`),
  ]
  if (/split_part\(version/.test(sql)) return rows(['server', 'tls'], [['PostgreSQL 15', 'TLSv1.3']])
  if (/as missing/.test(sql)) return rows(['version', 'missing'], [['1', '0']])
  if (/from tributary_checkpoint/.test(sql)) return rows(['seq', 'epoch', 'at'], [])
  if (/returning t\.id\s*$/.test(sql)) return rows(['id'], [['an id that nobody wrote']])
  if (/^select i\.id|^select id, seq/.test(sql)) return rows(['id', 'seq'], [])
  if (sql.startsWith('select 1 where')) return rows(['one'], [])
  return [message('n'), message('C', 'INSERT 0 1\0')]
}
