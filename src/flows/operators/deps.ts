import type { Config } from '#config/config.ts'
import type { Clock } from '#platform/clock.ts'
import type { PasswordCost } from '#platform/crypto/password.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Hasher } from '#store/vault.ts'

export interface OperatorDeps {
  database: Database
  hasher: Hasher
  clock: Clock
  /** For new passwords; undefined: that of platform/crypto/password.ts. */
  passwordCost?: PasswordCost | undefined
}

/** For links and passkeys, which belong to an address. */
export interface AddressedDeps extends OperatorDeps {
  config: Pick<Config, 'baseUrl'>
}

/** The browser that signs in. */
export interface Browser {
  name: string
  address: string
  /** The session that it has; it ends when a new one begins. */
  token?: string | undefined
  /** The operator who signed in with it before, by a cookie that proves it. */
  knownAs?: string | undefined
}
