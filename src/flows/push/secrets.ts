import { DeliveryError } from '#destinations/contract.ts'
import type { Destination, DestinationSecrets } from '#model/apps/destination.ts'
import { ApiError } from '#model/errors.ts'
import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { openSecrets } from '#store/push/destinations.ts'
import type { DeliverDeps } from './deps.ts'

/** For a request. Answers 404 when the destination was deleted since the request found it. */
export async function requireSecrets(keyring: Keyring, queries: Queries, id: string): Promise<DestinationSecrets> {
  const secrets = await openSecrets(queries, keyring, id)
  if (secrets === undefined) throw new ApiError('not_found')
  return secrets
}

/** For a run. Secrets that cannot be opened fail the delivery, so that the destination shows the reason. */
export async function openDeliverySecrets(
  { database, keyring }: Pick<DeliverDeps, 'database' | 'keyring'>,
  { id }: Destination,
): Promise<DestinationSecrets> {
  try {
    const secrets = await openSecrets(database, keyring, id)
    if (secrets !== undefined) return secrets
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw new DeliveryError('retry', 'Its address cannot be opened with the current keys; set the address again.', {
      cause: error,
    })
  }
  throw new DeliveryError('retry', 'The destination was deleted.')
}
