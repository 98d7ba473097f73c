import type { ResponseOf } from '@tributary-hub/client/core.ts'

export type Destination = ResponseOf<'GET /push'>[number]
export type Kind = Destination['kind']

interface KindDescription {
  title: string
  summary: string
  /** An address as a placeholder. */
  example: string
  hint: string
  /** Kinds for whose databases there is SQL that creates a role. */
  rights?: 'schema' | 'database'
}

export const KINDS: Record<Kind, KindDescription> = {
  postgres: {
    title: 'PostgreSQL',
    summary: 'Tables and a view for each type, in your own database.',
    example: 'postgres://tributary:password@db.example:5432/app',
    hint: 'With TLS. ?sslmode=disable only in networks that the operator allowed.',
    rights: 'schema',
  },
  mysql: {
    title: 'MySQL or MariaDB',
    summary: 'Tables and a view for each type.',
    example: 'mysql://tributary:password@db.example:3306/tributary',
    hint: 'With TLS. ?sslmode=disable only in networks that the operator allowed.',
    rights: 'database',
  },
  clickhouse: {
    title: 'ClickHouse',
    summary: 'Tables for analytics, with a column for each field.',
    example: 'clickhouse://tributary:password@ch.example:8443/tributary',
    hint: 'The HTTP interface, with TLS.',
  },
  webhook: {
    title: 'Webhook',
    summary: 'Signed messages to your server, in order.',
    example: 'https://app.example/tributary',
    hint: 'It must respond with a status from 200 to 299.',
  },
  files: {
    title: 'Files',
    summary: 'NDJSON or Parquet in a bucket or a folder.',
    example: 's3://key:secret@s3.eu-central-1.amazonaws.com/bucket/prefix',
    hint: 'A bucket (s3://), or a folder that the operator allows.',
  },
  nats: {
    title: 'NATS',
    summary: 'A JetStream stream of changes.',
    example: 'nats://user:password@nats.example:4222',
    hint: 'JetStream must be enabled.',
  },
}

export const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text)
