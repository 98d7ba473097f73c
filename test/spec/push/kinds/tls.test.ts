import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createConnection } from 'mysql2/promise'
import { type Connection, DeliveryError, type KindDeps } from '#destinations/contract.ts'
import { createKinds } from '#destinations/kinds.ts'
import { checkOptions } from '#flows/push/manage/destination-options.ts'
import type { DestinationKind } from '#model/apps/destination.ts'
import { createEgress } from '#platform/egress/guard.ts'
import { freshDatabase } from '../../../harness/database/database.ts'
import { selfSigned } from './certificate.ts'
import { makePerson } from './changes.ts'
import { clickhouseServerMissing, startClickhouseServer } from './clickhouse-server.ts'
import { destinationOf } from './fixture.ts'
import { natsServerMissing, startNatsServer } from './nats-server.ts'
import { mariadbMissing, postgresWithTls, startMariadb, type TlsServer, webWithTls } from './tls-servers.ts'

// Every name resolves to this machine, except one with a public address.
const resolve = async (name: string) => [{ address: name === 'public.test' ? '93.184.215.14' : '127.0.0.1' }]
const egress = createEgress({ allowPrivate: ['127.0.0.1/32'], resolve })
const deps: KindDeps = { egress, clock: { now: () => Date.now() } }
const certificate = selfSigned('db.test')
const database = await freshDatabase()
const kinds = createKinds({ filesDir: undefined })

after(async () => {
  await egress.close()
  await database.drop()
  certificate?.remove()
})

function open(kind: DestinationKind, url: string, options: Record<string, unknown> = {}): Connection {
  kinds[kind].checkAddress(url, 'app')
  checkOptions(kind, kinds[kind], options)
  return kinds[kind].open(deps, destinationOf(kind, options), { url, signing: [] })
}

interface Case {
  kind: DestinationKind
  skip: string | false
  start: () => Promise<TlsServer>
  url: (host: string, port: number) => string
  /** The same address without TLS. */
  plain: (url: string) => string
  takesAuthority: boolean
}

const place = new URL(database.url)
const folder = place.searchParams.get('host')
const target =
  folder === null
    ? { port: Number(place.port || 5432), host: place.hostname }
    : { path: `${folder}/.s.PGSQL.${place.port || 5432}` }
const who = `${place.username || 'postgres'}:${place.password || 'x'}`

const CASES: Case[] = [
  {
    kind: 'postgres',
    skip: false,
    start: () => postgresWithTls(certificate!, target),
    url: (host, port) => `postgres://${who}@${host}:${port}${place.pathname}`,
    plain: (url) => `${url}?sslmode=disable`,
    takesAuthority: true,
  },
  {
    kind: 'mysql',
    skip: mariadbMissing,
    start: async () => {
      const server = await startMariadb(certificate!)
      const root = await createConnection({ host: '127.0.0.1', port: server.port, user: 'root' })
      await root.query('create database push')
      await root.end()
      return server
    },
    url: (host, port) => `mysql://root@${host}:${port}/push`,
    plain: (url) => `${url}?sslmode=disable`,
    takesAuthority: true,
  },
  {
    kind: 'clickhouse',
    skip: clickhouseServerMissing,
    start: async () => {
      const server = await startClickhouseServer({ cert: certificate!.certFile, key: certificate!.keyFile })
      return { port: server.tlsPort, stop: server.stop }
    },
    url: (host, port) => `clickhouse://writer:right@${host}:${port}/default`,
    plain: (url) => `${url}?sslmode=disable`,
    takesAuthority: false,
  },
  {
    kind: 'nats',
    skip: natsServerMissing,
    start: () => startNatsServer({ cert: certificate!.certFile, key: certificate!.keyFile }),
    url: (host, port) => `nats://writer:right@${host}:${port}`,
    plain: (url) => `${url}?tls=false`,
    takesAuthority: true,
  },
  {
    kind: 'webhook',
    skip: false,
    start: () => webWithTls(certificate!),
    url: (host, port) => `https://${host}:${port}/hook`,
    plain: (url) => url.replace('https:', 'http:'),
    takesAuthority: false,
  },
  {
    kind: 'files',
    skip: false,
    start: () => webWithTls(certificate!),
    url: (host, port) => `s3://key:secret@${host}:${port}/bucket`,
    plain: (url) => `${url}?tls=false`,
    takesAuthority: false,
  },
]

