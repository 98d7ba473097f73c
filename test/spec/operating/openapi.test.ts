import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { connectors } from '#connectors/index.ts'
import { ROUTES } from '#http/routes.ts'
import { REASONS, type Reason } from '#model/errors.ts'
import { mapFieldsOf } from '#model/items/normal.ts'
import { OWN_TYPES, TYPE_NAMES } from '#model/items/types.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

interface Operation {
  tags: string[]
  summary: string
  operationId: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[]
  requestBody?: { content: Record<string, { schema: { type: string }; example?: unknown }> }
  responses: Record<string, Answer | { $ref: string }>
}
interface Answer {
  description: string
  content?: Record<string, { schema?: unknown; example?: unknown; examples?: Record<string, unknown> }>
  'x-reasons'?: string[]
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes: Record<string, unknown>
    schemas: Record<string, { properties: Record<string, { enum?: unknown[] }>; required: string[]; enum?: unknown[] }>
    responses: Record<string, Answer>
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
/** The first words of the names of operations. */
const VERBS =
  'show get check start finish receive answer submit follow exchange revoke authorize apply merge list preview delete request reset pause resume create update confirm count store add test run backfill replay redrive verify rotate proxy set retry continue read end erase export issue call join split undo'.split(
    ' ',
  )
const answerOf = (given: Answer | { $ref: string } | undefined): Answer | undefined =>
  given !== undefined && '$ref' in given ? document.components.responses[given.$ref.split('/').at(-1)!] : given
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
    for (const { operation } of operations())
      assert.ok(shown.includes(`<details id="${operation.operationId}">`), operation.operationId)
    for (const name of Object.keys(document.components.schemas))
      assert.ok(shown.includes(`<details id="schema-${name}">`), name)
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
      'error_uri',
    ])
    assert.deepEqual(required, ['error', 'code', 'reason', 'see', 'request_id'])
    const refused = (await (await fetch(`${tributary.url}/auth/merge`)).json()) as Record<string, unknown>
    for (const name of Object.keys(refused)) assert.ok(name in properties, name)
    for (const [name, { enum: values }] of Object.entries(properties))
      if (values !== undefined) assert.ok(values.includes(refused[name]), name)
    assert.ok(document.components.schemas['Reason']?.enum?.includes(refused['reason']))
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
      const { security } = operationOf(method, path)!
      assert.ok(Array.isArray(security), `${method} ${path} says whether it needs a key`)
      assert.equal(security.length > 0, ['admin', 'app', 'account'].includes(auth), `${method} ${path}`)
      for (const scheme of security.flatMap(Object.keys))
        assert.ok(scheme in document.components.securitySchemes, scheme)
    }
  })

  test('describes the response of every route with an example, and refusals by our error', () => {
    for (const [method, path, route] of ROUTES) {
      const operation = operationOf(method, path)!
      assert.ok(operation.summary.length > 5, `${method} ${path}`)
      const response = answerOf(operation.responses[String(route.status ?? 200)])
      assert.ok(response, `${method} ${path} has no response`)
      assert.ok(response.description.length > 5, `${method} ${path}`)
      if ((route.status ?? 200) < 300) {
        const [media] = Object.entries(response.content ?? {})
        assert.ok(media?.[1].schema, `${method} ${path} has no schema`)
        if (media[0] === 'application/json') {
          assert.notDeepEqual(media[1].schema, {}, `${method} ${path} has an empty schema`)
          assert.notEqual(media[1].example, undefined, `${method} ${path} has no example`)
        }
      }
      for (const [status, given] of Object.entries(operation.responses)) {
        const refusal = answerOf(given)!
        if (refusal['x-reasons'] === undefined) continue
        assert.ok(Number(status) >= 400, `${method} ${path} ${status}`)
        const { schema, examples = {} } = refusal.content!['application/json']!
        const both = (schema as { anyOf?: unknown[] }).anyOf ?? [schema]
        assert.deepEqual(both.at(-1), { $ref: '#/components/schemas/Error' })
        if (both.length === 1) assert.deepEqual(Object.keys(examples), refusal['x-reasons'])
        for (const reason of refusal['x-reasons']) assert.equal(REASONS[reason as Reason][0], Number(status))
      }
      assert.equal(operation.requestBody !== undefined, route.body !== undefined || route.uploads !== undefined)
      if (operation.requestBody !== undefined && route.uploads === undefined)
        assert.notEqual(operation.requestBody.content['application/json']?.example, undefined, `${method} ${path}`)
    }
  })

  test('names every operation once: a verb first, in camel case', () => {
    const names = operations().map(({ operation }) => operation.operationId)
    for (const name of names) assert.match(name, new RegExp(`^(${VERBS.join('|')})(?![a-z])[A-Za-z]*$`))
    assert.equal(new Set(names).size, names.length)
  })

  test('describes items of every type by a schema of its own', () => {
    const { schema } = operationOf('GET', '/types/:type')!.parameters.find(({ name }) => name === 'type')!
    assert.deepEqual(schema['enum'], TYPE_NAMES)
    const named = schema['x-schemas'] as Record<string, string>
    assert.deepEqual(Object.keys(named).sort(), [...OWN_TYPES, 'contacts'].sort())
    for (const name of Object.values(named)) assert.ok(name in document.components.schemas, name)
  })

  test('lists every reason, each with a status and a sentence', () => {
    assert.deepEqual(document.components.schemas['Reason']?.enum, Object.keys(REASONS))
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
  for (const path of [
    '/openapi.json',
    '/docs',
    '/docs.md',
    '/docs/try-it.js',
    '/docs/push.md',
    '/docs/guides/connect-a-person.md',
    '/llms.txt',
  ]) {
    test(`${path} is rendered once, and a caller who has it gets 304`, async () => {
      const first = await fetch(`${tributary.url}${path}`)
      const text = await first.text()
      const etag = first.headers.get('etag')
      assert.match(etag ?? '(none)', /^"[\w-]{16,}"$/)
      const again = await fetch(`${tributary.url}${path}`)
      assert.equal(await again.text(), text)
      assert.equal(again.headers.get('content-encoding'), 'gzip')
      assert.match(again.headers.get('vary') ?? '', /accept-encoding/)
      const plain = await fetch(`${tributary.url}${path}`, { headers: { 'accept-encoding': 'gzip;q=0' } })
      assert.equal(await plain.text(), text)
      assert.equal(plain.headers.get('content-encoding'), null)
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

suite('the reference', () => {
  const text = async (path: string, accept = '*/*') =>
    (await fetch(`${tributary.url}${path}`, { headers: { accept } })).text()

  test('has no raw backtick, an anchor for each operation, reason and schema, and no anchor twice', async () => {
    const page = await text('/docs', 'text/html')
    assert.ok(!page.includes('`'))
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
    assert.deepEqual(
      ids.filter((id, i) => ids.indexOf(id) !== i),
      [],
    )
    for (const [, name] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(name!), name)
    for (const { operation } of operations()) assert.ok(ids.includes(operation.operationId))
    for (const reason of Object.keys(REASONS)) assert.ok(ids.includes(reason))
  })

  test('marks what is required, and says the default of each parameter', async () => {
    const page = await text('/docs', 'text/html')
    const entry = (id: string) => page.slice(page.indexOf(`<details id="${id}">`)).split('</details>', 1)[0]!
    assert.match(entry('startSignIn'), /<code>client_id<\/code> <strong>required<\/strong>/)
    assert.match(entry('listItemsByType'), /<code>limit<\/code><br><span class="soft">query, integer, default 20</)
    assert.match(entry('createApp'), /curl -X POST/)
    assert.match(entry('createApp'), /await fetch\(/)
    assert.match(entry('getSyncProgress'), /href="#schema-SyncProgress"/)
  })

  test('runs one script, of its own host, and nothing inline', async () => {
    const response = await fetch(`${tributary.url}/docs`, { headers: { accept: 'text/html' } })
    const page = await response.text()
    assert.deepEqual(page.match(/<script[^>]*>[^<]*/g), ['<script src="/docs/try-it.js" defer>'])
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /script-src [\w.:-]+\/docs\/try-it\.js(?: [\w.:-]+\/docs\/try-it\.js)?; connect-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|script-src[^;]*https?:/)
    const script = await fetch(`${tributary.url}/docs/try-it.js`)
    assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/)
    assert.doesNotMatch(
      await script.text(),
      /localStorage|sessionStorage|document\.cookie|innerHTML|location\.(assign|replace)/,
    )
  })

  test('has a markdown twin with the same operations, reasons and schemas', async () => {
    const asMarkdown = await text('/docs.md')
    assert.equal(await text('/docs', 'text/markdown'), asMarkdown)
    for (const { operation } of operations()) assert.ok(asMarkdown.includes(`### ${operation.operationId}: `))
    for (const reason of Object.keys(REASONS)) assert.ok(asMarkdown.includes(`| \`${reason}\` |`), reason)
    for (const name of Object.keys(document.components.schemas)) assert.ok(asMarkdown.includes(`### ${name}\n`), name)
  })

  test('llms.txt has the form of llmstxt.org, and every link of it works', async () => {
    const index = await text('/llms.txt')
    assert.match(index, /^# Tributary\n\n> [^\n]+\n/)
    const links = [...new Set([...index.matchAll(/\]\((http[^)]+)\)/g)].map(([, link]) => link!))]
    assert.ok(links.includes(`${tributary.url}/docs/push.md`))
    for (const link of links) {
      const response = await fetch(link)
      assert.equal(response.status, 200, link)
      await response.body?.cancel()
    }
  })

  test('serves pages of the documentation and no other file', async () => {
    assert.match(await text('/docs/push'), /^# /)
    for (const path of [
      '/docs/nothing.md',
      '/docs/..%2fpackage.json',
      '/docs/%2e%2e%2fREADME.md',
      '/docs/..%5cREADME.md',
    ])
      assert.equal((await fetch(`${tributary.url}${path}`)).status, 404, path)
  })
})

test('every example fits its schema, and every type has the fields that connectors read', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ components: document.components }, 'api')
  const within = (schema: unknown) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as object
  for (const { path, method, operation } of operations()) {
    const answers = Object.values(operation.responses).map((given) => answerOf(given)!)
    const media = [operation.requestBody, ...answers].flatMap((each) => Object.entries(each?.content ?? {}))
    for (const [type, { schema, example }] of media) {
      if (example === undefined || type !== 'application/json') continue
      const isValid = ajv.validate(within(schema), example)
      assert.ok(isValid, `${method} ${path}: ${ajv.errorsText()} in ${JSON.stringify(example)}`)
    }
  }
  for (const { service, endpoints } of connectors)
    for (const [name, { types, kind }] of Object.entries(endpoints)) {
      const known = new Set<string>(types.flatMap(mapFieldsOf))
      const unknown = Object.keys(kind.map).filter((field) => !known.has(field))
      if (types.length > 0) assert.deepEqual(unknown, [], `${service}/${name}`)
    }
})
