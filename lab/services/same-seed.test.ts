import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../base/clock.ts'
import { startLab } from '../lab.ts'
import { call, tokenFor } from './github/testing.ts'
import * as tumblr from './tumblr/testing.ts'
import * as x from './x/testing.ts'

const callback = 'http://127.0.0.1:9/callback'
const start = async <Name extends 'github' | 'x' | 'tumblr'>(name: Name, seed: number) => {
  const clock = movableClock({ startMs: Date.UTC(2026, 0, 1), frozen: true })
  const lab = await startLab({ services: [name], seed, clock })
  const service = lab.services[name]
  return { lab, service, ...service.register({ redirectUris: [callback] }) }
}

const readers: Record<string, (seed: number) => Promise<string>> = {
  async github(seed) {
    const app = await start('github', seed)
    const body = await (await call(app, '/issues?filter=all&state=all', await tokenFor(app, 'repo'))).text()
    await app.lab.close()
    return body.replaceAll(app.service.url, '').replaceAll(new URL(app.service.url).host, '')
  },
  async x(seed) {
    const app = await start('x', seed)
    const { access_token } = await x.tokensFor(app)
    const id = app.service.people[0]?.id
    const body = await (await x.get(app, `/2/users/${id}/timelines/reverse_chronological`, access_token)).text()
    await app.lab.close()
    return body
  },
  async tumblr(seed) {
    const app = await start('tumblr', seed)
    const { access_token } = await tumblr.tokensFor(app)
    const body = await (await tumblr.get(app, '/v2/user/dashboard?notes_info=true', access_token)).text()
    await app.lab.close()
    return body.replaceAll(app.service.url, '')
  },
}

for (const [name, read] of Object.entries(readers))
  test(`${name}: the same seed and clock generate the same data, another seed different data`, async () => {
    const one = await read(7)
    assert.ok(one.length > 2000)
    assert.equal(await read(7), one)
    assert.notEqual(await read(8), one)
  })
