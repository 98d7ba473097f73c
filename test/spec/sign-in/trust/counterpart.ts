// What a server has to answer so that a connector of any kind signs in at it: derived from the connector's own description.

import type { Connector } from '#kit/connector/connector.ts'
import { newSecret, type World } from './secrets.ts'

/** A person of a world. Where people have servers, a DID, because their public record names the server. */
export function personIn(world: World, { auth }: Connector): string {
  const name = world.toLowerCase()
  return auth.kind === 'oauth2' && auth.home !== undefined ? `did:plc:${name.padEnd(24, 'a')}` : `U0${name}`
}

/** One record that has the id wherever services put it. */
function recordOf(id: string): Record<string, unknown> {
  const ids = Object.fromEntries(
    ['id', 'id_str', 'did', 'sub', 'uuid', 'userid', 'user_id', 'account_id', 'team_id'].map((name) => [name, id]),
  )
  return { ...ids, name: 'Ada', handle: 'ada.test', username: 'ada', acct: 'ada', login: 'ada', slug: 'ada' }
}

/** The shapes in which services return it. */
function shapesOf(id: string): Record<string, unknown>[] {
  const person = { ...recordOf(id), blogs: [{ ...recordOf(id), primary: true }] }
  const wrapped = { ...person, user: person, response: { user: person } }
  return [person, { ...wrapped, data: person }, { ...wrapped, data: [person] }]
}

/** The person's record in a shape that the connector reads. */
export function selfRecord(connector: Connector, id: string): Record<string, unknown> {
  const { self } = connector
  if (self.from !== 'call' || self.parse !== 'json') return {}
  const found = shapesOf(id).find((shape) => {
    try {
      return self.read(shape).id.includes(id)
    } catch {
      return false
    }
  })
  return found ?? recordOf(id)
}

/** A token response as the connector expects it. The token has expired, so that each call refreshes it first. */
export function tokenResponse(connector: Connector, world: World, id: string): Record<string, unknown> {
  const { auth, service } = connector
  const [token, refresh] = [newSecret(world, service, 'tok'), newSecret(world, service, 'refresh')]
  if (auth.kind === 'typed') return { data: { token, ttl: 1, refresh } }
  if (auth.kind !== 'oauth2') return {}
  const fields: Record<string, unknown> = {
    [auth.names.access_token ?? 'access_token']: token,
    [auth.names.refresh_token ?? 'refresh_token']: refresh,
    token_type: auth.dpop ? 'DPoP' : 'Bearer',
    expires_in: 1,
    [auth.subject]: id,
    nonce: 'once',
    ...(auth.errorField === undefined || auth.tokenPath.length > 0 ? {} : { [auth.errorField]: 0 }),
  }
  const nested = auth.tokenPath.reduceRight<Record<string, unknown>>((inner, name) => ({ [name]: inner }), fields)
  return auth.tokenPath.length === 0 ? nested : { ...nested, [auth.errorField ?? 'error']: 0 }
}

/** The documents in which a server names its addresses; `at` is the address of each, which need not be its own. */
export function metadataOf(issuer: string, at: { own: string; page: string; pushed: string }): Record<string, unknown> {
  return {
    issuer,
    resource: issuer,
    authorization_servers: [at.own],
    authorization_endpoint: `${at.page}/authorize`,
    token_endpoint: `${at.own}/token`,
    revocation_endpoint: `${at.own}/revoke`,
    registration_endpoint: `${at.own}/register`,
    pushed_authorization_request_endpoint: `${at.pushed}/par`,
    authorization_response_iss_parameter_supported: true,
    authentication: { 'application-passwords': { endpoints: { authorization: `${at.own}/authorize-application` } } },
  }
}

/** An empty page of a list whose next page is at `next`, in all the ways in which services name it. */
export function listWithNext({ endpoints }: Connector, next: string): unknown {
  const takesArray = Object.values(endpoints).some(({ items }) => {
    try {
      return Array.isArray(items([] as never, {} as never))
    } catch {
      return false
    }
  })
  if (takesArray) return []
  const links = { next, _links: { next: { href: next } }, links: { next }, paging: { next, cursors: { after: 'x' } } }
  return { ...links, data: [], items: [], entries: [], response: { ...links, blogs: [], posts: [] } }
}

/** A WebDAV answer that is a principal, a home and a collection in one; `home` may be at another server. */
export function multistatus(home: string, further: string): string {
  const props = `<d:current-user-principal><d:href>/principals/ada/</d:href></d:current-user-principal>
    <d:owner><d:href>/principals/ada/</d:href></d:owner><d:displayname>Ada</d:displayname><d:sync-token>1</d:sync-token>
    <d:resourcetype><d:collection/><cal:calendar/><card:addressbook/></d:resourcetype>
    <cal:calendar-home-set><d:href>${home}</d:href></cal:calendar-home-set>
    <card:addressbook-home-set><d:href>${home}</d:href></card:addressbook-home-set>`
  const response = (href: string) =>
    `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`
  return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav"
    xmlns:card="urn:ietf:params:xml:ns:carddav">${response('/home/')}${response(further)}</d:multistatus>`
}

/** A public source that the connector reads: plain text, or a feed whose next page is elsewhere. */
export function sourceText({ self }: Connector, next: string): string {
  try {
    if (self.read('News').name === 'News') return 'News'
  } catch {
    // It reads feeds.
  }
  return `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>urn:news</id>
    <link rel="next" href="${next}"/><entry><id>1</id><title>One</title><link href="${next}/1"/></entry></feed>`
}
