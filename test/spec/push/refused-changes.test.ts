import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

suite('addresses and fields of destinations that are refused when they are set', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  before(async () => {
    harness = await startPushHarness()
    app = await harness.newTenant()
    theirs = await clientDatabase()
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
  })

  const refusal = async (fields: Record<string, unknown>) => {
    const { status, body } = await app.ask('POST', '/push', {
      name: 'Ours',
      kind: 'postgres',
      url: theirs.url,
      filter: ['*'],
      ...fields,
    })
    assert.equal(status, 400, JSON.stringify(body))
    return `${String(body['reason'])}: ${String(body['error'])}`
  }

  const UNREACHABLE = [
    ['postgres', 'postgres://u:p@10.1.2.3/db', /^bad_body: url: The host is not on the public internet\.$/],
    ['postgres', 'postgres://u:p@[::ffff:10.1.2.3]/db', /not on the public internet/],
    ['mysql', 'mysql://u:p@192.168.1.1/db?sslmode=disable', /not on the public internet/],
    ['nats', 'nats://u:p@169.254.169.254', /not on the public internet/],
    ['files', 's3://k:s@169.254.169.254/bucket', /not on the public internet/],
    ['webhook', 'https://169.254.169.254/latest', /not on the public internet/],
    ['webhook', 'http://169.254.169.254/latest', /not on the public internet/],
    [
      'webhook',
      'http://1.1.1.1/hook',
      /^bad_body: url: Without TLS only addresses that the operator listed can be reached\.$/,
    ],
    ['files', 's3://k:s@1.1.1.1/bucket?tls=false', /url: Without TLS/],
    ['nats', 'nats://u:p@1.1.1.1?tls=false', /url: Without TLS/],
    ['postgres', 'postgres://u:p@1.1.1.1/db?sslmode=disable', /url: Without TLS/],
  ] as const

  test('S34 private addresses, and public ones without TLS, are refused when they are set', async () => {
    const ofKind: Record<string, string> = {
      postgres: theirs.url,
      mysql: 'mysql://u:p@127.0.0.1/db',
      nats: 'nats://127.0.0.1',
      files: 's3://k:s@127.0.0.1/bucket',
      webhook: 'http://127.0.0.1/hook',
    }
    for (const [kind, url, says] of UNREACHABLE) {
      assert.match(await refusal({ kind, url }), says, url)
      const made = await app.add({ kind, url: ofKind[kind], schedule: 'manual' })
      const { status, body } = await app.ask('PATCH', `/push/${made.id}`, { url, name: 'Moved' })
      assert.equal(status, 400, url)
      assert.match(`${String(body['reason'])}: ${String(body['error'])}`, says, url)
      const shown = await app.show(made)
      assert.deepEqual([shown['url'], shown['name']], [made['url'], made['name']], 'nothing changed')
      await app.ask('DELETE', `/push/${made.id}`)
    }
  })

  test('S37 a name is accepted whether it has an address or not, and test says why it cannot be reached', async () => {
    const made = await app.ask('POST', '/push', {
      name: 'Later',
      kind: 'webhook',
      url: 'https://not-yet.invalid/hook',
      schedule: 'manual',
    })
    assert.equal(made.status, 201, made.text)
    const tried = await app.ask('POST', `/push/${String(made.body['id'])}/test`)
    assert.equal(tried.body['ok'], false)
    assert.match(tried.text, /address_refused: The host has no address on the public internet/)
    await app.ask('DELETE', `/push/${String(made.body['id'])}`)
  })

  test('unknown fields are refused by name, and a kind cannot be changed', async () => {
    assert.match(await refusal({ filters: ['*'] }), /^parameter_unknown: Unknown field “filters”/)
    assert.match(await refusal({ options: { nope: 1 } }), /^bad_body: options\.nope: Unknown option/)
    const made = await app.add({ kind: 'postgres', url: theirs.url, schedule: 'manual' })
    for (const [change, reason] of [
      [{ kind: 'mysql' }, 'bad_body'],
      [{ kind: 'postgres' }, 'bad_body'],
      [{ nmae: 'x' }, 'parameter_unknown'],
      [{ options: { nope: 1 } }, 'bad_body'],
    ] as const) {
      const { status, body } = await app.ask('PATCH', `/push/${made.id}`, change)
      assert.deepEqual([status, body['reason']], [400, reason], JSON.stringify(change))
      assert.match(String(body['error']), /kind|nmae|nope/)
    }
    assert.equal((await app.show(made))['kind'], 'postgres')
    await app.ask('DELETE', `/push/${made.id}`)
  })
})
