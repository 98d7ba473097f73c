import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { firstOf } from './list-ends.ts'

// Layout of a sealed value: version (1), key id (4), nonce (12), tag (16), ciphertext.
const VERSION = 1
const KEY_ID = 4
const NONCE = 12
const TAG = 16
const HEADER = 1 + KEY_ID + NONCE + TAG

export const KEY_BYTES = 32

/** Where a sealed value lives. It is authenticated with the value, so that a value moved to another row does not open. */
export interface SealedCell {
  table: string
  row: string
  column: string
}

export class SealError extends Error {
  readonly reason: 'unknown_key' | 'damaged'

  constructor(reason: 'unknown_key' | 'damaged', message: string) {
    super(message)
    this.name = 'SealError'
    this.reason = reason
  }
}

interface SealingKey {
  id: Buffer
  key: Buffer
}

/** AES-256-GCM with several keys: the first seals, all of them open. */
export class Keyring {
  #keys: SealingKey[]
  readonly #reload: (() => Buffer[] | undefined) | undefined

  /** `reload` reads the keys anew; undefined when they cannot be had, and then those at hand stay. */
  constructor(keys: Buffer[], reload?: () => Buffer[] | undefined) {
    this.#keys = keys.map(derive)
    this.#reload = reload
    if (this.#keys.length === 0) throw new RangeError('a keyring needs at least one key')
  }

  /** The short public name of the key that seals now. */
  get primaryId(): Buffer {
    return firstOf(this.#keys).id
  }

  seal(value: string, cell: SealedCell): Buffer {
    const { id, key } = firstOf(this.#keys)
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(cellBytes(cell))
    const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
    return Buffer.concat([Buffer.of(VERSION), id, nonce, cipher.getAuthTag(), body])
  }

  open(sealed: Uint8Array, cell: SealedCell): string {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    if (bytes.length < HEADER || bytes[0] !== VERSION)
      throw new SealError('damaged', `${where(cell)} is not a sealed value`)
    const key = this.#find(bytes.subarray(1, 1 + KEY_ID))
    if (key === undefined)
      throw new SealError('unknown_key', `${where(cell)} was sealed with a key that is not in the keyring`)
    const nonce = bytes.subarray(1 + KEY_ID, 1 + KEY_ID + NONCE)
    const decipher = createDecipheriv('aes-256-gcm', key.key, nonce, { authTagLength: TAG })
    decipher.setAAD(cellBytes(cell))
    decipher.setAuthTag(bytes.subarray(HEADER - TAG, HEADER))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(HEADER)), decipher.final()]).toString('utf8')
    } catch {
      // The tag does not match; the platform's message says no more than that.
      throw new SealError('damaged', `${where(cell)} was altered or belongs to another row`)
    }
  }

  /** Takes the keys anew, so that a running process follows a rotation. */
  refresh(): void {
    const keys = this.#reload?.()
    if (keys !== undefined && keys.length > 0) this.#keys = keys.map(derive)
  }

  #find(id: Buffer): SealingKey | undefined {
    const known = this.#keys.find((key) => key.id.equals(id))
    if (known !== undefined || this.#reload === undefined) return known
    this.refresh()
    return this.#keys.find((key) => key.id.equals(id))
  }
}

/** The public name of a key: tells keys apart without telling anything of them. */
export function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('tributary key id\0').update(key).digest().subarray(0, KEY_ID)
}

function derive(key: Buffer): SealingKey {
  return { id: keyId(key), key: Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'tributary sealing', KEY_BYTES)) }
}

function cellBytes(cell: SealedCell): Buffer {
  return Buffer.from(JSON.stringify([cell.table, cell.row, cell.column]))
}

function where(cell: SealedCell): string {
  return `${cell.table}.${cell.column}`
}
