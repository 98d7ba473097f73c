import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { DeliveryError, type KindDeps } from '#destinations/contract.ts'
import { createKinds } from '#destinations/kinds.ts'
import { checkOptions } from '#flows/push/manage/destination-options.ts'
import { requireReachable } from '#flows/push/manage/reachable-host.ts'
import type { DestinationKind } from '#model/apps/destination.ts'
import { ApiError } from '#model/errors.ts'
import { createEgress } from '#platform/egress/guard.ts'
import { makePerson } from './changes.ts'
import { destinationOf } from './fixture.ts'

const filesDir = mkdtempSync(join(tmpdir(), 'tributary-allowed-'))
const kinds = createKinds({ filesDir })
const resolve = async (name: string) => {
  if (name === 'missing.test')
    throw Object.assign(new Error('getaddrinfo ENOTFOUND missing.test'), { code: 'ENOTFOUND' })
  if (name === 'empty.test') return []
  if (name === 'crowded.test') return Array.from({ length: 2000 }, () => ({ address: '10.0.0.1' }))
  if (name === 'public.test') return [{ address: '93.184.215.14' }]
  return [{ address: name === 'rebound.test' ? '169.254.169.254' : '127.0.0.1' }]
}
const egress = createEgress({ allowPrivate: [], resolve })
const deps: KindDeps = { egress, clock: { now: () => Date.now() } }

after(async () => {
  await egress.close()
  rmSync(filesDir, { recursive: true, force: true })
})

