import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ROUTES } from '#http/routes.ts'
import { REASONS } from '#model/errors.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

interface Operation {
  tags: string[]
  summary: string
  security?: Record<string, unknown>[]
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[]
  requestBody?: { content: Record<string, { schema: { type: string } }> }
  responses: Record<string, { description: string; content?: Record<string, { schema?: unknown }> }>
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes: Record<string, unknown>
    schemas: Record<string, { properties: Record<string, { enum?: unknown[] }>; required: string[] }>
  }
}

let tributary: Tributary
let document: Document
before(async () => {
  tributary = await startTributary()
  document = (await (await fetch(`${tributary.url}/openapi.json`)).json()) as Document
})
after(() => tributary.stop())

const operationOf = (method: string, path: string) =>
  document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

function walk(value: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) visit(value as Record<string, unknown>)
  for (const each of Object.values(value)) walk(each, visit)
}

suite('the OpenAPI document', () => {
  test('is a 3.1 document with this version and this address', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.deepEqual(document.info.version, '0.0.0-test')
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      [tributary.url, `${tributary.url}/v0`],
    )
  })

  test('has every operation in one group, and the reference page shows all of them', async () => {
    const groups = document.tags.map(({ name }) => name)
    for (const { path, operation } of operations())
      assert.ok(operation.tags.length === 1 && groups.includes(operation.tags[0]!), path)
    const shown = await (await fetch(`${tributary.url}/docs`, { headers: { accept: 'text/html' } })).text()
    assert.equal(shown.split('<details>').length - 1, operations().length)
  })

  test('contains exactly the routes of the service', () => {
    const listed = ROUTES.map(([method, path]) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).sort()
    const described = operations()
      .map(({ path, method }) => `${method.toUpperCase()} ${path}`)
      .sort()
    assert.deepEqual(described, listed)
    assert.equal(new Set(listed).size, listed.length)
  })

  test('declares exactly the parameters of every path', () => {
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
      const declared = operation.parameters.filter((each) => each.in === 'path')
      assert.deepEqual(
        declared.map(({ name }) => name).sort(),
        inPath.sort((a, b) => a.localeCompare(b)),
        path,
      )
      assert.ok(declared.every(({ required }) => required))
      for (const each of operation.parameters) assert.equal(typeof each.schema, 'object', `${path} ${each.name}`)
    }
  })

  test('marks what a sign-in needs as required, and lists forms beside JSON', () => {
    const { parameters } = operationOf('GET', '/oauth/authenticate')!
    const required = parameters.filter((each) => each.required).map(({ name }) => name)
    assert.deepEqual(required, ['client_id', 'redirect_uri', 'service'])
    assert.deepEqual(operationOf('GET', '/oauth/authorize')!.parameters, parameters)
    const media = (method: string, path: string) => Object.keys(operationOf(method, path)!.requestBody?.content ?? {})
    const both = ['application/json', 'application/x-www-form-urlencoded']
    for (const path of [
      '/oauth/access_token',
      '/oauth/revoke',
      '/auth/:service/apply',
      '/auth/merge',
      '/oauth/confirm',
    ])
      assert.deepEqual(media('POST', path), both, path)
    for (const path of ['/auth/apply/batch', '/services/self/:endpoint', '/push'])
      assert.deepEqual(media('POST', path), ['application/json'], path)
  })

  test('describes every field of an error', async () => {
    const { properties, required } = document.components.schemas['Error']!
    assert.deepEqual(Object.keys(properties), [
      'error',
      'code',
      'reason',
      'param',
      'see',
      'request_id',
      'error_code',
      'error_description',
    ])
    assert.deepEqual(required, ['error', 'code', 'reason', 'see', 'request_id'])
    const refused = (await (await fetch(`${tributary.url}/auth/merge`)).json()) as Record<string, unknown>
    for (const name of Object.keys(refused)) assert.ok(name in properties, name)
    for (const [name, { enum: values }] of Object.entries(properties))
      if (values !== undefined) assert.ok(values.includes(refused[name]), name)
  })

  test('has no dangling reference', () => {
    let found = 0
    walk(document, (node) => {
      if (typeof node['$ref'] !== 'string') return
      found += 1
      let at: unknown = document
      for (const step of node['$ref'].replace(/^#\//, '').split('/')) at = (at as Record<string, unknown>)?.[step]
      assert.notEqual(at, undefined, node['$ref'])
    })
    assert.ok(found > 0)
  })

  test('requires a key exactly where the route does', () => {
    for (const [method, path, { auth }] of ROUTES) {
      const { security = [] } = operationOf(method, path)!
      assert.equal(security.length > 0, ['admin', 'app', 'account'].includes(auth), `${method} ${path}`)
      for (const scheme of security.flatMap(Object.keys))
        assert.ok(scheme in document.components.securitySchemes, scheme)
    }
  })

  test('describes the response of every route, and refusals by our error', () => {
    for (const [method, path, route] of ROUTES) {
      const operation = operationOf(method, path)!
      assert.ok(operation.summary.length > 5, `${method} ${path}`)
      const response = operation.responses[String(route.status ?? 200)]
      assert.ok(response, `${method} ${path} has no response`)
      if (route.response !== undefined) assert.ok(Object.values(response.content ?? {})[0]?.schema, `${method} ${path}`)
      for (const [status, refusal] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        assert.deepEqual(refusal.content?.['application/json']?.schema, { $ref: '#/components/schemas/Error' })
      }
      assert.equal(operation.requestBody !== undefined, route.body !== undefined)
    }
  })

  test('lists every reason, each with a status and a sentence', () => {
    assert.deepEqual(document.components.schemas['Error']?.properties['reason']?.enum, Object.keys(REASONS))
    for (const [reason, [status, , sentence]] of Object.entries(REASONS)) {
      assert.match(reason, /^[a-z]+(_[a-z]+)*$/)
      assert.ok(status >= 400 && status < 600)
      assert.match(sentence, /^[A-Z].*\.$/)
    }
  })

  test('is shown on the page, route by route and reason by reason', async () => {
    const page = await (await fetch(`${tributary.url}/docs`)).text()
    for (const [method, path] of ROUTES)
      assert.match(
        page,
        new RegExp(
          `>${method}</span> <code>${path.replaceAll(/:(\w+)/g, '{$1}').replaceAll(/[{}.]/g, String.raw`\$&`)}<`,
        ),
      )
    for (const reason of Object.keys(REASONS)) assert.ok(page.includes(`<code>${reason}</code>`), reason)
  })
})

