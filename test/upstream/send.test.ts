import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { withDeadline } from '#upstream/request/send.ts'
import type { LabService } from '../../lab/base/service.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { refusal } from './fixture.ts'

suite('sending requests', () => {
  let lab: Lab<'demo-social'>
  let service: LabService
  let open: OpenUpstream
  before(async () => {
    lab = await startLab({ services: ['demo-social'] })
    service = lab.services['demo-social']
    open = openUpstream()
  })
  after(async () => {
    await open.close()
    await lab.close()
  })
  beforeEach(() => service.faults.clear())

  const path = '/ada'
  const get = (more: { timeoutMs?: number; maxBytes?: number } = {}) =>
    open.upstream.send({
      trust: 'operator',
      method: 'GET',
      url: `${service.url}${path}?access_token=in-the-query`,
      ...more,
    })

  test('returns status, headers and text', async () => {
    const response = await get()
    assert.equal(response.status, 200)
    assert.match(response.headers['content-type'] ?? '', /json/)
    assert.match(response.text, /"username":"ada"/)
    assert.equal(open.lines.join('').includes('in-the-query'), false)
  })

  test('a service that hangs, before or after its headers, is a timeout', async () => {
    for (const kind of ['hang', 'half-open'] as const) {
      service.faults.add({ path, kind })
      await refusal(get({ timeoutMs: 150 }), 'retry', 'service_timeout')
    }
    service.faults.add({ path, kind: 'slow', bytesPerChunk: 1, everyMs: 20 })
    await refusal(get({ timeoutMs: 150 }), 'retry', 'service_timeout')
  })

  test('a deadline applies to all calls together', async () => {
    service.faults.add({ path, kind: 'delay', delayMs: 60, times: 0 })
    const bounded = withDeadline(open.upstream, 100)
    const ask = () => bounded.send({ trust: 'operator', method: 'GET', url: `${service.url}${path}` })
    await ask().catch(() => undefined)
    await refusal(ask(), 'retry', 'service_timeout')
    await refusal(ask(), 'retry', 'service_timeout')
  })

  test('a reset and an interrupted body can be retried', async () => {
    service.faults.add({ path, kind: 'reset' })
    await refusal(get(), 'retry', 'service_unreachable')
    service.faults.add({ path, kind: 'truncated', how: 'dropped' })
    await assert.rejects(get(), { name: 'UpstreamError', recovery: 'retry' })
  })

  test('nothing larger than the limit is read, compressed or not', async () => {
    await refusal(get({ maxBytes: 10 }), 'stop', 'answer_too_large')
    service.faults.add({ path, kind: 'gzip-bomb' })
    await refusal(get(), 'stop', 'answer_too_large')
  })

  test('a redirect is returned unchanged', async () => {
    const location = `${service.url}/elsewhere`
    service.faults.add({ path, kind: 'response', status: 302, headers: { location }, body: '' })
    assert.equal((await get()).status, 302)
    assert.equal(service.requests.count('/elsewhere'), 0)
  })

  test('S30 private addresses are refused without a connection', async () => {
    for (const url of [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest',
      'http://[fd00::1]/',
      'ftp://127.0.0.1/',
      'http://u:p@127.0.0.1/',
    ])
      await refusal(open.upstream.send({ trust: 'operator', method: 'GET', url }), 'stop', 'address_refused')
  })

  // Otherwise a person with their own server could probe which names exist in the operator's network.
  test('F25 a refused name and a name that does not exist fail with the same message', async () => {
    const resolve = async (name: string) => {
      if (name === 'missing.test') throw new Error('getaddrinfo ENOTFOUND missing.test')
      return name === 'empty.test' ? [] : [{ address: '10.0.0.1' }]
    }
    const inside = openUpstream(systemClock, { resolve })
    try {
      const told = async (host: string) => {
        const failed: unknown = await inside.upstream
          .send({ trust: 'operator', method: 'GET', url: `https://${host}/` })
          .catch((error: unknown) => error)
        assert.ok(failed instanceof UpstreamError)
        return [failed.recovery, failed.reason, failed.message.replace(host, '')]
      }
      const refused = await told('inside.test')
      assert.deepEqual(await told('missing.test'), refused)
      assert.deepEqual(await told('empty.test'), refused)
    } finally {
      await inside.close()
    }
  })

  test('a header that would split the request is refused', async () => {
    const headers = { 'x-a': 'b\r\nx-evil: 1' }
    await refusal(
      open.upstream.send({ trust: 'operator', method: 'GET', url: `${service.url}${path}`, headers }),
      'stop',
      'request_invalid',
    )
  })
})