// The address itself shows what is wrong: it is never stored.
const REFUSED: [kind: DestinationKind, url: string, says: RegExp, options?: Record<string, unknown>][] = [
  ['postgres', 'not an address', /must look like postgres:/],
  ['postgres', 'mysql://u:p@h/d', /must begin with postgres:/],
  ['postgres', 'mongodb+srv://u:p@h/d', /must begin with/],
  ['postgres', 'postgres:///db', /must name a host|must look like/],
  ['postgres', 'postgres://u:p@/db', /must name a host|must look like/],
  ['postgres', 'postgres:///db?host=/var/run/postgresql', /must name a host|must look like/],
  ['postgres', 'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/db', /not a socket or a list/],
  ['postgres', 'postgres://u:p@%40abstract/db', /not a socket or a list/],
  ['postgres', 'postgres://u:p@a.test,b.test/db', /not a socket or a list/],
  ['postgres', 'postgres://u:p@a.test:5432,b.test:5432/db', /must look like/],
  ['postgres', 'postgres://u:p@[fe80::1%25eth0]/db', /must look like|not a socket/],
  ['postgres', 'postgres://u:p@h', /must name a database/],
  ['postgres', 'postgres://h/db', /must name a user/],
  ['postgres', 'postgres://u:p@h/db#x', /%23/],
  ['postgres', 'postgres://u:%zz@h/db', /%25/],
  ['postgres', 'postgres://u:p@h:0/db', /port 0/],
  ...[
    'hostaddr=10.0.0.1',
    'host=/tmp',
    'sslrootcert=/etc/passwd',
    'sslkey=/etc/x',
    'options=-c%20x',
    'service=x',
    'passfile=/x',
  ].map((parameter): [DestinationKind, string, RegExp] => [
    'postgres',
    `postgres://u:p@h/db?${parameter}`,
    /is not allowed/,
  ]),
  ['postgres', 'postgres://u:p@h/db?sslmode=no-verify', /sslmode must be/],
  ['postgres', 'postgres://u:p@h/db?sslmode=prefer', /sslmode must be/],
  ...[22, 25, 80, 6379, 11_211].flatMap((port): [DestinationKind, string, RegExp][] => [
    ['postgres', `postgres://u:p@h:${port}/db`, /another protocol/],
    ['mysql', `mysql://u:p@h:${port}/db`, /another protocol/],
    ['nats', `nats://u:p@h:${port}`, /another protocol/],
  ]),
  ...[22, 25, 6379, 11_211].flatMap((port): [DestinationKind, string, RegExp][] => [
    ['webhook', `https://h:${port}/`, /another protocol/],
    ['files', `s3://k:s@h:${port}/bucket`, /another protocol/],
  ]),
  ['postgres', 'postgres://u:p@h/db', /options.schema/, { schema: 'a"; drop table x; --' }],
  ['postgres', 'postgres://u:p@h/db', /options.ca/, { ca: '/etc/ssl/certs/ca.pem' }],
  ['mysql', 'mysql://u:p@%2Fvar%2Frun%2Fmysqld.sock/db', /not a socket or a list/],
  ['mysql', 'mysql://u:p@h/db?socketPath=/var/run/mysqld.sock', /is not allowed/],
  ['mysql', 'mysql://u:p@h/db?flags=LOCAL_FILES', /is not allowed/],
  ['mysql', 'mysql://u:p@h/db?ssl=%7B%22rejectUnauthorized%22%3Afalse%7D', /is not allowed/],
  ['clickhouse', 'https://u:p@h/db', /must begin with clickhouse:/],
  ['clickhouse', 'clickhouse://u:p@h', /must name a database/],
  ['clickhouse', 'clickhouse://h/db', /must name a user/],
  ['clickhouse', 'clickhouse://u:p@h/db?query=drop', /is not allowed/],
  ['clickhouse', 'clickhouse://u:p@h:6379/db', /another protocol/],
  [
    'clickhouse',
    'clickhouse://u:p@h/db',
    /Unknown option “deletes” of clickhouse. Known: quiet_hours\./,
    { deletes: 'hard' },
  ],
  ['nats', 'nats://u:p@a.test,nats://b.test', /not a socket or a list|must/],
  ['nats', 'ws://h:4222', /must look like nats:/],
  ['nats', 'nats://u:p@h/path', /must end with the port/],
  ['nats', 'nats://u:p@h', /options.subject/, { subject: '>' }],
  ['nats', 'nats://u:p@h', /options.subject/, { subject: '{service}.x' }],
  ['nats', 'nats://u:p@h', /options.subject/, { subject: 'a.{password}' }],
  ['nats', 'nats://u:p@h', /options.stream/, { stream: 'a b' }],
  ['webhook', 'ftp://h/', /http or https/],
  ['webhook', 'https://u:p@h/', /must not contain a user name/],
  ['webhook', 'file:///etc/passwd', /http or https/],
  ['files', 'file:///etc', /folder that the operator set/],
  ['files', `${pathToFileURL(filesDir).href}/../x`, /folder that the operator set/],
  ['files', `${pathToFileURL(filesDir).href}/%2e%2e/x`, /folder that the operator set/],
  ['files', `${pathToFileURL(filesDir).href}-other`, /folder that the operator set/],
  ['files', `${pathToFileURL(filesDir).href}/a%2f..%2f..%2fb`, /must look like file:/],
  ['files', `${pathToFileURL(filesDir).href}/a%00b`, /control characters/],
  ['files', 'file://host/share', /must look like file:/],
  ['files', 's3://k:s@h/', /must name a bucket/],
  ['files', 's3://h/bucket', /must contain a key and a secret/],
  ['files', 's3://k:s@h/bucket?endpoint=x', /is not allowed/],
  ['files', 's3://k:s@h/bucket', /options.format/, { format: 'csv' }],
  ['files', 'gopher://h/', /must look like/],
  [
    'postgres',
    'postgres://u:p@h/db',
    /^options.shcema: Unknown option “shcema” of postgres. Known: ca, deletes, quiet_hours, schema\.$/,
    { shcema: 'x' },
  ],
  ['postgres', 'postgres://u:p@h/db', /Unknown option “events” of postgres/, { events: true }],
  ['mysql', 'mysql://u:p@h/db', /Unknown option “schema” of mysql. Known: ca, deletes, quiet_hours\./, { schema: 'x' }],
  ['webhook', 'https://h/', /Unknown option “deletes” of webhook. Known: events, quiet_hours\./, { deletes: 'hard' }],
  ['webhook', 'https://h/', /options.events: must be true or false, or a list of events/, { events: 'yes' }],
  ['files', 's3://k:s@h/bucket', /Unknown option “ca” of files. Known: format, quiet_hours\./, { ca: 'x' }],
  [
    'nats',
    'nats://u:p@h',
    /Unknown option “__proto__” of nats. Known: ca, create, quiet_hours, stream, subject\./,
    JSON.parse('{"__proto__": 1}'),
  ],
  ['nats', 'nats://u:p@h', /options.subject: must have at most 256 characters\.$/, { subject: `a.${'b'.repeat(256)}` }],
  ['nats', 'nats://u:p@h', /options.create: must be true or false/, { create: 'no' }],
  [
    'nats',
    'nats://u:p@h',
    /options.quiet_hours: must be \{/,
    { quiet_hours: { from: '22:00', to: '07:00', zoen: 'UTC' } },
  ],
]

suite('S34 addresses that are refused when they are set', () => {
  for (const [kind, url, says, options = {}] of REFUSED) {
    test(`${kind} ${url} ${JSON.stringify(options)}`, () => {
      assert.throws(
        () => {
          kinds[kind].checkAddress(url, 'app')
          checkOptions(kind, kinds[kind], options)
        },
        (error) => {
          assert.ok(error instanceof ApiError, String(error))
          assert.match(error.message, says)
          return true
        },
      )
    })
  }

  test('folders are refused when the operator allowed none', () => {
    const none = createKinds({ filesDir: undefined })
    assert.throws(() => none.files.checkAddress(pathToFileURL(filesDir).href, 'app'), /TRIBUTARY_FILES/)
  })
})

const at = (host: string): [DestinationKind, string][] => [
  ['postgres', `postgres://u:p@${host}:5432/db`],
  ['postgres', `postgres://u:p@${host}:5432/db?sslmode=disable`],
  ['mysql', `mysql://u:p@${host}:3306/db`],
  ['clickhouse', `clickhouse://u:p@${host}/db`],
  ['clickhouse', `clickhouse://u:p@${host}/db?sslmode=disable`],
  ['nats', `nats://u:p@${host}:4222`],
  ['webhook', `https://${host}/hook`],
  ['files', `s3://k:s@${host}/bucket`],
]

suite('S30 S34 addresses that are refused on connect', () => {
  const hosts = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '10.0.0.1',
    '169.254.169.254',
    '[::ffff:127.0.0.1]',
    '[fd00::1]',
    '0.0.0.0',
    'rebound.test',
  ]
  for (const [kind, url] of hosts.flatMap(at)) {
    test(url, async () => {
      kinds[kind].checkAddress(url, 'app')
      const connection = kinds[kind].open(deps, destinationOf(kind), { url, signing: [] })
      const [finding] = await connection.test()
      assert.equal(finding?.ok, false)
      assert.match(finding.detail, /address_refused/)
      const ada = makePerson('dst')
      await assert.rejects(connection.write(ada.batch([ada.put('a', 1)])), (error) => {
        assert.ok(error instanceof DeliveryError && error.recovery === 'retry', String(error))
        return /address_refused/.test(error.message)
      })
      await connection.close()
    })
  }
})

