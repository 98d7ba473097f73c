import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createBrowser } from './browser.ts'

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://x')
  if (pathname === '/set') {
    response.writeHead(302, {
      location: '/echo#kept',
      'set-cookie': ['a=1; Path=/', 'b=2; Path=/deep', 'c=3; Max-Age=0; Path=/'],
    })
    response.end()
  } else if (pathname === '/loop') {
    response.writeHead(302, { location: '/loop' }).end()
  } else if (pathname === '/form') {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<title>A &amp; B</title><form id=f method="POST" action="/echo?x=1"><input name="h" value="&quot;1&quot;" type=hidden><input type=checkbox name=on value=1 checked><input type=checkbox name=off value=1><select name=s><option value=1><option value=2 selected></select><textarea name=t>x&lt;y</textarea><button name=go value=yes>Go</button></form><a href="/next?a=1&amp;b=2">Next</a>`,
    )
  } else {
    let body = ''
    request
      .on('data', (chunk) => (body += String(chunk)))
      .on('end', () => response.end(JSON.stringify({ method: request.method, cookie: request.headers.cookie, body })))
  }
})
let url: string
before(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

test('follows redirects, sends cookies by path and records the chain of URLs', async () => {
  const browser = createBrowser()
  const page = await browser.open(`${url}/set`)
  assert.deepEqual(page.chain, [`${url}/set`, `${url}/echo#kept`])
  assert.equal((JSON.parse(page.body) as { cookie: string }).cookie, 'a=1')
  assert.deepEqual(browser.cookies(`${url}/deep/er`), { a: '1', b: '2' })
  browser.forget()
  assert.deepEqual(browser.cookies(url), {})
})

test('reads forms and submits the same fields as a browser', async () => {
  const browser = createBrowser()
  const page = await browser.open(`${url}/form`)
  assert.equal(page.title, 'A & B')
  assert.deepEqual(page.links, [{ href: '/next?a=1&b=2', label: 'Next' }])
  const response = await browser.submit(page, 'f', { go: 'yes' })
  const sent = JSON.parse(response.body) as { method: string; body: string }
  assert.equal(sent.method, 'POST')
  assert.equal(sent.body, 'h=%221%22&on=1&t=x%3Cy&s=2&go=yes')
  await assert.rejects(browser.submit(page, 'none'), /no such form/)
})

test('stops at stopAt and fails on a redirect loop', async () => {
  const stopping = createBrowser({ stopAt: (address) => address.includes('/echo') })
  const page = await stopping.open(`${url}/set`)
  assert.deepEqual([page.stopped, page.status, page.url], [true, 0, `${url}/echo#kept`])
  await assert.rejects(createBrowser().open(`${url}/loop`), /too many redirects/)
})