for (const each of CASES) {
  suite(`S36 TLS to a ${each.kind} destination`, {
    skip: certificate === undefined ? 'openssl is not installed' : each.skip,
  }, () => {
    let server: TlsServer
    before(async () => {
      server = await each.start()
    })
    after(async () => server?.stop())

    const refused = async (url: string, options: Record<string, unknown>, says: RegExp) => {
      const connection = open(each.kind, url, options)
      try {
        const [finding] = (await connection.test()).filter(({ ok }) => !ok)
        assert.match(finding?.detail ?? 'all is well', says)
        const ada = makePerson('dst')
        await assert.rejects(connection.write(ada.batch([ada.put('a', 1)])), (error) => {
          assert.ok(error instanceof DeliveryError && error.recovery === 'retry')
          assert.match(error.message, says)
          return true
        })
      } finally {
        await connection.close()
      }
    }

    test('refuses a self-signed certificate', () =>
      refused(each.url('db.test', server.port), {}, /self.signed certificate/i))

    test('connects without TLS only where the operator allowed it', () =>
      refused(each.plain(each.url('public.test', server.port)), {}, /plain_http_refused/))

    if (!each.takesAuthority) return
    test('trusts the certificate authority of the app, for the right host name only', async () => {
      const options = { ca: certificate!.cert }
      const connection = open(each.kind, each.url('db.test', server.port), options)
      const findings = await connection.test()
      assert.deepEqual(
        findings.filter(({ ok }) => !ok),
        [],
      )
      await connection.prepare()
      const ada = makePerson('dst')
      await connection.write(ada.batch([ada.put('a', 1)]))
      await connection.drop()
      await connection.close()
      await refused(each.url('other.test', server.port), options, /does not match certificate|altnames/i)
      await refused(each.url('127.0.0.1', server.port), options, /does not match certificate|altnames/i)
    })
  })
}

test('S36 ClickHouse is written over TLS when its authority is trusted', {
  skip: certificate === undefined ? 'openssl is not installed' : clickhouseServerMissing,
}, async () => {
  const server = await startClickhouseServer({ cert: certificate!.certFile, key: certificate!.keyFile })
  const trusting = createEgress({ allowPrivate: ['127.0.0.1/32'], resolve, ca: certificate!.cert })
  const url = `clickhouse://writer:right@db.test:${server.tlsPort}/default`
  const connection = kinds.clickhouse.open({ ...deps, egress: trusting }, destinationOf('clickhouse'), { url })
  const findings = await connection.test()
  assert.deepEqual(
    findings.map(({ check, ok }) => [check, ok]),
    [
      ['connect', true],
      ['rights', true],
    ],
  )
  assert.match(findings[0]!.detail, / \d+\.\d+.*, TLS$/)
  await connection.prepare()
  const ada = makePerson('dst')
  await connection.write(ada.batch([ada.put('a', 1)]))
  assert.equal((await server.ask('select native_id from tributary_items')).trim(), 'a')
  await connection.close()
  await trusting.close()
  await server.stop()
})

test('S36 TLS 1.1 is refused', { skip: certificate === undefined && 'openssl is not installed' }, async () => {
  const server = await postgresWithTls(certificate!, target, 'TLSv1.1')
  const connection = open('postgres', `postgres://${who}@db.test:${server.port}${place.pathname}`, {
    ca: certificate!.cert,
  })
  const [finding] = await connection.test()
  assert.match(finding!.detail, /TLS: |protocol version|ECONNRESET|disconnected/)
  assert.equal(finding!.ok, false)
  await connection.close()
  await server.stop()
})
