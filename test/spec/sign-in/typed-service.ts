import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service whose people have a key, a name and a password, or nothing at all. */
export interface TypedService {
  url: string
  /** Every request: method, path with query, and body. */
  requests: string[]
  people: Map<string, { id: string; key: string; password: string }>
  /** Answers everything with this status while it is set. */
  broken: number | undefined
  /** Seconds that a token of `/session` is valid for. */
  lifetimeS: number
  /** Ends every token and refresh token that was given out. */
  endSessions: () => void
  close: () => Promise<void>
}

export async function startTypedService(): Promise<TypedService> {
  const people = new Map([
    ['ada', { id: '1', key: 'sk_ada_0123456789', password: 'correct horse' }],
    ['bob', { id: '2', key: 'sk_bob_0123456789', password: 'battery staple' }],
  ])
  const tokens = new Map<string, string>()
  const refreshTokens = new Map<string, string>()
  let issued = 0
  const server = createServer((request, response) => {
    void respond(request).then(({ status, body, text }) => {
      response.writeHead(status, { 'content-type': text === undefined ? 'application/json' : 'text/plain' })
      response.end(text ?? JSON.stringify(body))
    })
  })
  const byName = (name: string | undefined) => (name === undefined ? undefined : people.get(name.toLowerCase()))
  const recordOf = (name: string | undefined) => {
    const person = byName(name)
    return person === undefined
      ? { status: 401, body: { error: 'no' } }
      : { status: 200, body: { id: person.id, name } }
  }
  const nameOfKey = (key: string | null) => [...people].find(([, person]) => person.key === key)?.[0]
  const issue = (name: string) => {
    issued += 1
    tokens.set(`token-${issued}`, name)
    refreshTokens.set(`refresh-${issued}`, name)
    const session = { token: `token-${issued}`, ttl: service.lifetimeS, refresh: `refresh-${issued}` }
    return { status: 200, body: { data: session } }
  }

  async function respond(request: IncomingMessage): Promise<{ status: number; body?: unknown; text?: string }> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const sent = Buffer.concat(chunks).toString()
    service.requests.push(`${request.method} ${request.url} ${sent}`.trim())
    if (service.broken !== undefined) return { status: service.broken, body: {} }
    const url = new URL(request.url ?? '/', 'http://service.test')
    const header = request.headers.authorization ?? ''
    switch (url.pathname) {
      case '/by-key/me':
        return recordOf(nameOfKey(String(request.headers['x-key'] ?? '')))
      case '/by-query/me':
        return recordOf(nameOfKey(url.searchParams.get('key')))
      case '/by-password/me': {
        const [name = '', password] = Buffer.from(header.slice('Basic '.length), 'base64').toString().split(':')
        return recordOf(byName(name)?.password === password ? name : undefined)
      }
      case '/session': {
        const { user, pass, workspace } = JSON.parse(sent) as Record<string, string>
        const isRight = workspace === 'acme' && byName(user)?.password === pass
        return isRight ? issue(user!.toLowerCase()) : { status: 400, body: { error: 'bad_login' } }
      }
      case '/session/refresh': {
        const given = new URLSearchParams(sent).get('refresh') ?? ''
        const name = refreshTokens.get(given)
        refreshTokens.delete(given)
        return name === undefined ? { status: 401, body: {} } : issue(name)
      }
      case '/w/acme/me':
        return recordOf(tokens.get(header.slice('Token '.length)))
      case '/feeds/news':
        return { status: 200, text: 'title: The News' }
      default:
        return { status: 404, body: {} }
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: TypedService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    people,
    broken: undefined,
    lifetimeS: 3600,
    endSessions: () => {
      tokens.clear()
      refreshTokens.clear()
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return service
}
