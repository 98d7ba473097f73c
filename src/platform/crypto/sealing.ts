import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { firstOf } from '../formats/list-ends.ts'

// Layout of a sealed value: version (1), key id (4), nonce (12), tag (16), ciphertext.
const VERSION = 1
const KEY_ID = 4
const NONCE = 12
const TAG = 16
const HEADER = 1 + KEY_ID + NONCE + TAG

export const KEY_BYTES = 32

/** The cell that contains a sealed value. It is authenticated with the value, so a value copied to another row does not open. */
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

  /** `reload` reads the keys again; if it returns undefined, the current keys stay in use. */
  constructor(keys: Buffer[], reload?: () => Buffer[] | undefined) {
    this.#keys = keys.map(derive)
    this.#reload = reload
    if (this.#keys.length === 0) throw new RangeError('A keyring needs at least one key')
  }

  /** The public id of the key that seals. */
  get primaryId(): Buffer {
    return firstOf(this.#keys).id
  }

  /** How many keys there are: the one that seals, and older ones. */
  get size(): number {
    return this.#keys.length
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
      throw new SealError('damaged', `${nameOf(cell)} is not a sealed value`)
    const id = bytes.subarray(1, 1 + KEY_ID)
    const key = this.#find(id)
    // The tag proves which key sealed a value, the id only says so: what no key opens was sealed with one that is missing here, and
    // may open later; a value whose id is altered opens now.
    for (const { key: candidate } of key === undefined ? this.#keys : [key]) {
      const value = openWith(candidate, bytes, cell)
      if (value !== undefined) return value
    }
    if (key !== undefined) throw new SealError('damaged', `${nameOf(cell)} was altered or belongs to another row`)
    const named = `${nameOf(cell)} was sealed with key ${id.toString('hex')}, which is not in the keyring`
    throw new SealError('unknown_key', named)
  }

  /** Reloads the keys, so that a running process follows a rotation. */
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

function openWith(key: Buffer, bytes: Buffer, cell: SealedCell): string | undefined {
  const nonce = bytes.subarray(1 + KEY_ID, 1 + KEY_ID + NONCE)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG })
  decipher.setAAD(cellBytes(cell))
  decipher.setAuthTag(bytes.subarray(HEADER - TAG, HEADER))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEADER)), decipher.final()]).toString('utf8')
  } catch {
    // The tag does not match; the error of node:crypto contains nothing more.
    return undefined
  }
}

/** The public id of a key: distinguishes keys without revealing them. */
export function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('tributary key id\0').update(key).digest().subarray(0, KEY_ID)
}

function derive(key: Buffer): SealingKey {
  return { id: keyId(key), key: Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'tributary sealing', KEY_BYTES)) }
}

function cellBytes(cell: SealedCell): Buffer {
  return Buffer.from(JSON.stringify([cell.table, cell.row, cell.column]))
}

function nameOf(cell: SealedCell): string {
  return `${cell.table}.${cell.column}`
}
