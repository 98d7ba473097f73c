import assert from 'node:assert/strict'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { keyFilePath } from '#config/key-file.ts'
import { rotateKeyring } from '#flows/operations/keyring.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { makeApp } from '../../harness/app.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let id: string
before(async () => {
  tributary = await startTributary()
  id = (await makeApp(tributary)).clientId
})
after(() => tributary.stop())

const set = (service: string) =>
  tributary.admin('PUT', `/admin/apps/${id}/keys/${service}`, { key: 'k', secret: `secret of ${service}` })
const secretOf = async (service: string) =>
  (await findServiceKey(tributary.store.database, tributary.store.keyring, id, service))?.secret

suite('a running service whose key file', () => {
  for (const [what, damage] of [
    ['is missing', () => {}],
    ['is damaged', (path: string) => writeFileSync(path, '{"keys":[')],
  ] as const) {
    test(`${what} for a moment keeps its keys and creates no new one`, async () => {
      const path = keyFilePath(tributary.dataDir)
      await set('before')
      renameSync(path, `${path}.away`)
      try {
        damage(path)
        tributary.store.keyring.refresh()
        assert.equal((await set('during')).status, 200)
        assert.equal(await secretOf('before'), 'secret of before')
        if (what === 'is missing') assert.equal(existsSync(path), false)
      } finally {
        renameSync(`${path}.away`, path)
      }
      tributary.store.keyring.refresh()
      assert.equal(await secretOf('during'), 'secret of during')
    })
  }

  test('is rotated by another process loads the new key by itself', async () => {
    await set('old')
    const other = await startTributary({ DATABASE_URL: tributary.databaseUrl, TRIBUTARY_DATA: tributary.dataDir })
    try {
      await rotateKeyring({ ...other.store, keyFile: keyFilePath(tributary.dataDir) }, () => {})
      assert.equal(await secretOf('old'), 'secret of old')
      assert.deepEqual(tributary.store.keyring.primaryId, other.store.keyring.primaryId)
    } finally {
      await other.stop()
    }
  })
})
