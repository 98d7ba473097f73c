import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { z } from 'zod'
import { ROUTES } from '#http/routes.ts'
import type { MountedRoute, Route } from '#http/server/route.ts'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { sampled } from '../../harness/effort.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { type Reply, type RequestOptions, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let app: App
let person: Person
before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary)
  person = await newPerson(tributary.store, app.clientId)
})
after(() => tributary.stop())

/** Headers of a caller who may call the route. */
function headersFor(path: string, { auth, query, body }: Route): Record<string, string> {
  if (path.startsWith('/dashboard/')) return { 'tributary-dashboard': '1' }
  const takesSecret = [query, body].some((schema) => schema instanceof z.ZodObject && 'client_secret' in schema.shape)
  if (auth === 'none' && takesSecret) return basic(app)
  if (auth === 'admin') return { authorization: `Bearer ${tributary.adminToken}` }
  if (auth === 'app') return basic(app)
  return auth === 'account' ? { authorization: `Bearer ${person.token}` } : {}
}

const call = (method: string, path: string, route: Route, options: RequestOptions = {}): Promise<Reply> =>
  send({ tributary }, method, path.replaceAll(/:\w+/g, 'none'), { headers: headersFor(path, route), ...options })

function assertRefused(reply: Reply, param: string, what: string): void {
  const told = `${what} -> ${reply.status} ${reply.text.slice(0, 200)}`
  assert.ok(reply.status >= 400 && reply.status < 500, told)
  assert.equal(reply.body['param'], param, told)
  assert.doesNotMatch(String(reply.body['error']), /expected|Invalid input|Too (small|big)|Unrecognized/, told)
}

/** A refusal of the value names the parameter. Other refusals, such as one of an unknown id, do not. */
function assertNamedOrTaken(reply: Reply, param: string, what: string): void {
  const told = `${what} -> ${reply.status} ${reply.text.slice(0, 200)}`
  assert.ok(reply.status < 500, told)
  const isOther = String(reply.body['error']).endsWith(' is missing.')
  if (String(reply.body['reason']).startsWith('bad_') && !isOther) assert.equal(reply.body['param'], param, told)
}

const VALUES = [
  '%00',
  '%ff%fe',
  '%ED%A0%80',
  '-1',
  '1e999',
  'NaN',
  'null',
  '%7B%7D',
  '%5B%5D',
  '..',
  "'%22%5C",
  '%F0%9F%8E%89',
  'x'.repeat(5000),
]

/** Of different kinds: bytes that no text has, a number, a structure, characters with a meaning elsewhere, a long text. */
const SOME_VALUES = ['%00', '1e999', '%7B%7D', "'%22%5C", 'x'.repeat(5000)]

const named = (shape: z.ZodObject | undefined) => Object.keys(shape?.shape ?? {})
const isOauth = (route: Route | MountedRoute) => route.emptyIsAbsent === true
const required = (shape: z.ZodObject | undefined, without: string) =>
  Object.entries(shape?.shape ?? {})
    .filter(([name, field]) => name !== without && !(field as z.ZodType).safeParse(undefined).success)
    .map(([name, field]): [string, string] => [name, field instanceof z.ZodEnum ? String(field.options[0]) : 'x'])

suite('every parameter of every query', () => {
  for (const [method, path, route] of ROUTES) {
    if ('mounted' in route) continue
    for (const name of named(route.query)) {
      const query = (pairs: string) =>
        `${path}?${[...required(route.query, name).map((pair) => pair.join('=')), pairs].join('&')}`
      test(`${method} ${path} ${name}`, async () => {
        const twice = await call(method, query(`${name}=1&${name}=1`), route)
        assertRefused(twice, name, `${name} twice`)
        assert.equal(twice.body['error'], `${name}: was given more than once.`)
        const empty = await call(method, query(`${name}=`), route)
        if (!isOauth(route) && name !== 'q') assertRefused(empty, name, `${name} empty`)
        for (const value of sampled(SOME_VALUES, VALUES))
          assertNamedOrTaken(
            await call(method, query(`${name}=${value}`), route),
            name,
            `${name}=${value.slice(0, 20)}`,
          )
      })
    }
  }
})

