import { folderFixture, parquetFixture, s3Fixture } from './at-files.ts'
import { mysqlFixture } from './at-mysql.ts'
import { natsFixture } from './at-nats.ts'
import { postgresFixture } from './at-postgres.ts'
import { webhookFixture } from './at-webhook.ts'
import type { Fixture } from './fixture.ts'

/** Every kind, in each form it has. A new kind adds one line. */
export const FIXTURES: Fixture[] = [
  postgresFixture,
  mysqlFixture,
  webhookFixture,
  folderFixture,
  parquetFixture,
  s3Fixture,
  natsFixture,
]
