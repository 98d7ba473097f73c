import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Connector } from '#kit/connector/connector.ts'
import {
  listWithNext,
  metadataOf,
  multistatus,
  personIn,
  selfRecord,
  sourceText,
  tokenResponse,
} from './counterpart.ts'
import { newSecret, type World, withDecoded } from './secrets.ts'

/** How a server answers, beyond what a connector expects of it. */
export type Mode =
  /** As expected. */
  | { kind: 'plain' }
  /** With a redirect to the same path of the other world. */
  | { kind: 'redirect'; status: 301 | 302 | 303 | 307 | 308; only: 'reads' | 'writes' | 'all' }
  /** With a body that is too large, another format, empty or an error. */
  | { kind: 'odd'; which: 'huge' | 'text' | 'empty' | 'error' | 'refused' }
  /** As the person of the other world, and with addresses of that world wherever one may be named. */
  | { kind: 'foreign' }

/** A server of one world for one connector, whatever its kind. It keeps every byte that it is sent. */
export interface Recorder {
  url: string
  host: string
  world: World
  connector: Connector
  /** Request line, headers and body of each request, decoded too. */
  received: string[]
  mode: Mode
  /** The server of the other world. */
  peer: Recorder | undefined
  /** Parameters that were pushed, or sent for a request token, by the reference or token that was returned. */
  pushed: Map<string, URLSearchParams>
  /** The next request tokens that it issues, which may be those of another. */
  requestToken: (() => string) | undefined
  close: () => Promise<void>
}

