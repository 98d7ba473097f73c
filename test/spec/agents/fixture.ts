import assert from 'node:assert/strict'
import { createBrowser } from '../../../lab/browser.ts'
import type { App } from '../../harness/app.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { type Reply, send } from '../../harness/send.ts'
import { pkce } from '../sign-in/fixture.ts'

/** Where agents of the tests receive people. Nothing listens there. */
export const AGENT_REDIRECT = 'http://127.0.0.1:4998/agent'
export const VERSION = '2026-07-28'
export const READS = ['items:read', 'people:read', 'profiles:read', 'changes:read']

/** The responses of the token endpoint. */
export interface AgentTokens {
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
}

export interface RpcReply extends Reply {
  rpc: {
    id?: unknown
    result?: Record<string, unknown>
    error?: { code: number; message: string; data?: unknown }
  }
}

/** Turns agents on for an app. */
export async function allowAgents(
  { tributary }: LabHarness,
  { clientId }: Pick<App, 'clientId'>,
  writes: string[] = [],
): Promise<void> {
  const agents = { redirect_uris: [AGENT_REDIRECT], write_services: writes }
  const { status, body } = await tributary.admin('PATCH', `/admin/apps/${clientId}`, { agents })
  assert.equal(status, 200, JSON.stringify(body))
}

/** Has the app request the scope to write at the demo service, at every sign-in. */
export async function letWrite({ tributary }: LabHarness, { clientId, keys }: LabApp): Promise<void> {
  const given = { ...keys['demo-social'], scope: 'profile posts.read posts.write' }
  const { status, body } = await tributary.admin('PUT', `/admin/apps/${clientId}/keys/demo-social`, given)
  assert.equal(status, 200, JSON.stringify(body))
}

export function mcpOf({ tributary }: LabHarness): string {
  return `${tributary.url}/mcp`
}

/** A browser that stops before the agent. */
export function agentBrowser() {
  return createBrowser({ stopAt: (url) => url.startsWith(AGENT_REDIRECT) })
}

export interface Asked {
  person?: string
  service?: string
  scope?: string | undefined
  /** The scopes that the person checks; undefined: as the page suggests. */
  allow?: string[]
  app?: Pick<App, 'clientId'>
}

export function authorizeUrl(harness: LabHarness, query: Record<string, string | undefined>): string {
  const given = {
    client_id: harness.app.clientId,
    redirect_uri: AGENT_REDIRECT,
    response_type: 'code',
    resource: mcpOf(harness),
    state: 'agent-state',
    ...query,
  }
  const pairs = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${harness.tributary.url}/oauth/agents/authorize?${new URLSearchParams(pairs).toString()}`
}

/** Walks from an authorization address to the consent page, choosing the service on our page. */
export async function walkToConsent(
  address: string,
  { person = 'ada', service = 'Demo Social' }: Asked,
  browser = agentBrowser(),
) {
  const choice = await browser.open(address)
  const link = choice.links.find(({ label }) => label === service)
  assert.ok(link, `the page offers ${service}: ${choice.status} ${choice.body.slice(0, 400)}`)
  const page = await browser.walk(new URL(link.href, choice.url).href, { person })
  return { browser, page }
}

/** Walks through sign-in and consent; returns the redirect to the agent. */
export async function walkToAgent(address: string, asked: Asked = {}, browser = agentBrowser()): Promise<URL> {
  const { page } = await walkToConsent(address, asked, browser)
  if (page.stopped) return new URL(page.url)
  const form = page.forms.find(({ action }) => action === '/oauth/agents/consent')
  assert.ok(form, `the consent page: ${page.url} ${page.status} ${page.body.slice(0, 400)}`)
  const fields = asked.allow === undefined ? {} : { scope: asked.allow }
  const back = await browser.submit(page, form, { answer: 'yes', ...fields })
  assert.ok(back.stopped, back.body.slice(0, 400))
  return new URL(back.url)
}

/** A code for an agent, and what it is exchanged with. */
export async function agentCode(harness: LabHarness, asked: Asked = {}): Promise<Record<string, string>> {
  const proof = pkce()
  const clientId = (asked.app ?? harness.app).clientId
  const address = authorizeUrl(harness, { ...proof.query, client_id: clientId, scope: asked.scope })
  const back = await walkToAgent(address, asked)
  const code = back.searchParams.get('code')
  assert.ok(code !== null, back.href)
  assert.equal(back.searchParams.get('state'), 'agent-state')
  assert.equal(back.searchParams.get('iss'), mcpOf(harness))
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: AGENT_REDIRECT,
    resource: mcpOf(harness),
    code,
    code_verifier: proof.verifier,
  }
}

export function tokenRequest(harness: LabHarness, form: Record<string, string>): Promise<Reply> {
  return send(harness, 'POST', '/oauth/agents/token', { form })
}

export async function agentTokens(harness: LabHarness, asked: Asked = {}): Promise<AgentTokens> {
  const response = await tokenRequest(harness, await agentCode(harness, asked))
  assert.equal(response.status, 200, response.text)
  return response.body as unknown as AgentTokens
}

/** Sends one request of the newest revision. */
export async function rpc(
  harness: LabHarness,
  token: string | undefined,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<RpcReply> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const reply = await send(harness, 'POST', '/mcp', {
    ...(token === undefined ? {} : { token }),
    json: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
      ...headers,
    },
  })
  return { ...reply, rpc: (reply.text === '' ? {} : JSON.parse(reply.text)) as RpcReply['rpc'] }
}

/** Calls a tool that must succeed; returns its structured content. */
export async function callTool(
  harness: LabHarness,
  token: string,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { status, rpc: answer, text } = await rpc(harness, token, 'tools/call', { name, arguments: args })
  assert.equal(status, 200, text)
  assert.equal(answer.result?.['isError'], false, text)
  return answer.result?.['structuredContent'] as Record<string, unknown>
}

export async function toolNames(harness: LabHarness, token: string): Promise<string[]> {
  const { rpc: answer, text } = await rpc(harness, token, 'tools/list')
  const tools = answer.result?.['tools'] as { name: string }[] | undefined
  assert.ok(tools, text)
  return tools.map(({ name }) => name)
}