test('S34 S37 a public name without TLS is refused when it is set; names inside and unknown names are accepted alike', async () => {
  const set = (kind: DestinationKind, url: string) => requireReachable(egress, kinds[kind].checkAddress(url, 'app'))
  for (const [kind, url] of [
    ['webhook', 'http://public.test/hook'],
    ['files', 's3://k:s@public.test/bucket?tls=false'],
    ['nats', 'nats://public.test?tls=false'],
    ['clickhouse', 'clickhouse://u:p@public.test/db?sslmode=disable'],
  ] as const)
    await assert.rejects(set(kind, url), { reason: 'bad_body', message: /^url: Without TLS only addresses that/ })
  // A webhook without TLS must be in a network that the operator opened; the sentence does not tell which names exist.
  for (const host of ['public.test', 'inside.test', 'missing.test', 'empty.test', 'crowded.test'])
    await assert.rejects(set('webhook', `http://${host}/hook`), {
      reason: 'bad_body',
      message: 'url: Without TLS only addresses that the operator listed can be reached; use https.',
    })
  await set('webhook', 'https://public.test/hook')
  await set('files', pathToFileURL(join(filesDir, 'app', 'x')).href)
  for (const host of ['inside.test', 'missing.test', 'empty.test', 'crowded.test'])
    for (const [kind, url] of at(host)) await set(kind, url)
})

