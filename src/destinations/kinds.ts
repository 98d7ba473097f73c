import type { DestinationKind } from '#model/apps/destination.ts'
import { clickhouse } from './clickhouse/clickhouse.ts'
import type { Kind } from './contract.ts'
import { files } from './files/files.ts'
import { withoutSecrets } from './hide-secrets.ts'
import { mysql } from './mysql/mysql.ts'
import { nats } from './nats/nats.ts'
import { withPlainAddress } from './network-address.ts'
import { postgres } from './postgres/postgres.ts'
import { webhook } from './webhook/webhook.ts'

/** All kinds of destinations. A new one is a folder and a line here. */
export function createKinds({ filesDir }: { filesDir: string | undefined }): Record<DestinationKind, Kind> {
  const guarded = (kind: Kind) => withPlainAddress(withoutSecrets(kind))
  return {
    postgres: guarded(postgres),
    mysql: guarded(mysql),
    clickhouse: guarded(clickhouse),
    webhook: guarded(webhook),
    files: guarded(files(filesDir)),
    nats: guarded(nats),
  }
}
