import { clickhouseFixture } from './clickhouse-fixture.ts'
import { folderFixture, parquetFixture, s3Fixture } from './files-fixture.ts'
import type { Fixture } from './fixture.ts'
import { mysqlFixture } from './mysql-fixture.ts'
import { natsFixture } from './nats-fixture.ts'
import { postgresFixture } from './postgres-fixture.ts'
import { webhookFixture } from './webhook-fixture.ts'

/** All kinds and their variants. A new kind adds one line. */
export const FIXTURES: Fixture[] = [
  postgresFixture,
  mysqlFixture,
  clickhouseFixture,
  webhookFixture,
  folderFixture,
  parquetFixture,
  s3Fixture,
  natsFixture,
]
