import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fetch, request } from 'undici'
import { type EgressReason, egressErrorIn } from './errors.ts'
import { createEgress, type EgressOptions } from './guard.ts'

const PUBLIC = '93.184.216.34'

const HOSTILE = [
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '0',
  '127.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[fec0::1]',
  '[fe80::1]',
  '[fd00::1]',
  '[ff02::1]',
  '[fd00:ec2::254]',
  '[2001:db8::1]',
  '[100::1]',
  '[5f00::1]',
  '[3fff::1]',
  '[::ffff:0:127.0.0.1]',
]

function refusal(reason: EgressReason) {
  return (error: unknown) => egressErrorIn(error)?.reason === reason
}

function guardFor(t: TestContext, options: Partial<EgressOptions> = {}) {
  const egress = createEgress({ allowPrivate: [], connectTimeoutMs: 300, ...options })
  t.after(() => egress.close())
  return egress
}

async function listen(t: TestContext, address: string, port = 0): Promise<{ port: number; connections: () => number }> {
  let count = 0
  const server = createTcpServer((socket) => {
    count++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => count }
}

async function serve(t: TestContext, address: string, listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  return (server.address() as AddressInfo).port
}

test('S30 all 36 hostile literals are refused by the check and by the connection', async (t) => {
  const loopback = await listen(t, '127.0.0.1')
  const egress = guardFor(t, { allowHttp: true })
  assert.equal(HOSTILE.length, 36)
  for (const host of HOSTILE) {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${loopback.port}/`
      assert.throws(() => egress.check(url), refusal('address_refused'), url)
      await assert.rejects(request(url, { dispatcher: egress.dispatcher }), refusal('address_refused'), url)
    }
  }
  assert.equal(loopback.connections(), 0)
})

test('public addresses pass the check', (t) => {
  const egress = guardFor(t)
  assert.equal(egress.check(`https://${PUBLIC}/a?b=c`).href, `https://${PUBLIC}/a?b=c`)
  assert.equal(egress.check('https://[2606:4700::1111]/').hostname, '[2606:4700::1111]')
  assert.equal(egress.check('https://api.example.com').hostname, 'api.example.com')
})

test('scheme, user info, port and spelling are checked', (t) => {
  const egress = guardFor(t, { webPortsOnly: true, allowPrivate: ['10.1.2.0/24'] })
  const cases: [string, EgressReason][] = [
    ['ftp://example.com/', 'scheme_refused'],
    ['file:///etc/passwd', 'scheme_refused'],
    ['unix:/run/x.sock', 'scheme_refused'],
    ['data:text/plain,x', 'scheme_refused'],
    ['https://name@example.com/', 'userinfo_refused'],
    ['https://:secret@example.com/', 'userinfo_refused'],
    [`https://${PUBLIC}:22/`, 'port_refused'],
    [`https://${PUBLIC}:6379/`, 'port_refused'],
    // The same as in a public network: otherwise the reason would tell where the host is.
    ['https://10.9.9.9:6379/', 'port_refused'],
    ['https://10.9.9.9:8443/', 'address_refused'],
    ['https://example.com:0/', 'port_refused'],
    ['/relative', 'url_invalid'],
    ['https://', 'url_invalid'],
  ]
  for (const [url, reason] of cases) assert.throws(() => egress.check(url), refusal(reason), url)
  assert.ok(egress.check(`https://${PUBLIC}:8443/`))
  assert.ok(egress.check('http://10.1.2.3:6379/'), 'on every port of a listed network')
})

test('plain http needs the switch or a listed address, for literals and for names', async (t) => {
  const port = await serve(t, '127.0.0.1', (_, response) => response.end('ok'))
  const resolve = (host: string) => Promise.resolve([{ address: host === 'public.test' ? PUBLIC : '127.0.0.1' }])
  const egress = guardFor(t, { allowPrivate: ['127.0.0.0/8'], resolve })
  const { dispatcher } = egress
  assert.throws(() => egress.check(`http://${PUBLIC}/`), refusal('plain_http_refused'))
  await assert.rejects(request(`http://${PUBLIC}/`, { dispatcher }), refusal('plain_http_refused'))
  await assert.rejects(request('http://public.test/', { dispatcher }), refusal('plain_http_refused'))
  assert.equal((await request(`http://127.0.0.1:${port}/`, { dispatcher })).statusCode, 200)
  const named = await request(`http://local.test:${port}/`, { dispatcher })
  assert.equal(await named.body.text(), 'ok')
  assert.ok(guardFor(t, { allowHttp: true }).check(`http://${PUBLIC}/`))
})

test('S31 one bad answer spoils a name; no answer and a failing resolver are refused', async (t) => {
  const loopback = await listen(t, '127.0.0.1')
  const answers: Record<string, string[]> = {
    'mixed.test': [PUBLIC, '127.0.0.1'],
    'mixed6.test': [PUBLIC, '::ffff:127.0.0.1'],
    'odd.test': ['not an address'],
    'none.test': [],
  }
  const resolve = (host: string) => {
    const found = answers[host]
    return found ? Promise.resolve(found.map((address) => ({ address }))) : Promise.reject(new Error('ENOTFOUND'))
  }
  const egress = guardFor(t, { resolve, allowHttp: true })
  const expected: [string, EgressReason][] = [
    ['mixed.test', 'address_refused'],
    ['mixed6.test', 'address_refused'],
    ['odd.test', 'address_refused'],
    ['none.test', 'name_unresolved'],
    ['missing.test', 'name_unresolved'],
  ]
  for (const [host, reason] of expected) {
    await assert.rejects(egress.lookup(host), refusal(reason), host)
    const call = request(`http://${host}:${loopback.port}/`, { dispatcher: egress.dispatcher })
    await assert.rejects(call, refusal(reason), host)
    await assert.rejects(egress.connectSocket(host, loopback.port), refusal(reason), host)
  }
  assert.equal(loopback.connections(), 0)
})

test('S31 many answers are bounded, and all of them are checked', async (t) => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ address: `93.184.${n >> 8}.${n & 255}` }))
  const answers: Record<string, { address: string }[]> = {
    'thousand.test': many(1000),
    'flood.test': many(1001),
    'late.test': [...many(999), { address: '10.0.0.1' }],
    'same.test': many(1).concat(many(1)),
  }
  const egress = guardFor(t, { resolve: (host) => Promise.resolve(answers[host] ?? []) })
  assert.equal((await egress.lookup('thousand.test')).length, 16)
  assert.deepEqual(await egress.lookup('same.test'), [{ address: '93.184.0.0', family: 4 }])
  await assert.rejects(egress.lookup('flood.test'), refusal('too_many_addresses'))
  await assert.rejects(egress.lookup('late.test'), refusal('address_refused'))
})

