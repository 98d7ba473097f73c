import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { exchange } from './raw-http.ts'

let tributary: Tributary
before(async () => {
  tributary = await startTributary({ TRUST_PROXY: '127.0.0.1' })
})
after(() => tributary.stop())

const request = (headers: Record<string, string> = {}) => fetch(`${tributary.url}/metrics`, { headers })

suite('metrics', () => {
  test('are readable from this machine, in the Prometheus format', async () => {
    await fetch(`${tributary.url}/healthz`)
    await fetch(`${tributary.url}/nothing/at/all?token=x`)
    const response = await request()
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    const text = await response.text()
    assert.match(text, /^tributary_http_request_seconds_count\{method="GET",route="\/healthz",status="200"\} \d+$/m)
    assert.match(text, /^tributary_http_request_seconds_count\{method="GET",route="none",status="404"\} \d+$/m)
    assert.match(text, /^tributary_syncs_running \d+$/m)
    assert.match(text, /^process_resident_memory_bytes \d+$/m)
    for (const lineText of text.split('\n').filter((each) => each !== ''))
      assert.match(lineText, /^(# (HELP|TYPE) .+|[a-z_0-9:]+(\{.*\})? \S+)$/)
  })

  test('count warnings by their message', async () => {
    const lines = async () =>
      Number(
        /^tributary_log_lines_total\{level="warn",message="for a test"\} (\d+)$/m.exec(
          await (await request()).text(),
        )?.[1] ?? 0,
      )
    assert.equal(await lines(), 0)
    for (let i = 0; i < 2; i += 1) tributary.store.log.warn('for a test', { number: i })
    assert.equal(await lines(), 2)
  })

  test('have no label from the request, so that callers cannot fill them', async () => {
    for (let i = 0; i < 5; i += 1) await fetch(`${tributary.url}/made-up-${i}`)
    await tributary.admin('GET', '/admin/apps/app_made_up')
    assert.doesNotMatch(await (await request()).text(), /made.up/)
  })

  test('require the admin token from other machines', async () => {
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer tra_wrong' },
    ]) {
      const response = await request(headers)
      assert.equal(response.status, 401)
      assert.equal(((await response.json()) as { reason: string }).reason, 'admin_token_invalid')
    }
    const admin = { 'x-forwarded-for': '203.0.113.8', authorization: `Bearer ${tributary.adminToken}` }
    assert.equal((await request(admin)).status, 200)
  })

  test('are refused for a foreign host name that resolves to this machine, and behind any proxy', async () => {
    const port = new URL(tributary.url).port
    const statusOf = async (host: string, header = '') => {
      const line = header === '' ? '' : `${header}\r\n`
      const said = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n${line}Connection: close\r\n\r\n`
      return (await exchange(tributary.url, said)).status
    }
    for (const host of ['evil.test', `evil.test:${port}`, '127.0.0.1.evil.test', 'localhost.evil.test', '10.0.0.1'])
      assert.equal(await statusOf(host), 401, host)
    for (const header of [
      'Forwarded: for=203.0.113.7',
      'Via: 1.1 proxy',
      'X-Real-IP: 203.0.113.7',
      'X-Forwarded-Host: tributary.test',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Anything: 1',
    ])
      assert.equal(await statusOf('localhost', header), 401, header)
    const own = new URL(tributary.url).host
    for (const host of [own, 'localhost', `localhost:${port}`, '127.0.0.1', `127.0.0.1:${port}`, `[::1]:${port}`])
      assert.equal(await statusOf(host), 200, host)
  })

  test('cannot be used to guess the admin token', async () => {
    const guess = () => request({ 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer tra_guess' })
    const statuses: number[] = []
    for (let i = 0; i < 70 && statuses.at(-1) !== 429; i += 1) statuses.push((await guess()).status)
    assert.equal(statuses.at(-1), 429)
  })
})
