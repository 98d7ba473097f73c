import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { Keyring, SealError } from '#platform/crypto/sealing.ts'
import { statement } from '#platform/postgres/database.ts'
import * as apps from '#store/apps/apps.ts'
import * as keys from '#store/apps/service-keys.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openPrepared } from './opened.ts'

let opened: Opened
before(async () => {
  opened = await openPrepared()
  await migrate(opened.database, 1)
})
after(() => opened.close())

const app = (id: string, createdAt = 1) => ({
  id,
  name: `Name of ${id} 'quoted" \\ {a,b} 日本`,
  redirectUris: ['https://a.test/?x="1",{2}', 'com.app:/cb'],
  tokenFlow: true,
  isPublic: false,
  apply: 'proven' as const,
  createdAt,
})
const secret = (id: string, createdAt = 1) => ({ id, hash: randomBytes(32), createdAt, expiresAt: undefined })

suite('apps in the store', () => {
  test('accept any token to apply if a release without that setting created them', async () => {
    const insert = statement(
      'test-old-app',
      `insert into app (id, name, redirect_uris, token_flow, created_at) values ('old', 'Old', '{}', true, 0)`,
    )
    await opened.database.count(insert)
    assert.equal((await apps.findApp(opened.database, 'old'))?.apply, 'any')
    await apps.deleteApp(opened.database, 'old')
  })

  test('are read back as stored, the oldest first', async () => {
    for (const [id, createdAt] of [
      ['b', 2],
      ['c', 1],
      ['a', 2],
    ] as const)
      assert.equal(await apps.insertApp(opened.database, app(id, createdAt), secret('s')), true)
    assert.deepEqual(await apps.findApp(opened.database, 'b'), app('b', 2))
    assert.deepEqual(
      (await apps.listApps(opened.database)).map(({ id }) => id),
      ['c', 'a', 'b'],
    )
    assert.equal(await apps.findApp(opened.database, 'B'), undefined)
  })

  test('that exist already stay unchanged, and so does their secret', async () => {
    const first = secret('first')
    await apps.insertApp(opened.database, app('twice'), first)
    assert.equal(await apps.insertApp(opened.database, { ...app('twice'), name: 'other' }, secret('second')), false)
    assert.equal((await apps.findApp(opened.database, 'twice'))?.name, app('twice').name)
    assert.deepEqual(await apps.listAppSecrets(opened.database, 'twice', 5), [first])
  })

  test('change only the given fields and only themselves', async () => {
    await apps.insertApp(opened.database, app('left'), secret('s'))
    await apps.insertApp(opened.database, app('right'), secret('s'))
    assert.equal(
      await apps.updateApp(opened.database, { ...app('left'), name: 'new', tokenFlow: false, isPublic: true }),
      true,
    )
    assert.deepEqual(await apps.findApp(opened.database, 'left'), {
      ...app('left'),
      name: 'new',
      tokenFlow: false,
      isPublic: true,
    })
    assert.deepEqual(await apps.findApp(opened.database, 'right'), app('right'))
    assert.equal(await apps.updateApp(opened.database, app('nobody')), false)
  })

  test('rotate: both secrets are valid until the older expires, and a second rotation never extends it', async () => {
    const [one, two, three] = [secret('one', 10), secret('two', 20), secret('three', 30)]
    await apps.insertApp(opened.database, app('rotating'), one)
    await apps.insertAppSecret(opened.database, 'rotating', two)
    await apps.retireOtherSecrets(opened.database, 'rotating', 'two', 100, 20)
    const ids = async (now: number) => (await apps.listAppSecrets(opened.database, 'rotating', now)).map(({ id }) => id)
    assert.deepEqual(await ids(99), ['two', 'one'])
    assert.deepEqual(await ids(100), ['two'])
    await apps.insertAppSecret(opened.database, 'rotating', three)
    await apps.retireOtherSecrets(opened.database, 'rotating', 'three', 500, 30)
    assert.deepEqual(await ids(99), ['three', 'two', 'one'])
    assert.deepEqual(await ids(100), ['three', 'two'])
    assert.deepEqual(await ids(500), ['three'])
    await apps.retireOtherSecrets(opened.database, 'rotating', 'three', 600, 550)
    assert.deepEqual(
      await opened.database.rows(statement('t-left', `select id from app_secret where app_id = 'rotating'`)),
      [{ id: 'three' }],
    )
  })

  test('that are deleted take only their own secrets and keys with them', async () => {
    const keyring = new Keyring([randomBytes(32)])
    for (const id of ['gone', 'stays']) {
      await apps.insertApp(opened.database, app(id), secret('s'))
      await keys.putServiceKey(opened.database, keyring, id, serviceKey('github'), 'x')
    }
    assert.equal(await apps.deleteApp(opened.database, 'gone'), true)
    assert.equal(await apps.deleteApp(opened.database, 'gone'), false)
    assert.deepEqual(await apps.listAppSecrets(opened.database, 'gone', 1), [])
    assert.deepEqual(await keys.listServiceKeys(opened.database, 'gone'), [])
    assert.equal((await keys.listServiceKeys(opened.database, 'stays')).length, 1)
  })
})

const serviceKey = (service: string) => ({
  service,
  key: 'k',
  scope: undefined,
  overrides: { api_url: 'https://api.test/?a=1' },
  updatedAt: 3,
})

suite('service keys in the store', () => {
  const keyring = new Keyring([randomBytes(32)])
  before(async () => {
    for (const id of ['one', 'two']) await apps.insertApp(opened.database, app(id), secret('s'))
  })

  test('are read back with their secret, and replaced as a whole', async () => {
    const first = { ...serviceKey('github'), scope: 'user repo' }
    await keys.putServiceKey(opened.database, keyring, 'one', first, 's3cret ü')
    assert.deepEqual(await keys.findServiceKey(opened.database, keyring, 'one', 'github'), {
      ...first,
      secret: 's3cret ü',
    })
    const second = { ...serviceKey('github'), key: 'k2', overrides: {}, updatedAt: 4 }
    await keys.putServiceKey(opened.database, keyring, 'one', second, '')
    assert.deepEqual(await keys.findServiceKey(opened.database, keyring, 'one', 'github'), { ...second, secret: '' })
  })

  test('are listed without secrets, by service', async () => {
    await keys.putServiceKey(opened.database, keyring, 'two', serviceKey('flickr'), 'x')
    await keys.putServiceKey(opened.database, keyring, 'two', serviceKey('500px'), 'x')
    const listed = await keys.listServiceKeys(opened.database, 'two')
    assert.deepEqual(listed, [serviceKey('500px'), serviceKey('flickr')])
  })

  test('swapped between rows do not open', async () => {
    for (const service of ['a', 'b'])
      await keys.putServiceKey(opened.database, keyring, 'one', serviceKey(service), service)
    await opened.database.script(
      `update service_key k set secret = o.secret from service_key o where k.app_id = 'one' and o.app_id = 'one' and (k.service, o.service) in (('a', 'b'), ('b', 'a'))`,
    )
    for (const service of ['a', 'b'])
      await assert.rejects(keys.findServiceKey(opened.database, keyring, 'one', service), SealError)
  })

  test('are deleted one by one', async () => {
    await keys.putServiceKey(opened.database, keyring, 'one', serviceKey('x'), 'x')
    assert.equal(await keys.deleteServiceKey(opened.database, 'one', 'x'), true)
    assert.equal(await keys.deleteServiceKey(opened.database, 'one', 'x'), false)
    assert.equal(await keys.findServiceKey(opened.database, keyring, 'one', 'x'), undefined)
  })
})
