import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { allByLink, allByUntil, get, revoke, send, signIn, sync, synced } from './client.js'

// One account with two services: the second sign-in has the token of the first.
const { access_token, account } = await signIn('demo-social')
const linked = await signIn('demo-micro', access_token)
assert.equal(linked.account, account)
console.log(
  'linked',
  Object.keys(await get('/profiles', { access_token }))
    .filter((name) => name !== 'id')
    .join(' '),
)
for (const service of ['demo-social', 'demo-micro']) await synced(service, access_token)

// All photos, in both ways.
const photos = await allByUntil('/types/photos', { access_token, limit: 7, map: true })
const linkedPages = await allByLink('/types/photos', { access_token, limit: 7 })
assert.deepEqual(
  photos.map(({ id }) => id),
  linkedPages.map(({ id }) => id),
)
console.log('photos', photos.length)

// The native id of a friend is the last part of the IDR.
const friends = await get('/services/demo-social/friends', { access_token, limit: 1000 })
const isFriend = new Set(friends.map(({ idr }) => decodeURIComponent(idr.split('#')[1])))
const friendIn = ({ map }) => Object.keys(map.participants ?? {}).find((id) => isFriend.has(id))
const photo = photos.find((one) => one.map.ll && friendIn(one))
const friend = friendIn(photo)
const near = await get('/types/photos', {
  access_token,
  near: photo.map.ll.join(','),
  within: 5,
  participants: `^self,${friend},>2`,
  fields: 'id,data.images.url,map.ll,map.nothing',
})
assert.ok(near.some(({ id }) => id === photo.id))
assert.ok(near.every((one) => one['map.ll'] !== null && one['map.nothing'] === null))
console.log('near', photo.map.ll.join(','), 'with', friend, near.length)

// One item at its three addresses.
const [, endpoint, nativeId] = /\/([^#]+)#(.+)/.exec(photo.idr)
for (const path of [
  `/id/${photo.id}`,
  `/id/${encodeURIComponent(photo.idr)}`,
  `/services/demo-social/${endpoint}/${nativeId}`,
])
  assert.deepEqual((await get(path, { access_token })).data, photo.data)
console.log('fetched', photo.idr)

// What is written at the service comes back with its next sync.
const status = `Written by the proxy ${photo.id.slice(0, 8)}`
const path = `/proxy/demo-micro/statuses?access_token=${access_token}`
const written = await (await send(path, { method: 'POST', form: { status } })).json()
await sync('demo-micro', access_token)
let found = []
while (found.length === 0) {
  await sleep(200)
  found = await get('/services/demo-micro/statuses', { access_token, q: `"${status}"` })
}
assert.equal(found[0].data.id_str, written.id_str)
console.log('read back', found[0].data.text)

// A sign-in without a token makes an account of its own, until it is merged.
const other = await signIn('demo-health')
assert.notEqual(other.account, account)
const profiles = await get('/auth/merge', { source: other.access_token, dest: access_token })
console.log(
  'merged',
  Object.keys(profiles)
    .filter((name) => name !== 'id')
    .join(' '),
)
const statusOf = (token) =>
  get('/profiles', { access_token: token }).then(
    () => 200,
    (error) => error.status,
  )
assert.equal(await statusOf(other.access_token), 401)
assert.equal((await get(`/id/${photo.id}`, { access_token })).id, photo.id)

// The second token goes on when the first is revoked.
await revoke(access_token)
console.log('revoked', await statusOf(access_token), 'the other', await statusOf(linked.access_token))
