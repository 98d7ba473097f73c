import type { DestinationKind } from '#model/destination.ts'
import { clickhouse } from './clickhouse/clickhouse.ts'
import type { Kind } from './contract.ts'
import { files } from './files/files.ts'
import { withoutSecrets } from './hide-secrets.ts'
import { mysql } from './mysql/mysql.ts'
import { nats } from './nats/nats.ts'
import { postgres } from './postgres/postgres.ts'
import { webhook } from './webhook/webhook.ts'

/** All kinds of destinations. A new one is a folder and a line here. */
export function createKinds({ filesDir }: { filesDir: string | undefined }): Record<DestinationKind, Kind> {
  return {
    postgres: withoutSecrets(postgres),
    mysql: withoutSecrets(mysql),
    clickhouse: withoutSecrets(clickhouse),
    webhook: withoutSecrets(webhook),
    files: withoutSecrets(files(filesDir)),
    nats: withoutSecrets(nats),
  }
}
