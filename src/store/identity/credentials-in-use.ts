import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { sealedConsentCell } from './consents.ts'
import { sealedCredentialCell } from './credentials.ts'
import type { ServiceUser } from './service-users.ts'

/** Limit: profiles and unfinished sign-ins of one service user whose tokens are compared before one is ended; with more, the token is kept. */
export const MAX_COMPARED_CREDENTIALS = 100

/** What profiles and unfinished sign-ins of a service user use, as JSON text; undefined where it cannot be opened. */
export interface CredentialsInUse {
  consents: (string | undefined)[]
  profiles: (string | undefined)[]
}

const isUser = 'app_id = $appId and service = $service and native_id = $nativeId'
const ofConsents = statement(
  'consent-of-service-user',
  `select hash, sealed from consent where ${isUser} and used_at is null and expires_at >= $nowMs
   limit ${MAX_COMPARED_CREDENTIALS}`,
)
// A profile that needs a new sign-in has nothing left to lose.
const ofProfiles = statement(
  'credential-of-service-user',
  `select c.shard, c.profile_id, c.sealed from profile p
   join credential c on c.shard = p.shard and c.profile_id = p.id
   where p.app_id = $appId and p.service = $service and p.native_id = $nativeId and p.merged_into is null
     and p.state <> 'needs_auth' limit ${MAX_COMPARED_CREDENTIALS}`,
)

/** Consents are read first: one that is redeemed in between is then found as a profile. */
export async function credentialsInUse(
  queries: Queries,
  keyring: Keyring,
  { appId, service, nativeId }: ServiceUser,
  nowMs: number,
): Promise<CredentialsInUse> {
  const user = { appId, service, nativeId }
  const consents = await queries.rows<{ hash: Buffer; sealed: Buffer }>(ofConsents.with({ ...user, nowMs }))
  const profiles = await queries.rows<{ shard: number; profile_id: string; sealed: Buffer }>(ofProfiles.with(user))
  return {
    consents: consents.map(({ hash, sealed }) => opened(keyring, sealed, sealedConsentCell(hash))),
    profiles: profiles.map(({ shard, profile_id: profileId, sealed }) =>
      opened(keyring, sealed, sealedCredentialCell({ shard, profileId })),
    ),
  }
}

function opened(keyring: Keyring, sealed: Buffer, cell: Parameters<Keyring['open']>[1]): string | undefined {
  try {
    return keyring.open(sealed, cell)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
