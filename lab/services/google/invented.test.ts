import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Lab, startLab } from '../../lab.ts'
import { callback, tokensFor } from '../../testing/oauth2-client.ts'
import { SCOPES } from './login.ts'

/** The fields of Google's discovery documents (people v1, youtube v3). */
const KNOWN = {
  connections: ['connections', 'nextPageToken', 'nextSyncToken', 'totalItems', 'totalPeople'],
  otherContacts: ['otherContacts', 'nextPageToken', 'nextSyncToken', 'totalSize'],
  channels: [
    'country',
    'customUrl',
    'defaultLanguage',
    'description',
    'localized',
    'publishedAt',
    'thumbnails',
    'title',
  ],
  subscriptions: ['channelId', 'description', 'publishedAt', 'resourceId', 'thumbnails', 'title'],
}

let lab: Lab<'google'>
let token: string
before(async () => {
  lab = await startLab({ services: ['google'], maxActivity: 20 })
  const { google } = lab.services
  const scope = [SCOPES.contacts, SCOPES.otherContacts, SCOPES.youtube].join(' ')
  const flow = { service: google, ...google.register({ redirectUris: [callback] }) }
  token = (await tokensFor(flow, { scope })).access_token
})
after(() => lab.close())

async function get<Body>(path: string): Promise<Body> {
  const reply = await fetch(`${lab.services.google.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(reply.status, 200, path)
  return (await reply.json()) as Body
}
const invented = (kind: keyof typeof KNOWN, value: object) =>
  Object.keys(value).filter((field) => !KNOWN[kind].includes(field))

test('lists of people have no field that Google does not describe', async () => {
  const connections = await get<object>('/v1/people/me/connections?personFields=names')
  const others = await get<object>('/v1/otherContacts?readMask=names')
  assert.deepEqual([invented('connections', connections), invented('otherContacts', others)], [[], []])
  assert.ok('totalItems' in connections && 'totalSize' in others)
})

test('channels and subscriptions have no field that YouTube does not describe', async () => {
  for (const kind of ['channels', 'subscriptions'] as const) {
    const { items } = await get<{ items: { snippet: object }[] }>(`/youtube/v3/${kind}?part=snippet&mine=true`)
    assert.ok(items.length > 0)
    for (const { snippet } of items) assert.deepEqual(invented(kind, snippet), [], kind)
  }
})
