import { hideSecrets } from '#model/apps/destination-address.ts'
import { CheckpointDiffers, type Connection, DeliveryError, type Kind } from './contract.ts'

/**
 * Removes the secrets of the address from the messages of a kind. Messages are shown, logged and sent as events; a server may
 * repeat what it was sent, and a driver may name the address it opened.
 */
export function withoutSecrets(kind: Kind): Kind {
  return {
    ...kind,
    open: (deps, destination, secrets) => wrapConnection(kind.open(deps, destination, secrets), secrets.url),
  }
}

function wrapConnection(connection: Connection, url: string): Connection {
  const { verifier } = connection
  const notify = connection.notify?.bind(connection)
  const safely = <Values extends unknown[], Result>(work: (...values: Values) => Promise<Result>) => {
    return async (...values: Values): Promise<Result> => {
      try {
        return await work(...values)
      } catch (error) {
        throw safeError(error, url)
      }
    }
  }
  const test = safely(() => connection.test())
  return {
    prepare: safely(() => connection.prepare()),
    test: async () => (await test()).map((each) => ({ ...each, detail: hideSecrets(each.detail, url) })),
    write: safely((batch) => connection.write(batch)),
    erase: safely((erasure) => connection.erase(erasure)),
    ...(verifier === undefined
      ? {}
      : {
          verifier: {
            compare: safely((profileId, range, rows) => verifier.compare(profileId, range, rows)),
            remove: safely((profileId, rows) => verifier.remove(profileId, rows)),
          },
        }),
    ...(notify === undefined ? {} : { notify: safely(notify) }),
    drop: safely(() => connection.drop()),
    close: () => connection.close(),
  }
}

function safeError(error: unknown, url: string): unknown {
  if (!(error instanceof DeliveryError) || error instanceof CheckpointDiffers) return error
  const message = hideSecrets(error.message, url)
  const { recovery, retryAfterMs, rowId, removed } = error
  // The cause is dropped where it would repeat the secret.
  return message === error.message ? error : new DeliveryError(recovery, message, { retryAfterMs, rowId, removed })
}
