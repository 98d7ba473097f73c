import type { DestinationKind } from '#model/destination.ts'
import type { Kind } from './contract.ts'
import { files } from './files/files.ts'
import { hidingSecrets } from './hide-secrets.ts'
import { mysql } from './mysql/mysql.ts'
import { nats } from './nats/nats.ts'
import { postgres } from './postgres/postgres.ts'
import { webhook } from './webhook/webhook.ts'

/** Every kind there is; the next one is one file and one line. */
export function createKinds({ filesDir }: { filesDir: string | undefined }): Record<DestinationKind, Kind> {
  return {
    postgres: hidingSecrets(postgres),
    mysql: hidingSecrets(mysql),
    webhook: hidingSecrets(webhook),
    files: hidingSecrets(files(filesDir)),
    nats: hidingSecrets(nats),
  }
}
