import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { makeApp } from '../harness/app.ts'
import { childEnv } from '../harness/child-env.ts'
import { connect } from '../harness/connect.ts'
import { freePort } from '../harness/free-port.ts'
import { LOOPBACK } from '../harness/loopback.ts'
import { programsMissing } from '../harness/programs.ts'
import { startTributary, type Tributary } from '../harness/start.ts'
import { until } from '../harness/until.ts'
import { exchange } from '../spec/operating/raw-http.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const MEGABYTE = 1024 * 1024

interface ReverseProxy {
  program: string
  /** Writes its configuration with other addresses, and returns the arguments that start it in the foreground. */
  prepare: (folder: string, port: number, tributaryPort: string) => string[]
}

const NGINX: ReverseProxy = {
  program: 'nginx',
  prepare: (folder, port, tributaryPort) => {
    const site = readFileSync(join(deploy, 'nginx/tributary.conf'), 'utf8')
      .replaceAll('listen 443 ssl;', `listen 127.0.0.1:${port};`)
      .replace(/^ *ssl_certificate.*\n/gm, '')
      .replace('127.0.0.1:8042', `127.0.0.1:${tributaryPort}`)
      .replaceAll('/var/log/nginx/tributary.log', join(folder, 'access.log'))
    writeFileSync(join(folder, 'site.conf'), site)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    )
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
       events {} http { access_log ${folder}/access.log; ${paths.join(' ')} include ${folder}/site.conf; }`,
    )
    return ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')]
  },
}

const CADDY: ReverseProxy = {
  program: 'caddy',
  prepare: (folder, port, tributaryPort) => {
    const site = readFileSync(join(deploy, 'caddy/Caddyfile'), 'utf8')
      .replace('tributary.example.com {', `http://:${port} {\n\tbind 127.0.0.1`)
      .replace('*.proxy.example.com {', `http://*.proxy.example.com:${port} {\n\tbind 127.0.0.1`)
      .replaceAll('127.0.0.1:8042', `127.0.0.1:${tributaryPort}`)
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
  },
}

suite('behind a reverse proxy', () => {
  let tributary: Tributary
  let token: string
  const open: ServerResponse[] = []
  // A service that takes uploads, and sends an event at once and the next one when the test says so.
  const service = createServer((request, response) => {
    if (request.url === '/me') response.end('{"id":"42"}')
    else if (request.url?.startsWith('/path/') === true || request.url === '/metrics') response.end(request.url)
    else if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: first\n\n')
      open.push(response)
    } else {
      let bytes = 0
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ bytes }))
      })
    }
  })

  before(async () => {
    await once(service.listen(0, '127.0.0.1'), 'listening')
    tributary = await startTributary({
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../spec/proxy/operator'),
      TRUST_PROXY: '127.0.0.1',
      TRIBUTARY_PROXY_ORIGIN: 'https://{service}.proxy.example.com',
    })
    const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const app = await makeApp(tributary, {
      keys: { plain: { key: 'k', secret: 's', overrides: { api_url: address } } },
    })
    token = (await connect({ tributary }, app, 'plain', { token: 'service-token-0123456789' })).access_token
  })
  after(async () => {
    await tributary.stop()
    service.closeAllConnections()
    service.close()
  })

  for (const { program, prepare } of [NGINX, CADDY])
    suite(program, { skip: programsMissing(program) }, () => {
      const folder = mkdtempSync(join(tmpdir(), `tributary-${program}-`))
      let child: ChildProcess
      let url: string
      before(async () => {
        const port = await freePort()
        mkdirSync(join(folder, 'home'))
        const env = { ...childEnv, HOME: join(folder, 'home') }
        const args = prepare(folder, port, new URL(tributary.url).port)
        child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
        let output = ''
        child.stderr!.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
        url = `http://127.0.0.1:${port}`
        await until(`${program} responds`, async () => {
          assert.equal(child.exitCode, null, output)
          return fetch(`${url}/readyz`).then(
            ({ status }) => status === 200,
            () => false,
          )
        })
      })
      after(async () => {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
        rmSync(folder, { recursive: true, force: true })
      })

      test('an upload of 8 MB through /proxy arrives', async () => {
        const response = await fetch(`${url}/proxy/plain/upload`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
          body: Buffer.alloc(8 * MEGABYTE, 7),
        })
        assert.deepEqual([response.status, await response.json()], [200, { bytes: 8 * MEGABYTE }])
      })

      test('events pass as they come', async () => {
        const response = await fetch(`${url}/proxy/plain/events`, { headers: { authorization: `Bearer ${token}` } })
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
        assert.equal((await reader.read()).value, 'data: first\n\n', 'before the service sent more')
        open.pop()!.end('data: second\n\n')
        assert.equal((await reader.read()).value, 'data: second\n\n')
        assert.equal((await reader.read()).done, true)
      })

      test('the address of the caller is the one that the proxy saw, not one that the caller claims', async () => {
        const id = `req-${program}-address`
        await fetch(`${url}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.7', 'x-request-id': id } })
        const line = await until('the request is logged', () => tributary.logged.find((each) => each.includes(id)))
        assert.equal((JSON.parse(line) as { address: string }).address, '127.0.0.1')
      })

      test('the log of requests has no query, which may contain a token', async () => {
        const path = join(folder, 'access.log')
        await fetch(`${url}/profiles?access_token=${token}`, { headers: { referer: `${url}/?access_token=${token}` } })
        // Caddy writes none unless it is told to.
        if (program === 'nginx')
          await until('the request is in it', () => readFileSync(path, 'utf8').includes('/profiles'))
        assert.ok(!existsSync(path) || !readFileSync(path, 'utf8').includes(token))
      })

      test('metrics are not served', async () => {
        for (const path of ['/metrics', '/v0/metrics']) assert.equal((await fetch(`${url}${path}`)).status, 404)
        assert.equal((await fetch(`${tributary.url}/metrics`)).status, 200)
      })

      // `fetch` does not send another host.
      const atOrigin = async (host: string, target: string) => {
        const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
        const { status, body } = await exchange(url, head)
        return { status, text: body }
      }

      test('the origin of a service is the proxy, with paths exactly as the caller wrote them', async () => {
        const host = 'plain.proxy.example.com'
        for (const path of ['/path/a%2Fb%20c//d/?x=%2F', '/path/http://x.example/y', '/metrics']) {
          const { status, text } = await atOrigin(host, `/v1${path}`)
          assert.equal(status, 200, text)
          assert.ok(text.includes(path), text)
        }
        // Not ours: the service answers.
        for (const path of ['/readyz', '/dashboard', '/proxy/plain/me'])
          assert.match((await atOrigin(host, path)).text, /\{"bytes":0\}/)
        const address = await fetch(`${url}/proxy/plain/https:/evil.example/x`, {
          headers: { authorization: `Bearer ${token}` },
        })
        assert.equal(address.status, 400, 'also where slashes are joined')
      })

      test('many requests at once are all answered', async () => {
        const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/healthz`)))
        assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
      })
    })
})
