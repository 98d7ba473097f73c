import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that anybody may run: it answers as an instance of Mastodon and as a site with WordPress, and keeps what it is sent. */
export interface HostileInstance {
  url: string
  host: string
  /** Every request with its headers and body. */
  received: string[]
  /** Where its login page sends the browser; called with the address of the page. */
  lure: (page: URL) => string
  close: () => Promise<void>
}

export async function startHostileInstance(): Promise<HostileInstance> {
  const instance: HostileInstance = {
    url: '',
    host: '',
    received: [],
    lure: () => '/nowhere',
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
  const server = createServer((request, response) => {
    void (async () => {
      const body = await textOf(request)
      const page = new URL(request.url ?? '/', instance.url)
      instance.received.push(
        JSON.stringify({ line: `${request.method} ${request.url}`, headers: request.headers, body }),
      )
      response.setHeader('connection', 'close')
      if (['/oauth/authorize', '/wp-admin/authorize-application.php'].includes(page.pathname)) {
        response.writeHead(302, { location: instance.lure(page) }).end()
        return
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answerTo(page.pathname, instance.url)))
    })()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  instance.host = `127.0.0.1:${port}`
  instance.url = `http://${instance.host}`
  return instance
}

function answerTo(path: string, url: string): unknown {
  if (path === '/api/v1/apps') return { client_id: 'evil-client', client_secret: 'evil-secret', redirect_uri: '' }
  if (path === '/oauth/token') return { access_token: 'evil-token', token_type: 'Bearer', scope: 'read' }
  if (path === '/api/v1/accounts/verify_credentials') return { id: '1', username: 'ada', acct: 'ada', url }
  if (path === '/wp-json/') {
    const page = `${url}/wp-admin/authorize-application.php`
    return { authentication: { 'application-passwords': { endpoints: { authorization: page } } } }
  }
  return { id: 1, name: 'ada', slug: 'ada' }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
