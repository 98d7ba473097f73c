import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { curlOf, requestIn, routeIn, sdkOf, urlOf } from './item-request.ts'
import { serviceOf, titleOf } from './item-words.ts'
import { localTime, msOf } from './local-time.ts'
import { type ApiDocument, parametersOf } from './parameters.ts'

const ORIGIN = 'https://t.example'

const described: ApiDocument = {
  paths: {
    '/types/{type}': {
      get: {
        parameters: [
          { in: 'path', name: 'type' },
          { in: 'query', name: 'q', description: 'Words.' },
          { in: 'query', name: 'since', schema: { type: 'integer' } },
          { in: 'query', name: 'limit', schema: { type: 'integer', default: 20 } },
          { in: 'query', name: 'dedup', schema: { type: 'boolean' } },
          { in: 'query', name: 'sort', schema: { type: 'string', enum: ['desc', 'asc'] } },
        ],
      },
    },
    '/services/{service}/{endpoint}': {
      get: {
        parameters: [
          { in: 'path', name: 'service' },
          { in: 'path', name: 'endpoint' },
        ],
      },
    },
    '/id/{id}': { get: { parameters: [{ in: 'path', name: 'id' }] } },
  },
}

suite('a request for items', () => {
  test('takes from the address what the API describes, and nothing else', () => {
    const request = requestIn(described, { type: 'photos', q: 'a b', view: 'map', account: '1' })
    assert.deepEqual(request, { route: 'type', path: { type: 'photos' }, query: { q: 'a b' }, missing: [] })
    assert.equal(urlOf(request, ORIGIN), 'https://t.example/types/photos?q=a+b')
  })

  test('says what is not chosen yet', () => {
    assert.deepEqual(requestIn(described, { by: 'endpoint', service: 'github' }).missing, ['endpoint'])
    assert.deepEqual(requestIn(described, {}).path, { type: 'all' })
  })

  test('an unknown way to read is the first one, also if every object has its name', () => {
    assert.equal(routeIn({ by: 'toString' }), 'type')
    assert.equal(routeIn({ by: 'id' }), 'id')
  })

  test('stays one address and one argument of the shell, whatever an id is', () => {
    const request = requestIn(described, { by: 'id', id: "a/b'c" })
    assert.equal(urlOf(request, ORIGIN), "https://t.example/id/a%2Fb'c")
    assert.ok(curlOf(request, ORIGIN).endsWith(`'https://t.example/id/a%2Fb%27c'`))
  })

  test('as a call of the SDK, flags are flags', () => {
    const request = requestIn(described, { type: 'photos', dedup: 'true', q: '"x"' })
    assert.match(sdkOf(request, ORIGIN), /account\.items\("photos", \{"q":"\\"x\\"","dedup":true\}\)\) console/)
    assert.match(sdkOf(requestIn(described, { by: 'id', id: '1' }), ORIGIN), /await account\.item\("1"\)$/)
  })
})

suite('controls of the parameters', () => {
  test('are chosen by what the API says of each', () => {
    assert.deepEqual(
      parametersOf(described, 'type', 'query').map(({ name, control, fallback }) => [name, control, fallback]),
      [
        ['q', 'text', undefined],
        ['since', 'time', undefined],
        ['limit', 'number', '20'],
        ['dedup', 'flag', undefined],
        ['sort', 'choice', undefined],
      ],
    )
  })

  test('a time is shown where the browser is, and read again to the minute', () => {
    const at = new Date(2026, 6, 1, 13, 45).getTime()
    assert.equal(localTime(at), '2026-07-01T13:45')
    assert.equal(msOf(localTime(at)), String(at))
    assert.equal(localTime(Number.NaN), '')
  })
})

suite('items in words', () => {
  test('a title is the first that there is, and not endless', () => {
    assert.equal(titleOf({ oembed: { type: 'photo', text: 'text' }, id: '1' }), 'text')
    assert.equal(titleOf({ id: '1', idr: 'photo:1576860000@github/photos#1' }), 'photo of github/photos')
    assert.equal(titleOf({ id: '1', idr: 'x' }), '1')
    assert.equal(titleOf({ oembed: { type: 'text', title: 'a'.repeat(91) } }).length, 89)
  })

  test('the service and endpoint are in the readable id', () => {
    assert.equal(serviceOf({ idr: 'photo:1@github/starred#9' }), 'github/starred')
    assert.equal(serviceOf({}), '')
  })
})
