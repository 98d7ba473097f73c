import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import { registerAt } from '../../harness/callback.ts'
import { send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { type AllServices, startAllServices } from './all-services-fixture.ts'

let harness: AllServices
let instance: Server
let paths: string[]
before(async () => {
  harness = await startAllServices()
  const { url } = harness.lab.services.github
  paths = []
  // An own instance: the API is below /api/v3, everything else at the root.
  instance = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const path = request.url!.split('?', 1)[0]!
      paths.push(`${request.method} ${path}`)
      const isApi = path.startsWith('/api/v3/')
      const isLogin = path.startsWith('/login') || path.startsWith('/consent')
      if (!isApi && !isLogin) {
        response.writeHead(404).end()
        return
      }
      const target = isApi ? request.url!.slice('/api/v3'.length) : request.url!
      const { host: _, connection: _c, 'content-length': _l, ...headers } = request.headers
      void fetch(`${url}${target}`, {
        method: request.method!,
        headers: headers as Record<string, string>,
        redirect: 'manual',
        ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
      }).then(async (reply) => {
        const kept = ['content-type', 'location', 'set-cookie'].flatMap((name) => {
          const value = reply.headers.get(name)
          return value === null ? [] : [[name, value] as const]
        })
        response.writeHead(reply.status, Object.fromEntries(kept)).end(Buffer.from(await reply.arrayBuffer()))
      })
    })
  })
  await new Promise<void>((resolve) => void instance.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  await new Promise((resolve) => void instance.close(resolve))
  await harness.stop()
})

test('GitHub Enterprise with api_url alone: sign-in, apply and revocation go to the instance', async () => {
  const own = `http://127.0.0.1:${(instance.address() as AddressInfo).port}`
  const app = await harness.newApp([])
  const overrides = { api_url: `${own}/api/v3` }
  const keys = await registerAt(harness.tributary, app, 'github', harness.lab.services.github, { overrides })
  const granted = await signIn(harness, 'github', 'ada', {}, app)
  assert.ok(paths.includes('GET /login/oauth/authorize') && paths.includes('POST /login/oauth/access_token'))
  const query = { auth: 'true', access_token: granted.access_token }
  const { body } = await send(harness, 'GET', '/profiles', { query, headers: basic(app) })
  const { token } = (body['github'] as { auth: { token: string } }[])[0]!.auth
  const applied = await send(harness, 'POST', '/auth/github/apply', { form: { token }, headers: basic(app) })
  assert.equal(applied.status, 200, applied.text)
  const at = `/api/v3/applications/${keys.key}`
  assert.ok(paths.includes(`POST ${at}/token`))
  assert.deepEqual(await harness.disconnect('github', granted.access_token), ['kept'])
  assert.deepEqual(await harness.disconnect('github', String(applied.body['access_token'])), ['revoked'])
  assert.ok(paths.includes(`DELETE ${at}/grant`))
  assert.deepEqual(
    paths.filter((path) => path.includes(' /applications')),
    [],
  )
})
