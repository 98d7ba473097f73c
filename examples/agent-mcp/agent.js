// An agent without a language model: it asks for consent, lists the tools it got, and searches a person's items.
// Usage: CLIENT_ID=app_… node agent.js coffee
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const endpoint = new URL('/mcp', process.env.TRIBUTARY_URL ?? 'http://localhost:8042')
const port = Number(process.env.PORT ?? 3000)
const redirectUrl = `http://127.0.0.1:${port}/callback`
const query = process.argv[2] ?? 'coffee'

/** What the MCP client remembers for us. A real agent keeps the tokens, so that it asks the person only once. */
const state = randomUUID()
let tokens
let verifier
const authProvider = {
  redirectUrl,
  clientMetadata: { redirect_uris: [redirectUrl], client_name: 'Example agent' },
  state: () => state,
  clientInformation: () => ({ client_id: process.env.CLIENT_ID }),
  tokens: () => tokens,
  saveTokens: (issued) => (tokens = issued),
  codeVerifier: () => verifier,
  saveCodeVerifier: (created) => (verifier = created),
  redirectToAuthorization: (url) => console.log(`Open ${url}`),
}
const newTransport = () => new StreamableHTTPClientTransport(endpoint, { authProvider })
const newClient = () =>
  new Client({ name: 'example-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })

/** The query with which the person returns. */
function returned() {
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      const url = new URL(request.url, redirectUrl)
      const isCallback = url.pathname === '/callback'
      response.writeHead(isCallback ? 200 : 404).end(isCallback ? 'You can close this page.' : '')
      if (isCallback) {
        server.close()
        resolve(url.searchParams)
      }
    }).listen(port, '127.0.0.1')
  })
}

// The first request is refused. From the refusal the client finds the authorization server, and sends the person there.
const waiting = returned()
const first = newTransport()
await newClient()
  .connect(first)
  .catch(() => {
    if (verifier === undefined) throw new Error(`${endpoint} does not ask for consent`)
  })
const result = await waiting
if (result.get('state') !== state) throw new Error('This sign-in did not begin here.')
if (result.has('error')) throw new Error(`No consent: ${result.get('error')}`)
await first.finishAuth(result)

const client = newClient()
await client.connect(newTransport())
const { tools } = await client.listTools()
console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}`)
const { structuredContent } = await client.callTool({ name: 'search_items', arguments: { query } })
// Texts of items were written by others: an agent reads them as data, never as instructions.
for (const { oembed, idr } of structuredContent.items) console.log(`- ${oembed?.title ?? oembed?.text ?? idr}`)
console.log(`${structuredContent.items.length} items`)
await client.close()
