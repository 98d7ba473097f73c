import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { StartedDocument } from './started-document.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

async function start(...more: string[]) {
  const args = [main, '--port', '0', '--json', '--redirect-uri', 'http://127.0.0.1:9/cb', ...more]
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (text.endsWith('\n')) break
  }
  return { child, exited: once(child, 'exit'), document: JSON.parse(text) as StartedDocument }
}

test('prints a JSON document with URLs and a registered client, and stops on SIGTERM', async () => {
  const { child, exited, document } = await start()
  const social = document.services['demo-social']
  assert.deepEqual(Object.keys(document.services), ['demo-social', 'demo-micro', 'demo-health'])
  assert.deepEqual(social?.client, {
    key: 'demo-social-demo-key',
    secret: 'demo-social-demo-secret',
    redirect_uris: ['http://127.0.0.1:9/cb'],
  })
  for (const name of ['authorize_url', 'token_url', 'revoke_url', 'api_url']) assert.ok(social.endpoints[name], name)
  const micro = document.services['demo-micro']?.endpoints ?? {}
  for (const name of ['request_token_url', 'authorize_url', 'access_token_url', 'api_url']) assert.ok(micro[name], name)
  assert.equal((await fetch(`${social.url}/_lab`)).status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
})

test('--with-parent: exits when stdin closes', async () => {
  const { child, exited } = await start('--with-parent')
  child.stdin.end()
  assert.deepEqual(await exited, [0, null])
})
