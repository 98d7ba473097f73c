import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { probeServices } from '#flows/operations/probe.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { expandEntry } from '#kit/entry/expand-entry.ts'
import type { LabEntry } from '../../lab/catalogue/entry.ts'
import { type CatalogueLab, startCatalogueLab } from '../../lab/catalogue/server.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { ENTRIES } from './entries.ts'
import { VARIANTS } from './variants.ts'

const asana = ENTRIES.get('asana')!

suite('asking the sign-in pages of the catalogue', () => {
  let lab: CatalogueLab
  let open: OpenUpstream
  const asked: IncomingMessage[] = []
  let busy = 0
  let most = 0
  const pages = createServer((request, response) => {
    asked.push(request)
    busy += 1
    most = Math.max(most, busy)
    // Answered when others had the chance to come.
    setImmediate(() => {
      busy -= 1
      const path = new URL(request.url!, 'http://x').pathname
      const [status, location] = ANSWERS[path] ?? [404, undefined]
      response.writeHead(status, location === undefined ? {} : { location }).end('<h1>secret page</h1>')
    })
  })
  const ANSWERS: Record<string, [number, string?]> = {
    '/page': [200],
    '/moved': [302, 'https://other.example/login?x=1'],
    '/login': [302, '/signin'],
    '/back': [302, 'https://tributary-probe.invalid/callback?error=unauthorized_client&state=x'],
    '/accepted': [302, 'https://tributary-probe.invalid/callback?code=1'],
    '/broken': [503],
  }
  before(async () => {
    open = openUpstream()
    lab = await startCatalogueLab({ asana } as unknown as Record<string, LabEntry>)
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    pages.close()
    await lab.close()
    await open.close()
  })

  const at = (authorizeUrl: string): Connector => {
    const connector = expandEntry('asana', asana)
    return { ...connector, auth: { ...connector.auth, authorizeUrl } as Connector['auth'] }
  }
  const probe = (connectors: Record<string, Connector>, parallel = 4) =>
    probeServices(
      {
        upstream: open.upstream,
        clock: open.upstream.clock,
        registry: { find: (service) => connectors[service] },
      },
      Object.keys(connectors),
      parallel,
    )

  test('a service that is as its entry says refuses the key, by the name of its error', async () => {
    const [finding] = await probe({ asana: at(`${lab.urlOf('asana')}/-/oauth_authorize`) })
    assert.equal(finding?.status, 400)
    assert.equal(finding.result, 'refused')
    assert.match(finding.at, /^\d{4}-\d\d-\d\dT/)
    assert.equal(finding.address, `${lab.urlOf('asana')}/-/oauth_authorize`, 'without parameters')
  })

  test('what each page answers is told apart, no redirect is followed, nothing secret is sent and no page is kept', async () => {
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    const names = [...Object.keys(ANSWERS), '/nothing'].map((path) => path.slice(1))
    const findings = await probe(Object.fromEntries(names.map((name) => [name, at(`${origin}/${name}`)])), 2)
    assert.deepEqual(
      findings.map(({ service, result, detail }) => [service, result, detail]),
      [
        ['accepted', 'accepted', undefined],
        ['back', 'refused', 'unauthorized_client'],
        ['broken', 'failed', undefined],
        ['login', 'page', undefined],
        ['moved', 'moved', 'https://other.example'],
        ['nothing', 'missing', undefined],
        ['page', 'page', undefined],
      ],
    )
    assert.equal(asked.length, names.length)
    assert.ok(most <= 2, 'never more at a time than was said')
    for (const { url = '', headers, method } of asked) {
      assert.equal(method, 'GET')
      assert.equal(new URL(url, origin).searchParams.get('client_id'), 'tributary-probe')
      assert.equal(headers.authorization, undefined)
      assert.doesNotMatch(url, /secret/)
    }
    assert.doesNotMatch(JSON.stringify(findings), /secret page/)
  })

  test('a page that nobody answers is unreachable, the guard is asked, and servers of people are left alone', async () => {
    const guarded = openUpstream(undefined, { allowPrivate: [] })
    try {
      const [closed, affixed] = await probe({
        a: at('http://127.0.0.1:1/authorize'),
        b: expandEntry('b', VARIANTS.get('variant-affixed')!),
      })
      assert.deepEqual([closed?.result, affixed?.result, affixed?.address], ['unreachable', 'skipped', undefined])
      const registry = { find: () => at('http://127.0.0.1:9/authorize') }
      const deps = { upstream: guarded.upstream, clock: guarded.upstream.clock, registry }
      const [refused] = await probeServices(deps, ['a'], 1)
      assert.deepEqual([refused?.result, refused?.status], ['unreachable', undefined])
    } finally {
      await guarded.close()
    }
  })

  test('a region that everybody may choose is asked at its default', async () => {
    const zoho = expandEntry('zoho-crm', ENTRIES.get('zoho-crm')!)
    const guarded = openUpstream(undefined, { allowPrivate: [] })
    try {
      const sent: string[] = []
      const upstream = {
        ...guarded.upstream,
        send: (request: { url: string }) => (sent.push(request.url), Promise.reject(new Error('not sent'))),
      }
      const registry = { find: () => zoho }
      await assert.rejects(probeServices({ upstream, clock: guarded.upstream.clock, registry }, ['zoho-crm'], 1))
      assert.match(sent[0] ?? '', /^https:\/\/accounts\.zoho\.com\//)
    } finally {
      await guarded.close()
    }
  })
})
