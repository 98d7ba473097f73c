import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { keepServedSettings, servedSettings } from './served-settings.ts'

const served = {
  baseUrl: 'https://notes.example.com',
  allowPrivate: ['127.0.0.0/8', '10.1.0.0/16'],
  allowPrivateTyped: [],
}

suite('settings of the server', () => {
  const inFolder = (work: (dataDir: string) => void) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tributary-served-'))
    try {
      work(dataDir)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  }

  test('are kept for its owner only, and those of the last start count', () =>
    inFolder((dataDir) => {
      keepServedSettings({ ...served, dataDir, baseUrl: 'http://localhost:1' })
      keepServedSettings({ ...served, dataDir })
      assert.deepEqual(servedSettings(dataDir, {}), {
        BASE_URL: 'https://notes.example.com',
        TRIBUTARY_ALLOW_PRIVATE: '127.0.0.0/8,10.1.0.0/16',
        TRIBUTARY_ALLOW_PRIVATE_TYPED: '',
      })
      assert.deepEqual(readdirSync(dataDir), ['served-settings.json'])
      assert.equal(statSync(join(dataDir, 'served-settings.json')).mode & 0o777, 0o600)
    }))

  test('never replace what the environment of the command says, also in a file', () =>
    inFolder((dataDir) => {
      keepServedSettings({ ...served, dataDir })
      const env = { BASE_URL_FILE: '/run/secrets/base', TRIBUTARY_ALLOW_PRIVATE: '10.0.0.0/8', LOG_LEVEL: 'warn' }
      assert.deepEqual(servedSettings(dataDir, env), { TRIBUTARY_ALLOW_PRIVATE_TYPED: '' })
      assert.ok('BASE_URL' in servedSettings(dataDir, { BASE_URL: '' }), 'an empty one is not set')
    }))

  test('are missing where no server was started, or the file is damaged', () =>
    inFolder((dataDir) => {
      assert.deepEqual(servedSettings(dataDir, {}), {})
      for (const text of ['', '{"BASE_URL": 5', 'null', '[]', '{"BASE_URL": 5}']) {
        writeFileSync(join(dataDir, 'served-settings.json'), text)
        assert.deepEqual(servedSettings(dataDir, {}), {}, text)
      }
    }))
})