test('S32 a rebinding name never reaches the loopback listener', async (t) => {
  const loopback = await listen(t, '127.0.0.1')
  let asked = 0
  // The first answer is an allowed address where nothing listens, so that no byte leaves this machine.
  const resolve = () => Promise.resolve([{ address: asked++ === 0 ? '127.0.0.3' : '127.0.0.1' }])
  const { dispatcher } = guardFor(t, { resolve, allowPrivate: ['127.0.0.3'] })
  const url = `http://rebind.test:${loopback.port}/`
  await assert.rejects(request(url, { dispatcher }), { code: 'ECONNREFUSED' })
  assert.equal(asked, 1)
  for (let again = 0; again < 3; again++) await assert.rejects(request(url, { dispatcher }), refusal('address_refused'))
  assert.equal(loopback.connections(), 0)
})

test('S32 the name is resolved and checked again for every new connection', async (t) => {
  let closing = false
  const port = await serve(t, '127.0.0.1', (_, response) => {
    if (closing) response.setHeader('connection', 'close')
    response.end('ok')
  })
  const forbidden = await listen(t, '127.0.0.2', port)
  const addresses = ['127.0.0.1', '127.0.0.2']
  let asked = 0
  const resolve = () => Promise.resolve([{ address: addresses[asked++] ?? '127.0.0.2' }])
  const { dispatcher } = guardFor(t, { resolve, allowPrivate: ['127.0.0.1'] })
  const call = async () => (await request(`http://rebind.test:${port}/`, { dispatcher })).body.text()
  assert.equal(await call(), 'ok')
  // The connection is free for the next request one turn after its body has ended.
  await setImmediate()
  closing = true
  assert.equal(await call(), 'ok')
  assert.equal(asked, 1, 'a kept connection stays with its checked address')
  await assert.rejects(call(), refusal('address_refused'))
  assert.equal(asked, 2)
  assert.equal(forbidden.connections(), 0)
})

test('S33 redirects come back to the caller, and the next hop is refused', async (t) => {
  const forbidden = await listen(t, '127.0.0.2')
  const location = `http://127.0.0.2:${forbidden.port}/secret`
  const port = await serve(t, '127.0.0.1', (_, response) => response.writeHead(302, { location }).end())
  const egress = guardFor(t, { allowPrivate: ['127.0.0.1'] })
  const reply = await request(`http://127.0.0.1:${port}/`, { dispatcher: egress.dispatcher })
  await reply.body.dump()
  assert.equal(reply.statusCode, 302)
  assert.equal(reply.headers['location'], location)
  assert.throws(() => egress.check(location), refusal('address_refused'))
  const followed = fetch(`http://127.0.0.1:${port}/`, { dispatcher: egress.dispatcher })
  await assert.rejects(followed, refusal('address_refused'))
  assert.equal(forbidden.connections(), 0)
})

test('literals are checked on the connection even when nobody asked the check', async (t) => {
  const forbidden = await listen(t, '127.0.0.2')
  const { dispatcher } = guardFor(t, { allowPrivate: ['127.0.0.1'] })
  const call = dispatcher.request({ origin: `http://127.0.0.2:${forbidden.port}`, path: '/', method: 'GET' })
  await assert.rejects(call, refusal('address_refused'))
  assert.equal(forbidden.connections(), 0)
})

test('a name with a socket is connected to it, over plain http and without a lookup', async (t) => {
  const path = join(mkdtempSync(join(tmpdir(), 'tributary-egress-')), 'service.sock')
  const server = createServer((message, response) => response.end(`${message.headers.host}${message.url}`))
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  t.after(() => server.close())
  const resolve = () => Promise.reject(new Error('looked up'))
  const egress = createEgress({ allowPrivate: [], resolve, sockets: { 'inside.test': path } })
  t.after(() => egress.close())
  const { dispatcher } = egress
  const response = await request('http://inside.test/me?a=1', { dispatcher })
  assert.equal(await response.body.text(), 'inside.test/me?a=1')
  for (const url of ['https://inside.test/', 'http://other.inside.test/'])
    await assert.rejects(request(url, { dispatcher }), url)
})
