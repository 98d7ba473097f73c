import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { request } from 'undici'
import { createEgress } from './guard.ts'

function certificateFor(t: TestContext, name: string): { key: string; cert: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'egress-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-days', '2']
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ])
  return made.status === 0 ? { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } : undefined
}

test('S36 TLS asks for and verifies the name in the URL, while the socket goes to the checked address', async (t) => {
  const pair = certificateFor(t, 'api.example.test')
  if (!pair) return t.skip('openssl is not installed')
  const names: unknown[] = []
  const server = createServer(pair, (incoming, response) => {
    names.push('servername' in incoming.socket ? incoming.socket.servername : undefined)
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const resolve = () => Promise.resolve([{ address: '127.0.0.1' }])
  const trusting = createEgress({ allowPrivate: ['127.0.0.1'], resolve, ca: pair.cert })
  const doubting = createEgress({ allowPrivate: ['127.0.0.1'], resolve })
  t.after(() => Promise.all([trusting.close(), doubting.close()]))
  const call = (host: string, egress = trusting, headers = {}) =>
    request(`https://${host}:${port}/`, { dispatcher: egress.dispatcher, headers })

  assert.equal(await (await call('api.example.test')).body.text(), 'ok')
  assert.deepEqual(names, ['api.example.test'])
  await assert.rejects(call('other.example.test'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  await assert.rejects(call('127.0.0.1'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  // A Host header must not talk the client into verifying another name than the one it connects to.
  await assert.rejects(call('other.example.test', trusting, { host: 'api.example.test' }), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  await assert.rejects(call('api.example.test', doubting), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  assert.equal(names.length, 1)
})