suite('an unknown parameter', () => {
  for (const [method, path, route] of ROUTES) {
    if ('mounted' in route) continue
    const ignores = route.ignoresUnknown ?? (route.emptyIsAbsent === true || route.auth === 'browser')
    test(`${method} ${path} ${ignores ? 'ignores' : 'refuses'} it`, async () => {
      const reply = await call(method, `${path}?no_such_parameter=1`, route)
      assert.equal(reply.body['reason'] === 'parameter_unknown', !ignores, reply.text.slice(0, 200))
      if (!ignores) assertRefused(reply, 'no_such_parameter', path)
    })
  }
})

/** Those of section 4.10 of the specification. */
const OF_THE_SPECIFICATION = ['limit', 'since', 'until', 'q', 'participants', 'near', 'within', 'map', 'fields']

suite('a parameter of the specification', () => {
  for (const [method, path, route] of ROUTES) {
    if ('mounted' in route || method !== 'GET') continue
    const ignored = OF_THE_SPECIFICATION.filter((name) => !named(route.query).includes(name))
    if (ignored.length > 0)
      test(`${method} ${path} has no meaning for ${ignored.length} and does not refuse them`, async () => {
        const { body } = await call(method, `${path}?${ignored.map((name) => `${name}=%20no`).join('&')}`, route)
        assert.notEqual(body['reason'], 'parameter_unknown', String(body['param']))
        assert.ok(!ignored.includes(String(body['param'])), String(body['param']))
      })
  }
})

/** Values of the wrong kind for a schema, found by asking it. */
const WRONG: [json: unknown, what: string][] = [
  [null, 'null'],
  [true, 'true'],
  [5.5, 'a number'],
  [['a', 'b'], 'a list'],
  [{ a: 1 }, 'an object'],
  ['x'.repeat(50_000), 'a long text'],
]

suite('every field of every body', () => {
  for (const [method, path, route] of ROUTES) {
    if ('mounted' in route || !(route.body instanceof z.ZodObject)) continue
    const { shape } = route.body
    for (const [name, field] of Object.entries(shape) as [string, z.ZodType][])
      test(`${method} ${path} ${name}`, async () => {
        for (const [value, what] of WRONG) {
          // Not refused by this field: other kinds of values are its flow's business.
          if (field.safeParse(value).success) continue
          const reply = await call(method, path, route, { json: { ...fine(shape, name), [name]: value } })
          assert.equal(reply.status, 400, `${what}: ${reply.text.slice(0, 200)}`)
          assert.equal(reply.body['reason'], 'bad_body')
          assert.ok(String(reply.body['param']).split('.')[0] === name, reply.text.slice(0, 200))
          assertRefused(reply, String(reply.body['param']), what)
        }
        const nul = await call(method, path, route, { json: { ...fine(shape, name), [name]: 'a\0b' } })
        assertNamedOrTaken(nul, name, 'U+0000')
      })
  }

  for (const [method, path, route] of ROUTES) {
    if ('mounted' in route || route.body === undefined) continue
    test(`${method} ${path}: a body of another kind`, async () => {
      const isList = route.body instanceof z.ZodArray
      for (const json of ['text', 5, isList ? { a: 1 } : [1]]) {
        const reply = await call(method, path, route, { json })
        const wanted = isList ? 'a list' : 'an object'
        assert.ok(String(reply.body['error']).startsWith(`the body: must be ${wanted}, not `), reply.text)
        assert.deepEqual([reply.status, reply.body['reason'], reply.body['param']], [400, 'bad_body', undefined])
      }
    })
  }
})

/** Values that the required fields before this one accept, so that this one is the first at fault. */
function fine(shape: z.core.$ZodShape, without: string): Record<string, unknown> {
  const values = ['https://app.test/', ['https://app.test/'], 'yes', 'webhook', 'operator', true, {}, [{ id: 'a' }]]
  const entries = Object.entries(shape).filter(([name]) => name !== without) as [string, z.ZodType][]
  return Object.fromEntries(
    entries
      .filter(([, field]) => !field.safeParse(undefined).success)
      .map(([name, field]) => [name, values.find((value) => field.safeParse(value).success)]),
  )
}

suite('every part of every path', () => {
  for (const [method, path, route] of ROUTES) {
    if ('mounted' in route || !path.includes(':')) continue
    test(`${method} ${path} takes any text without failing`, async () => {
      for (const value of sampled(SOME_VALUES, VALUES).filter((each) => each.length < 2000)) {
        const where = path.replaceAll(/:\w+/g, value)
        const reply = await send({ tributary }, method, where, { headers: headersFor(path, route) })
        assert.ok(reply.status < 500, `${where} -> ${reply.status} ${reply.text.slice(0, 200)}`)
      }
    })
  }
})
