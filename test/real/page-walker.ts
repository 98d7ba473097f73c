import { type IncomingMessage, request } from 'node:http'

/** The response of a page; `location` is absolute. */
export interface Reply {
  status: number
  headers: IncomingMessage['headers']
  location: string | undefined
  body: string
}

export interface Send {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  form?: Record<string, string>
  json?: unknown
}

/**
 * A browser without scripts: plain requests over loopback HTTP that keep cookies and follow no redirect by
 * themselves.
 */
export interface PageWalker {
  visit(url: string, send?: Send): Promise<Reply>
  cookie(name: string): string | undefined
}

interface Cookie {
  name: string
  value: string
  path: string
}

export function walkPages(): PageWalker {
  // All pages of one walk are on one host, so name and path identify a cookie.
  const cookies = new Map<string, Cookie>()

  function keep(line: string, pagePath: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    const named = new Map(attributes.map((text) => [text.split('=')[0]?.toLowerCase() ?? '', text.split('=')[1] ?? '']))
    const path = named.get('path') ?? pagePath.slice(0, pagePath.lastIndexOf('/') || 1)
    const cookie = { name: pair.slice(0, at), value: pair.slice(at + 1), path }
    const expired = named.get('max-age') === '0' || Date.parse(named.get('expires') ?? '') < Date.now()
    if (expired) cookies.delete(`${cookie.name} ${path}`)
    else cookies.set(`${cookie.name} ${path}`, cookie)
  }

  function cookieHeader(pathname: string): string {
    const sent = [...cookies.values()].filter(({ path }) => pathIsUnder(pathname, path))
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ')
  }

  async function visit(url: string, send: Send = {}): Promise<Reply> {
    const target = new URL(url)
    const { body, type } = encode(send)
    const cookie = cookieHeader(target.pathname)
    const headers = {
      accept: 'text/html,application/json;q=0.9,*/*;q=0.8',
      ...(type === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }),
      ...(cookie === '' ? {} : { cookie }),
      ...send.headers,
    }
    const method = send.method ?? (type === undefined ? 'GET' : 'POST')
    const response = await exchange(target, method, headers, body)
    for (const line of response.headers['set-cookie'] ?? []) keep(line, target.pathname)
    const text = await readText(response)
    const location = response.headers.location
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      location: location === undefined ? undefined : new URL(location, target).href,
      body: text,
    }
  }

  return { visit, cookie: (name) => [...cookies.values()].find((cookie) => cookie.name === name)?.value }
}

function pathIsUnder(pathname: string, path: string): boolean {
  return path === '/' || pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

function encode(send: Send): { body: string; type: string | undefined } {
  if (send.form !== undefined) {
    return { body: new URLSearchParams(send.form).toString(), type: 'application/x-www-form-urlencoded' }
  }
  if (send.json !== undefined) return { body: JSON.stringify(send.json), type: 'application/json' }
  return { body: '', type: undefined }
}

function exchange(url: URL, method: string, headers: Record<string, string>, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // One connection per request, so that no idle socket delays the close of a server.
    request(url, { method, headers, agent: false }, resolve).on('error', reject).end(body)
  })
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
