import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { Auth } from '#kit/auth/auth.ts'
import type { Connector, Hook, RateWindow, Sign } from '#kit/connector/connector.ts'
import { MAX_KIND_VERSIONS } from '#kit/connector/reader-version.ts'
import { connectorFault } from '#kit/connector/registry.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { MAP_KEYS } from '#model/items/normal.ts'

/** Feeds that by their documentation have no records of the person. Instagram: media in which another user tagged the person. */
const LISTS_OTHERS_ONLY = new Set(['/me/tags'])
const [MINUTE_MS, WEEK_MS] = [60_000, 7 * 86_400_000]

/** Checks the definition of a connector. `isFile`: the documentation of a simulated service is a file. */
export function checkDefinition(connector: Connector, { isFile = false }: { isFile?: boolean } = {}): void {
  const { service, auth, api, endpoints, aliases, hook } = connector
  assert.equal(connectorFault(isFile ? { ...connector, docs: 'https://docs.test' } : connector), undefined)
  for (const alias of aliases) assert.match(alias, /^[a-z][a-z0-9-]*$/)
  assert.ok(!aliases.includes(service), 'an alias is another name')
  if (auth.kind !== 'oauth2' || !auth.discover) for (const url of addressesOf(auth)) checkAddress(url)
  checkAddress(api.baseUrl)
  for (const limit of [api.limits?.app, api.limits?.person, api.limits?.service].flat())
    if (limit) checkWindow(connector, limit)
  for (const [name, endpoint] of Object.entries(endpoints)) {
    checkEndpoint(name, endpoint, scopesOf(auth))
    if (api.asksForSmallerPages) checkPageSize(name, endpoint)
  }
  if (hook) checkHook(hook)
  const currencies = new Set(Object.values(endpoints).flatMap(({ price }) => price?.currency ?? []))
  assert.ok(currencies.size <= 1, 'all prices of a service are in one currency')
}

function checkWindow({ api, endpoints }: Connector, { calls, perS, per, group: only }: RateWindow): void {
  assert.ok(calls > 0 && perS > 0, 'limits are positive')
  // Counts of windows that nobody uses for a week are removed.
  assert.ok(perS * 1000 <= WEEK_MS, 'a window is at most a week long')
  if (only !== undefined) {
    const groups = Object.values(endpoints).map(({ group, path }) => group ?? api.group?.(path))
    assert.ok(groups.includes(only), `a limit of the group ${only}, which no endpoint has`)
  }
  if (per !== 'group') return
  for (const [name, { group, path }] of Object.entries(endpoints))
    assert.ok(group ?? api.group?.(path), `${name}: a limit per group, but no group`)
}

/** A page that the service refuses as too large can only be requested again if its size can be changed. */
function checkPageSize(name: string, { pages, path, query }: Endpoint): void {
  assert.ok(pages.size, `${name}: no page size, but the service may ask for smaller pages`)
  const first = pages.first({ method: 'GET', path, query: { ...query } })
  const half = pages.size.set(first, Math.floor(pages.size.value / 2))
  assert.notDeepEqual(half, first, `${name}: the page size does not change the request`)
}

/** A webhook must refuse an unsigned call. */
function checkHook({ verify, handshake }: Hook): void {
  const sign: Sign = (algorithm, text, encoding = 'hex') =>
    createHmac(algorithm, 'secret').update(text).digest(encoding)
  for (const body of ['', '{}', 'a=1&b=2']) assert.equal(verify({ headers: {}, body, secret: 'secret', sign }), false)
  for (const method of ['GET', 'POST']) {
    const request = { method, query: {}, headers: {}, body: '{}' }
    assert.equal(handshake?.({}, 'secret', sign, request), undefined, 'a response without a challenge')
  }
}

function checkEndpoint(name: string, endpoint: Endpoint, scopes: string[] | undefined): void {
  const say = (text: string) => `${name}: ${text}`
  assert.match(name, /^[a-z][a-z0-9_]*$/)
  assert.match(endpoint.kind.name, /^[a-z0-9][a-z0-9._-]*$/, say('the name of the kind is the type in the IDR'))
  assert.ok((endpoint.kind.version ?? 0) < MAX_KIND_VERSIONS, say('the version of the kind'))
  assert.ok(['core', 'personal', 'social'].includes(endpoint.class), say('class'))
  assert.ok(endpoint.everyMs >= MINUTE_MS && endpoint.everyMs <= WEEK_MS, say('every'))
  assert.match(endpoint.path, /^(?:\/|$)/, say('path'))
  assert.equal(new Set(endpoint.types).size, endpoint.types.length, say('types'))
  // Without an author nobody knows whether the person made it.
  if (endpoint.feed && !LISTS_OTHERS_ONLY.has(endpoint.path))
    assert.ok(endpoint.kind.participants, say('a feed needs the authors of its records'))
  const unknownFields = Object.keys(endpoint.kind.map).filter((field) => !(MAP_KEYS as string[]).includes(field))
  assert.deepEqual(unknownFields, [], say('fields that map does not have'))
  // A run that starts at a watermark does not list everything. Of a child endpoint, a new or restarted parent is read whole.
  if (endpoint.deletes === 'all' && endpoint.checkpoint !== undefined && endpoint.children === undefined)
    assert.ok(endpoint.wholeEveryMs, say('deletes “all” with a checkpoint needs wholeEvery'))
  if (endpoint.wholeEveryMs !== undefined) {
    assert.equal(endpoint.children, undefined, say('wholeEvery of a child endpoint'))
    assert.ok(endpoint.checkpoint, say('wholeEvery without a checkpoint: every run lists everything'))
    assert.ok(endpoint.wholeEveryMs > endpoint.everyMs, say('wholeEvery'))
  }
  assert.ok(Number.isInteger(endpoint.weight) && endpoint.weight > 0, say('weight'))
  const unrequested = scopes === undefined ? [] : endpoint.scope.filter((scope) => !scopes.includes(scope))
  assert.deepEqual(unrequested, [], say('scopes that are never requested'))
}

/** The scopes that the connector requests, with and without flags, and those they include; undefined if its requests have no scopes. */
function scopesOf(auth: Auth): string[] | undefined {
  if (auth.kind !== 'oauth2') return undefined
  const { default: always, name, separator, includes } = auth.scope
  const flagged = Object.values(auth.flags).flatMap(({ scope, parameters }) => [
    ...(scope ?? []),
    ...(parameters?.[name] ?? '').split(separator),
  ])
  return [...always, ...flagged].flatMap((scope) => [scope, ...(includes?.[scope] ?? [])])
}

function addressesOf(auth: Auth): string[] {
  if (auth.kind === 'oauth2') {
    const { authorizeUrl, tokenUrl, refreshUrl, revokeUrl, revokeToken, longToken, renew, verifyApp } = auth
    return [
      authorizeUrl,
      tokenUrl,
      refreshUrl,
      revokeUrl,
      revokeToken?.url,
      longToken?.url,
      renew?.url,
      verifyApp?.url,
    ].filter((url) => url !== undefined)
  }
  if (auth.kind !== 'oauth1') return []
  return [auth.requestTokenUrl, auth.authorizeUrl, auth.accessTokenUrl, auth.revokeUrl ?? auth.authorizeUrl]
}

function checkAddress(url: string): void {
  // Placeholders such as {key} are not valid in a URL.
  assert.equal(URL.parse(url.replace(/^\{\w+\}/, 'https://x').replaceAll(/\{\w+\}/g, 'x'))?.protocol, 'https:', url)
}