suite('responses that are the same for everybody', () => {
  for (const path of ['/openapi.json', '/docs']) {
    test(`${path} is rendered once, and a caller who has it gets 304`, async () => {
      const first = await fetch(`${tributary.url}${path}`)
      const text = await first.text()
      const etag = first.headers.get('etag')
      assert.match(etag ?? '(none)', /^"[\w-]{16,}"$/)
      const again = await fetch(`${tributary.url}${path}`)
      assert.equal(await again.text(), text)
      assert.equal(again.headers.get('etag'), etag)
      assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
      for (const given of [etag!, `W/${etag}`, `"other", ${etag}`, '*']) {
        const known = await fetch(`${tributary.url}${path}`, { headers: { 'if-none-match': given } })
        assert.equal(known.status, 304, given)
        assert.equal(await known.text(), '')
      }
      const stale = await fetch(`${tributary.url}${path}`, { headers: { 'if-none-match': '"other"' } })
      assert.equal(stale.status, 200)
      assert.equal(await stale.text(), text)
    })
  }
})

test('public responses match their schema', async () => {
  for (const [method, path, route] of ROUTES) {
    if (method !== 'GET' || route.auth !== 'none' || route.response === undefined || path.includes(':')) continue
    const response = await fetch(`${tributary.url}${path}`)
    if (response.status !== 200) continue
    const body: unknown = await response.json()
    assert.deepEqual(route.response.parse(body), body, path)
  }
})