// Otherwise any app could find out which names exist inside the operator's network.
test('S37 F25 a refused name and an unknown name fail with the same message', async () => {
  const failureFor = async (host: string) => {
    const words: string[] = []
    for (const [kind, url] of at(host)) {
      const connection = kinds[kind].open(deps, destinationOf(kind), { url, signing: [] })
      const findings = await connection.test()
      const ada = makePerson('dst')
      const failed: unknown = await connection.write(ada.batch([ada.put('a', 1)])).catch((error: unknown) => error)
      assert.ok(failed instanceof DeliveryError)
      words.push(`${kind}: ${findings.map(({ detail }) => detail).join()} / ${failed.recovery} ${failed.message}`)
      await connection.close()
    }
    return words
  }
  const refused = await failureFor('inside.test')
  for (const host of ['missing.test', 'empty.test', 'crowded.test'])
    assert.deepEqual(await failureFor(host), refused, host)
})

/** An address that is accepted, of each kind and form. */
const ACCEPTED: [kind: DestinationKind, url: string][] = [
  ['postgres', 'postgres://us:pw@public.test:5432/db?sslmode=require'],
  ['mysql', 'mysql://us:pw@public.test:3306/db?sslmode=require'],
  ['clickhouse', 'clickhouse://us:pw@public.test:8443/db?sslmode=require'],
  ['nats', 'nats://us:pw@public.test:4222?tls=true'],
  ['webhook', 'https://public.test:8443/path?x=1'],
  ['files', 's3://us:pw@public.test:443/bucket/prefix'],
  ['files', pathToFileURL(join(filesDir, 'app_x', 'folder')).href],
]

suite('S60 any character at any place of an address', () => {
  const outcomeOf = (kind: DestinationKind, url: string): 'accepted' | 'refused' => {
    try {
      kinds[kind].checkAddress(url, 'app_x')
      return 'accepted'
    } catch (error) {
      assert.ok(error instanceof ApiError, `${JSON.stringify(url)}: ${String(error)}`)
      assert.deepEqual([error.status, error.param], [400, 'url'], url)
      return 'refused'
    }
  }
  for (const [kind, url] of ACCEPTED)
    test(`is accepted or refused by its name, and a control character always refused: ${kind} ${url.slice(0, 8)}`, () => {
      assert.equal(outcomeOf(kind, url), 'accepted')
      const places = url.split('').flatMap((_, at) => (/\W/.test(url.slice(Math.max(0, at - 1), at + 1)) ? [at] : []))
      for (let code = 0; code <= 128; code += 1) {
        const character = String.fromCodePoint(code)
        for (const written of [character, `%${code.toString(16).padStart(2, '0')}`])
          for (const at of [...places.filter((place) => place > url.indexOf(':')), url.length]) {
            const outcome = outcomeOf(kind, url.slice(0, at) + written + url.slice(at))
            if (code < 128 && /\p{Cc}/u.test(character)) assert.equal(outcome, 'refused', `${code} at ${at}`)
          }
      }
    })
})
