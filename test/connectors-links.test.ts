import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { definitionFaults } from '#kit/connector/connector-faults.ts'
import { compileLinkPaths, foldName } from '#kit/connector/link-paths.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'

const ADDRESS = 'https://api.service.test/page'

/** A response that has everything: as a text, each value is an address that says where in the response it is. */
function anything(path: readonly string[]): unknown {
  const address = `${ADDRESS}?at=${encodeURIComponent(JSON.stringify(path))}`
  return new Proxy(() => {}, {
    get: (_, name) => {
      if (name === Symbol.toPrimitive || name === 'toString') return () => address
      if (typeof name === 'symbol') return undefined
      return anything([...path, name])
    },
  })
}

/** Where the address of the next page is in a response; undefined if the endpoint's pages do not follow such an address. */
function nextLinkOf({ pages, path }: Endpoint): string[] | undefined {
  const request = { method: 'GET' as const, path, query: {} }
  try {
    const next = pages.next({ request, body: anything([]), headers: {}, count: 1, url: ADDRESS })
    const at = URL.parse(next?.path ?? '')?.searchParams.get('at')
    return at == null ? undefined : (JSON.parse(at) as string[])
  } catch {
    // Such pages compute with numbers or lists of the response.
    return undefined
  }
}

function isDeclared({ api }: Connector, path: readonly string[]): boolean {
  return path.reduce((place, name) => place.names.get(foldName(name)) ?? place.other, compileLinkPaths(api.links ?? []))
    .isLink
}

suite('links in the bodies of services', () => {
  test('to pages that an endpoint follows are declared, because clients of the proxy follow them too', () => {
    const found = connectors.flatMap((connector) =>
      Object.entries(connector.endpoints).flatMap(([name, endpoint]) => {
        const path = nextLinkOf(endpoint)
        return path === undefined ? [] : [{ connector, name: `${connector.service}.${name}`, path }]
      }),
    )
    for (const { connector, name, path } of found) assert.ok(isDeclared(connector, path), `${name}: ${path.join('.')}`)
    assert.deepEqual([...new Set(found.map(({ connector }) => connector.service))].toSorted(), [
      'facebook',
      'instagram',
    ])
  })

  // Their pages are told in another form, and the address of the same page is beside it.
  for (const [service, ...path] of [
    ['spotify', 'next'],
    ['tumblr', 'response', '_links', 'next', 'href'],
    ['feed', 'next_url'],
    ['github', 'upload_url'],
    ['github', '0', 'upload_url'],
    ['spotify', 'tracks', 'items', '0', 'track', 'href'],
    ['facebook', 'data', '0', 'comments', 'paging', 'next'],
  ] as [string, ...string[]][])
    test(`of ${service} at ${path.join('.')} are declared`, () => {
      assert.ok(isDeclared(connectors.find((each) => each.service === service)!, path))
    })

  test('are refused in a definition if their paths are none', () => {
    const [connector] = connectors
    const faultsOf = (links: unknown) =>
      definitionFaults({ ...connector, api: { ...connector!.api, links } }).map(({ field }) => field)
    assert.deepEqual(faultsOf(['**.next']), [])
    for (const links of ['next', [], ['a..b'], [null]]) assert.deepEqual(faultsOf(links), ['api.links'])
  })
})
