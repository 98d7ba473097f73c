import { hideSecrets } from '#model/destination-address.ts'
import { CheckpointDiffers, type Connection, DeliveryError, type Kind } from './contract.ts'

/**
 * A kind whose messages hold nothing of the secrets in its address. Messages are shown, logged and told to other destinations; a server
 * may repeat what it was given, and a driver may say what it was asked to open.
 */
export function hidingSecrets(kind: Kind): Kind {
  return {
    ...kind,
    open: (deps, destination, secrets) => hiding(kind.open(deps, destination, secrets), secrets.url),
  }
}

function hiding(connection: Connection, url: string): Connection {
  const { reading } = connection
  const notify = connection.notify?.bind(connection)
  const safely = <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) => {
    return async (...given: Given): Promise<Result> => {
      try {
        return await work(...given)
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
    ...(reading === undefined
      ? {}
      : {
          reading: {
            compare: safely((profileId, span, rows) => reading.compare(profileId, span, rows)),
            remove: safely((profileId, rows) => reading.remove(profileId, rows)),
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
  const { recovery, retryAfterMs, rowId } = error
  // Without its cause where that would say it again.
  return message === error.message ? error : new DeliveryError(recovery, message, { retryAfterMs, rowId })
}
