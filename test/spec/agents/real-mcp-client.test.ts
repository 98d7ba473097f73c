import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { loadMcpPackage } from '../../real/mcp/load.ts'
import { packagesMissing } from '../../real/packages.ts'
import { startQuietHarness } from '../sign-in/fixture.ts'
import { AGENT_REDIRECT, allowAgents, letWrite, mcpOf, READS, walkToAgent } from './fixture.ts'

/** What the tests use of `@modelcontextprotocol/client`. */
interface ToolResult {
  isError?: boolean
  structuredContent?: Record<string, unknown>
}
interface Client {
  connect(transport: Transport): Promise<void>
  listTools(): Promise<{ tools: { name: string; annotations?: Record<string, unknown> }[] }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<ToolResult>
  getServerVersion(): { name: string } | undefined
  close(): Promise<void>
}
interface Transport {
  finishAuth(params: URLSearchParams): Promise<void>
}
interface McpPackage {
  Client: new (info: { name: string; version: string }, options: unknown) => Client
  StreamableHTTPClientTransport: new (url: URL, options: { authProvider: unknown }) => Transport
}

interface Tokens {
  access_token: string
  refresh_token?: string
  scope?: string
}

/** The memory of an agent: its client id, its tokens, and where it was sent. */
function createProvider(clientId: string) {
  const memory: { tokens?: Tokens; verifier?: string; sentTo?: URL } = {}
  return {
    memory,
    redirectUrl: AGENT_REDIRECT,
    clientMetadata: { redirect_uris: [AGENT_REDIRECT], client_name: 'Test agent' },
    state: () => 'agent-state',
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => memory.tokens,
    saveTokens: (tokens: Tokens) => {
      memory.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      memory.sentTo = url
    },
    saveCodeVerifier: (verifier: string) => {
      memory.verifier = verifier
    },
    codeVerifier: () => memory.verifier ?? '',
  }
}

const skip = await packagesMissing('mcp')

suite('the official MCP client', { skip }, () => {
  let harness: LabHarness
  let mcp: McpPackage
  before(async () => {
    harness = await startQuietHarness()
    mcp = await loadMcpPackage<McpPackage>('@modelcontextprotocol/client')
    await letWrite(harness, harness.app)
    await allowAgents(harness, harness.app, ['demo-social'])
    const { access_token: token } = await signIn(harness, 'demo-social', 'ada')
    const json = [{ id: 'n1', at: 1000, type: 'statuses', text: 'A lighthouse at dusk' }]
    assert.equal((await send(harness, 'POST', '/services/self/notes', { token, json })).status, 200)
  })
  after(() => harness.stop())

  const newClient = (mode: unknown) =>
    new mcp.Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const transport = (authProvider: unknown) =>
    new mcp.StreamableHTTPClientTransport(new URL(mcpOf(harness)), { authProvider })

  /** Discovery, authorization code and PKCE, as the client does them; the person decides in a browser. */
  async function authorized(mode: unknown) {
    const provider = createProvider(harness.app.clientId)
    const first = transport(provider)
    await assert.rejects(newClient(mode).connect(first), /unauthorized|authori[sz]/i)
    const { sentTo } = provider.memory
    assert.ok(sentTo, 'the client found the authorization server')
    assert.equal(sentTo.searchParams.get('resource'), mcpOf(harness))
    assert.equal(sentTo.searchParams.get('code_challenge_method'), 'S256')
    const back = await walkToAgent(sentTo.href)
    await first.finishAuth(back.searchParams)
    const client = newClient(mode)
    const second = transport(provider)
    await client.connect(second)
    return { client, provider, transport: second }
  }

  for (const [name, mode] of [
    ['of the newest revision', { pin: '2026-07-28' }],
    ['that looks for the revision', 'auto'],
    ['with a handshake', 'legacy'],
  ] as const) {
    test(`${name} signs in, lists the tools and calls them`, async () => {
      const { client, provider } = await authorized(mode)
      try {
        assert.equal(provider.memory.tokens?.scope, READS.join(' '))
        const { tools } = await client.listTools()
        assert.deepEqual(
          tools.map((tool) => tool.name),
          ['search_items', 'list_items', 'get_item', 'list_people', 'list_profiles', 'follow_changes'],
        )
        // The client validates the structured content by the output schema.
        const found = await client.callTool({ name: 'search_items', arguments: { query: 'lighthouse' } })
        assert.notEqual(found.isError, true)
        assert.equal((found.structuredContent!['items'] as unknown[]).length, 1)
        for (const tool of ['list_profiles', 'list_people', 'follow_changes', 'list_items'])
          assert.notEqual((await client.callTool({ name: tool, arguments: {} })).isError, true, tool)
      } finally {
        await client.close()
      }
    })
  }

  test('refreshes a token that has expired', async () => {
    const { client, provider } = await authorized({ pin: '2026-07-28' })
    try {
      const { access_token: expired } = provider.memory.tokens!
      await harness.sql("update agent_token set expires_at = 1 where kind = 'access'")
      assert.ok((await client.callTool({ name: 'list_profiles' })).structuredContent)
      assert.notEqual(provider.memory.tokens!.access_token, expired)
    } finally {
      await client.close()
    }
  })

  test('asks the person again for a tool that writes, and loses everything when it is revoked', async () => {
    const { client, provider, transport: connected } = await authorized({ pin: '2026-07-28' })
    const write = {
      name: 'proxy_write_demo-social',
      arguments: { method: 'POST', path: '/me/posts', body: '{"text":"from an agent"}' },
    }
    try {
      // The refusal names the scope, and the client sends the person to the consent page.
      await assert.rejects(client.callTool(write))
      const { sentTo } = provider.memory
      const requested = sentTo?.searchParams.get('scope')?.split(' ') ?? []
      assert.ok(requested.includes('write:demo-social'), sentTo?.href)
      const back = await walkToAgent(sentTo?.href ?? '', { allow: requested })
      await connected.finishAuth(back.searchParams)
      const written = await client.callTool(write)
      assert.equal(written.structuredContent?.['status'], 201, JSON.stringify(written))
      const token = provider.memory.tokens!.access_token
      await send(harness, 'POST', '/oauth/agents/revoke', { form: { token } })
      await assert.rejects(client.callTool({ name: 'list_profiles' }))
    } finally {
      await client.close()
    }
  })
})
