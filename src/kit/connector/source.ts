import { createHash } from 'node:crypto'
import type { Person } from '#model/accounts/profile.ts'
import { encodeBase32 } from '#platform/crypto/ids.ts'
import type { Self } from '../auth/self.ts'
import { isOnNamedServer } from '../auth/server-native-id.ts'
import type { Connector } from './connector.ts'
import { identityRuleOf } from './who-vouches.ts'

/** What is stored about a person. Where an id is valid in one account only, it names what is read there: the source. */
export function personOf(connector: Connector, { id, ...said }: Self): Person {
  return { ...said, source: identityRuleOf(connector).validAt === 'account' ? id : undefined }
}

/**
 * The native id of a source in an account, always the same and known to nobody who does not know the account. People on a server have
 * the server in it, as everywhere.
 */
export function idInAccount({ service, auth }: Connector, accountId: string, source: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([service, accountId, source]))
    .digest()
  const server = isOnNamedServer(auth) ? source.slice(source.lastIndexOf('@')) : ''
  return `${encodeBase32(hash).slice(0, 26)}${server}`
}
