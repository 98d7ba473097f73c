import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { SetupError } from '#platform/errors.ts'
import { randomSecret } from '#platform/ids.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Keyring, SealError } from '#platform/sealing.ts'

const find = statement('vault-find', 'select sealed from vault where name = $1')
const add = statement('vault-add', 'insert into vault (name, sealed) values ($1, $2) on conflict do nothing')

const cellOf = (name: string) => ({ table: 'vault', row: name, column: 'sealed' })

/** Keyed hashes of tokens, codes and secrets: equal inputs meet, but the table alone tells nothing. */
export class Hasher {
  readonly #pepper: KeyObject

  constructor(pepper: string) {
    // Made once: it would be made anew for every hash otherwise.
    this.#pepper = createSecretKey(Buffer.from(pepper))
  }

  /** `purpose` keeps a code from ever passing as a token. */
  hash(purpose: string, value: string): Buffer {
    return createHmac('sha256', this.#pepper).update(purpose).update('\0').update(value).digest()
  }

  matches(purpose: string, value: string, hash: Uint8Array): boolean {
    const mine = this.hash(purpose, value)
    return mine.length === hash.length && timingSafeEqual(mine, hash)
  }
}

/**
 * The hashing key lives in the database, sealed, so that rotating the sealing key leaves every hash valid.
 * Opening it also proves that the keyring belongs to this database.
 */
export async function openHasher(database: Queries, keyring: Keyring): Promise<Hasher> {
  await database.count(add, ['pepper', keyring.seal(randomSecret(), cellOf('pepper'))])
  const { sealed } = firstOf(await database.rows<{ sealed: Buffer }>(find, ['pepper']))
  try {
    return new Hasher(keyring.open(sealed, cellOf('pepper')))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw new SetupError('The key does not fit this database: what is sealed in it was sealed with another key.', {
      code: 'key_wrong',
      help: 'Restore the keyring.json (or TRIBUTARY_KEY) that belongs to this database. Nothing was changed.',
      cause: error,
    })
  }
}