export async function startRecorder(world: World, connector: Connector): Promise<Recorder> {
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      recorder.received.push(
        withDecoded(`${request.method} ${request.url}\n${JSON.stringify(request.headers)}\n${body}`),
      )
      respond(recorder, request, body, response)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const recorder: Recorder = {
    url: `http://${host}`,
    host,
    world,
    connector,
    received: [],
    mode: { kind: 'plain' },
    peer: undefined,
    pushed: new Map(),
    requestToken: undefined,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return recorder
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

function respond(recorder: Recorder, request: IncomingMessage, body: string, response: ServerResponse): void {
  const { mode, peer } = recorder
  const { method = 'GET', url: path = '/' } = request
  const isRead = ['GET', 'HEAD', 'PROPFIND', 'REPORT'].includes(method)
  response.setHeader('content-type', 'application/json')
  if (mode.kind === 'redirect' && peer !== undefined && (mode.only === 'all' || isRead === (mode.only === 'reads'))) {
    response.writeHead(mode.status, { location: `${peer.url}${path}` }).end()
    return
  }
  if (mode.kind === 'odd' && !path.includes('/.well-known/')) {
    const [status, text] = ODD[mode.which]
    response.writeHead(status).end(text())
    return
  }
  const answer = answerTo(recorder, request, path, body)
  response.setHeader('link', `<${peer?.url ?? ''}/next>; rel="next"`)
  if (typeof answer !== 'string') response.end(JSON.stringify(answer))
  else {
    const isXml = answer.startsWith('<')
    response.statusCode = method === 'PROPFIND' || method === 'REPORT' ? 207 : 200
    response.setHeader('content-type', isXml ? 'application/xml' : 'application/x-www-form-urlencoded')
    response.end(answer)
  }
}

const ODD: Record<Extract<Mode, { kind: 'odd' }>['which'], [number, () => string]> = {
  huge: [200, () => JSON.stringify({ access_token: 'x'.repeat(6_000_000) })],
  text: [200, () => '<html>Sign in</html>'],
  empty: [204, () => ''],
  error: [500, () => '{"error":"server_error"}'],
  refused: [401, () => '{"error":"invalid_grant"}'],
}

/** What a connector of any kind expects: everything in one record, because no two kinds read the same field. */
function answerTo(recorder: Recorder, request: IncomingMessage, path: string, body: string): unknown {
  const { connector, world, url } = recorder
  const peer = recorder.mode.kind === 'foreign' ? recorder.peer : undefined
  const other = recorder.peer?.url ?? url
  const id = personIn(peer?.world ?? world, connector)
  if (request.method === 'PROPFIND' || request.method === 'REPORT')
    return multistatus(peer === undefined ? '/home/' : `${peer.url}/home/`, `${other}/home/one/`)
  if (connector.auth.kind === 'none') return sourceText(connector, `${other}/next`)
  const oauth = oauthParameters(request, path, body)
  if (oauth !== undefined) return requestTokenOf(recorder, oauth)
  const did = /\/(did:plc:\w+)$/.exec(path)?.[1]
  if (did !== undefined) return didDocument(did, did === personIn(world, connector) ? url : other)
  if (path.includes('/.well-known/')) return metadata(recorder, path, peer?.url)
  const { pathname } = new URL(path, url)
  const isFurther = Object.values(connector.self.also).some(
    (also) => also.path === pathname.slice(-String(also.path).length),
  )
  if (isFurther) return []
  if (isList(connector, pathname)) return listWithNext(connector, `${other}/next`)
  const reference = `urn:request:${recorder.pushed.size}`
  if (pathname.endsWith('/par')) recorder.pushed.set(reference, new URLSearchParams(body))
  return {
    ...metadataOf(url, { own: url, page: peer?.url ?? url, pushed: url }),
    ...selfRecord(connector, id),
    client_id: `client-${world.toLowerCase()}`,
    client_secret: newSecret(world, connector.service, 'secret'),
    request_uri: reference,
    ok: true,
    ...tokenResponse(connector, world, id),
    ...(peer === undefined ? {} : FOREIGN_ADDRESSES(peer.url)),
  }
}

const FOREIGN_ADDRESSES = (url: string) => ({ api_url: url, base_url: url, instance: { api_url: url }, token_url: url })

function metadata({ url }: Recorder, path: string, peer: string | undefined): unknown {
  const suffix = /\.well-known\/[\w-]+(\/[^?]*)?/.exec(path)?.[1] ?? ''
  const isResource = path.includes('oauth-protected-resource')
  const page = peer ?? url
  const document = metadataOf(`${url}${suffix}`, { own: url, page, pushed: page })
  // An issuer that an instance names may be another server, which then signs the person in.
  return isResource && peer !== undefined ? { ...document, authorization_servers: [peer] } : document
}

function isList({ endpoints, self }: Connector, pathname: string): boolean {
  if (self.path !== '' && pathname.endsWith(self.path)) return false
  return Object.values(endpoints).some(({ path }) => {
    const tail = path.split('}').at(-1) ?? ''
    return tail.length > 1 && pathname.endsWith(tail)
  })
}

function didDocument(did: string, server: string): unknown {
  const pds = { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: server }
  return { id: did, alsoKnownAs: ['at://ada.test'], service: [pds] }
}

/** The parameters of a request for a token by OAuth 1, wherever they are. */
function oauthParameters(request: IncomingMessage, path: string, body: string): URLSearchParams | undefined {
  const header = (request.headers.authorization ?? '').replace(/^OAuth /, '').replaceAll(/",\s*/g, '&')
  const found = new URLSearchParams([header.replaceAll('"', ''), path.split('?')[1] ?? '', body].join('&'))
  return found.has('oauth_callback') || found.has('oauth_verifier') ? found : undefined
}

function requestTokenOf(recorder: Recorder, sent: URLSearchParams): string {
  const { world, connector } = recorder
  const isRequest = sent.has('oauth_callback')
  const token = isRequest
    ? (recorder.requestToken?.() ?? `request-${world.toLowerCase()}-${recorder.pushed.size}`)
    : newSecret(world, connector.service, 'tok')
  if (isRequest) recorder.pushed.set(token, sent)
  const secret = newSecret(world, connector.service, 'secret')
  return new URLSearchParams({
    oauth_token: token,
    oauth_token_secret: secret,
    oauth_callback_confirmed: 'true',
  }).toString()
}
