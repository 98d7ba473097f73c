import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { randomSecret } from '#platform/crypto/ids.ts'
import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import { SetupError } from '#platform/errors.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

const find = statement('vault-find', 'select sealed from vault where name = $name')
const insert = statement('vault-add', 'insert into vault (name, sealed) values ($name, $sealed) on conflict do nothing')

const PEPPER = 'pepper'

const cellOf = (name: string) => ({ table: 'vault', row: name, column: 'sealed' })

/** Keyed hashes of tokens, codes and secrets: they can be looked up, but the table alone reveals nothing. */
export class Hasher {
  readonly #pepper: KeyObject

  constructor(pepper: string) {
    // Created once: from a string, Node would create a key object for every hash.
    this.#pepper = createSecretKey(Buffer.from(pepper))
  }

  /** `purpose` separates the kinds: the hash of a code never equals the hash of a token. */
  hash(purpose: string, value: string): Buffer {
    return createHmac('sha256', this.#pepper).update(purpose).update('\0').update(value).digest()
  }

  matches(purpose: string, value: string, hash: Uint8Array): boolean {
    const mine = this.hash(purpose, value)
    return mine.length === hash.length && timingSafeEqual(mine, hash)
  }
}

/**
 * The hashing key is stored sealed in the database, so every hash stays valid when the sealing key is rotated. Opening
 * it also proves that the keyring belongs to this database.
 */
export async function openHasher(database: Queries, keyring: Keyring): Promise<Hasher> {
  await database.count(insert.with({ name: PEPPER, sealed: keyring.seal(randomSecret(), cellOf(PEPPER)) }))
  const { sealed } = firstOf(await database.rows<{ sealed: Buffer }>(find.with({ name: PEPPER })))
  return openVault(sealed, keyring)
}

/** Opens the sealed hashing key, or says that the keyring belongs to another database. */
export function openVault(sealed: Uint8Array, keyring: Keyring): Hasher {
  try {
    return new Hasher(keyring.open(sealed, cellOf(PEPPER)))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw new SetupError('Wrong key for this database: its values were sealed with another key.', {
      code: 'key_wrong',
      help: 'Restore the keyring.json (or TRIBUTARY_KEY) that belongs to this database. Nothing was changed.',
      cause: error,
    })
  }
}
