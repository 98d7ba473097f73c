import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { formatProfile } from '../items/idr.ts'
import { isNamed, parseProfileName, profileName, type ServiceNames } from './profile-name.ts'

/** One service with an alias; what nobody knows is found by no name. */
const services: ServiceNames = {
  find: (name) => (name === 'x' || name === 'twitter' ? { service: 'x' } : undefined),
}
const read = (text: string) => parseProfileName(services, text)

const service = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).filter((name) => name !== 'twitter')
/** Every code unit, also halves of characters, and all that has a meaning in a name or an address. */
const nativeId = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.string({
    unit: fc.constantFrom('@', '%', '4', '0', '/', '?', '#', ' ', '+', '\ud800', '\udc00', 'é'),
    minLength: 1,
  }),
)

suite('names of profiles', () => {
  test('are the encoded native id, an at sign, the service', () => {
    assert.equal(profileName({ nativeId: '42', service: 'github' }), '42@github')
    assert.equal(profileName({ nativeId: '123@N01', service: 'flickr' }), '123%40N01@flickr')
    assert.equal(
      profileName({ nativeId: 'did:plc:x/é ü', service: 'bluesky' }),
      'did%3Aplc%3Ax%2F%C3%A9%20%C3%BC@bluesky',
    )
  })

  test('are read back, whatever is in the id; half a character is read as its replacement', () => {
    fc.assert(
      fc.property(nativeId, service, (id, at) => {
        const written = profileName({ nativeId: id, service: at })
        assert.deepEqual(read(written), { service: at, nativeId: id.toWellFormed() })
        assert.ok(isNamed(read(written)!, { service: at, nativeId: id }))
        assert.equal(profileName({ nativeId: read(written)!.nativeId!, service: at }), written)
      }),
    )
  })

  test('are read back when the whole name was encoded once more', () => {
    fc.assert(
      fc.property(nativeId, service, (id, at) => {
        const written = profileName({ nativeId: id, service: at })
        assert.deepEqual(read(encodeURIComponent(written)), read(written))
      }),
    )
  })

  test('are written the same way in an IDR, so that the partition of an id is that of the profile', () => {
    fc.assert(
      fc.property(nativeId, service, (id, at) => {
        assert.equal(formatProfile({ owner: id, service: at }), profileName({ nativeId: id, service: at }))
      }),
    )
  })

  test('mean the profile they were written for, and no other', () => {
    fc.assert(
      fc.property(nativeId, nativeId, service, service, (id, otherId, at, otherAt) => {
        const name = read(profileName({ nativeId: id, service: at }))!
        const isSame = at === otherAt && id.toWellFormed() === otherId.toWellFormed()
        assert.equal(isNamed(name, { service: otherAt, nativeId: otherId }), isSame)
        assert.equal(isNamed(read(at)!, { service: otherAt, nativeId: otherId }), at === otherAt)
      }),
    )
  })

  test('take an alias for its service, alone and after an id', () => {
    assert.deepEqual(read('twitter'), { service: 'x', nativeId: undefined })
    assert.deepEqual(read('42@twitter'), { service: 'x', nativeId: '42' })
    assert.deepEqual(read('42%40twitter'), { service: 'x', nativeId: '42' })
    assert.deepEqual(read('twitter@x'), { service: 'x', nativeId: 'twitter' })
    assert.deepEqual(read('gone'), { service: 'gone', nativeId: undefined }, 'a service whose connector is gone')
  })

  test('are split at the last at sign; without one they are a service', () => {
    assert.deepEqual(read('github'), { service: 'github', nativeId: undefined })
    assert.deepEqual(read('a@b@c'), { service: 'c', nativeId: 'a@b' })
  })

  test('have an id and a service that are not empty, and properly encoded', () => {
    for (const text of ['', '@', '@c', 'c@', '%zz@c', '%40c', 'c%40', '%', '%zz', '%ff@c'])
      assert.equal(read(text), undefined, text)
  })
})
