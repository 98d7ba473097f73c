import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the servers of this network behave. Each field is one attack that a test can switch on. */
export interface AtprotoLies {
  /** The DID that a person's data server claims, by the person's DID. */
  session: Record<string, string>
  /** Which authorization server a person's data server names, by the person's DID. */
  trusts: Record<string, string>
  /** The `sub` of a refreshed token; null leaves it out. */
  refreshSub?: string | null
  /** The token response has no `sub`. */
  withoutSub?: boolean
}

export interface AtprotoNetwork {
  url: string
  /** Directory of identity documents: `<plcUrl>/<did>`. */
  plcUrl: string
  /** The authorization server, which is honest. */
  issuer: string
  /** Who is logged in at the authorization server. */
  person: string
  lies: AtprotoLies
  /** Tokens that were revoked, in order. */
  revoked: string[]
  /** Requested paths, in order. */
  asked: string[]
  /** The token of a session that was started with an app password instead of OAuth. */
  sessionToken(did: string): string
  close(): Promise<void>
}

/**
 * An AT Protocol network on one port: a directory, one authorization server, and a data server for each person, which is
 * controlled by that person.
 */
export async function startAtproto(): Promise<AtprotoNetwork> {
  const tokens = new Map<string, string>()
  const codes = new Map<string, string>()
  let made = 0
  const issue = (did: string, kind: string): string => {
    made += 1
    tokens.set(`${kind}-${made}`, did)
    return `${kind}-${made}`
  }

  const server = createServer((request, response) => {
    reply(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pdsOf = (did: string) => `${url}/pds/${did}`

  const network: AtprotoNetwork = {
    url,
    plcUrl: `${url}/plc`,
    issuer: `${url}/as`,
    person: '',
    lies: { session: {}, trusts: {} },
    revoked: [],
    asked: [],
    sessionToken: (did) => issue(did, 'session'),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '', url)
    const path = decodeURIComponent(asked.pathname)
    network.asked.push(path)
    const [, did] = /^\/(?:plc|pds|\.well-known\/oauth-protected-resource\/pds)\/(did:[\w:.-]+)/.exec(path) ?? []
    if (path === '/.well-known/oauth-protected-resource')
      return json(response, { resource: url, authorization_servers: [network.issuer] })
    if (path.startsWith('/.well-known/oauth-protected-resource/pds/'))
      return json(response, {
        resource: pdsOf(did!),
        authorization_servers: [network.lies.trusts[did!] ?? network.issuer],
      })
    if (path.startsWith('/.well-known/oauth-authorization-server/'))
      return json(response, metadata(`${url}/${path.split('/').at(-1)!}`))
    if (path.startsWith('/plc/')) return json(response, document(did!))
    if (path.endsWith('/xrpc/com.atproto.server.getSession')) return whoIsIt(request, response, did)
    if (path === '/as/authorize') return authorize(asked, response)
    const form = new URLSearchParams(await text(request))
    if (path.endsWith('/token')) return giveToken(form, response)
    if (path.endsWith('/revoke')) {
      network.revoked.push(form.get('token') ?? '')
      return json(response, {})
    }
    json(response, { error: 'not_found' }, 404)
  }

  const metadata = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    authorization_response_iss_parameter_supported: true,
  })
  const document = (did: string) => ({
    id: did,
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: pdsOf(did) }],
  })

  function whoIsIt(request: IncomingMessage, response: ServerResponse, owner: string | undefined): void {
    const did = tokens.get((request.headers.authorization ?? '').split(' ')[1] ?? '')
    if (did === undefined) return json(response, { error: 'InvalidToken' }, 401)
    const said = network.lies.session[owner ?? 'entryway'] ?? did
    json(response, { did: said, handle: `${said.split(':').at(-1)!}.test` })
  }

  function authorize(asked: URL, response: ServerResponse): void {
    const code = issue(network.person, 'code')
    codes.set(code, network.person)
    const back = new URL(asked.searchParams.get('redirect_uri') ?? '')
    back.search = new URLSearchParams({
      code,
      state: asked.searchParams.get('state') ?? '',
      iss: network.issuer,
    }).toString()
    response.writeHead(302, { location: back.href }).end()
  }

  function giveToken(form: URLSearchParams, response: ServerResponse): void {
    const refreshed = form.get('grant_type') === 'refresh_token'
    const did = refreshed ? tokens.get(form.get('refresh_token') ?? '') : codes.get(form.get('code') ?? '')
    if (did === undefined) return json(response, { error: 'invalid_grant' }, 400)
    const sub = refreshed ? (network.lies.refreshSub === undefined ? did : network.lies.refreshSub) : did
    json(response, {
      access_token: issue(did, 'access'),
      refresh_token: issue(did, 'refresh'),
      token_type: 'DPoP',
      scope: 'atproto transition:generic',
      expires_in: 3600,
      ...(sub === null || (!refreshed && network.lies.withoutSub === true) ? {} : { sub }),
    })
  }

  return network
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
