import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type ComparedItem, CROSS_POST_MS, isCopyOf } from './copies.ts'
import { typeBits } from './types.ts'

const AT = Date.UTC(2026, 4, 6)

/** A status that the person themself wrote at X. */
const original: ComparedItem = {
  at: AT,
  id: '0a',
  guid: ['text:hello', 'page:x.com/ada/status/1'],
  types: typeBits(['statuses']),
  author: '1',
  service: 'x',
  owner: '1',
}
const HOUR_MS = 3_600_000
const later = (change: Partial<ComparedItem>): ComparedItem => ({ ...original, at: AT + HOUR_MS, id: '0b', ...change })
const mine = { service: 'mastodon', author: '7@m.test', owner: '7@m.test' }
const photo = { types: typeBits(['photos']) }
const feedPhoto = { types: typeBits(['photos_feed', 'statuses_feed']) }

const COPIES: [what: string, copy: ComparedItem, of?: Partial<ComparedItem>][] = [
  ['the same record in another stream', later({ at: AT, guid: ['page:x.com/ada/status/1'], types: 0 })],
  ['a repost by somebody else, years later', later({ at: AT * 2, author: '2', guid: ['page:x.com/ada/status/1'] })],
  ['the same picture, by somebody else', later({ author: '2', guid: ['file:a.test/1'] }), { guid: ['file:a.test/1'] }],
  [
    'the same picture, by somebody who says nothing',
    later({ author: '2', guid: ['file:a.test/1'] }),
    { guid: ['text:a', 'file:a.test/1'] },
  ],
  [
    'an id that an app gives',
    later({ service: 'self', author: 'acc', owner: 'acc', guid: ['g1'] }),
    { guid: ['g2', 'g1'] },
  ],
  ['the person’s own text at another service', later({ ...mine, guid: ['text:hello'] })],
  ['the person’s own text again', later({ guid: ['text:hello', 'page:x.com/ada/status/2'] })],
  ['a friend’s text again', later({ author: '2', owner: '1' }), { author: '2' }],
  ['a text a day later', later({ at: AT + CROSS_POST_MS, ...mine, guid: ['text:hello'] })],
  ['the caption of a picture at another service', later({ ...mine, ...photo, guid: ['text:hello'] }), photo],
  ['a text with and without a picture', later({ ...photo, guid: ['text:hello'] })],
  ['a post that links to the page', later({ ...mine, guid: ['text:new', 'link:x.com/ada/status/1'] })],
  [
    'a post that links to the record',
    later({ ...mine, guid: ['of:guid:i/#1', 'link:i.test/p/1'] }),
    { guid: ['guid:i/#1'] },
  ],
  [
    'a friend’s post that links to the friend’s page',
    later({ author: '2', guid: ['link:x.com/ada/status/1'] }),
    { author: '2' },
  ],
  ['a record with the same time and a later id', later({ at: AT })],
]
const OTHERS: [what: string, item: ComparedItem, of?: Partial<ComparedItem>][] = [
  ['itself', original],
  ['an earlier record', later({ at: AT - 1 })],
  ['a record with the same time and an earlier id', later({ at: AT, id: '09' })],
  [
    'posts of friends that share a link',
    later({ author: '2', guid: ['link:news.test/a'] }),
    { guid: ['link:news.test/a'] },
  ],
  ['posts of one person that share a link', later({ guid: ['link:news.test/a'] }), { guid: ['link:news.test/a'] }],
  ['“Happy birthday” of another friend', later({ author: '3', guid: ['text:hello'] }), { author: '2' }],
  ['a friend who says what the person said', later({ author: '2', guid: ['text:hello'] })],
  ['the same id of users of two services', later({ ...mine, author: '2', guid: ['text:hello'] }), { author: '2' }],
  ['nobody known who says the same', later({ author: null, guid: ['text:hello'] }), { author: null }],
  ['the same words a day and a moment later', later({ at: AT + CROSS_POST_MS + 1, guid: ['text:hello'] })],
  ['two pictures with one caption', later({ ...photo, guid: ['text:hello', 'file:a.test/2'] }), photo],
  [
    'two pictures of a friend with one caption',
    later({ ...feedPhoto, author: '2', guid: ['text:hello'] }),
    { ...feedPhoto, author: '2' },
  ],
  ['a friend who links to the person’s page', later({ author: '2', guid: ['link:x.com/ada/status/1'] })],
  [
    'the person, linking to a page of last week',
    later({ at: AT + 7 * CROSS_POST_MS, guid: ['link:x.com/ada/status/1'] }),
  ],
  [
    'the same picture with other words',
    later({ guid: ['text:b', 'file:a.test/1'] }),
    { guid: ['text:a', 'file:a.test/1'] },
  ],
  ['a list of links', later({ guid: ['link:x.com/ada/status/1', 'link:x.com/ada/status/0'] })],
  ['a list of pictures', later({ guid: ['of:guid:i/#1', 'of:guid:i/#2'] }), { guid: ['guid:i/#1'] }],
  ['a page that is linked from an earlier post', later({ guid: ['page:a.test/1'] }), { guid: ['link:a.test/1'] }],
  [
    'hashes of an earlier release',
    later({ guid: ['guid:ada@x/#0123456789abcdef0123456789abcdef'] }),
    { guid: ['guid:ada@x/#0123456789abcdef0123456789abcdef'] },
  ],
  ['nothing', later({ guid: [] }), { guid: [] }],
]

suite('copies', () => {
  for (const [what, copy, of] of COPIES)
    test(`are: ${what}`, () => {
      assert.ok(isCopyOf(copy, { ...original, ...of }))
      assert.ok(!isCopyOf({ ...original, ...of }, copy), 'the earlier one is the original')
    })
  for (const [what, item, of] of OTHERS)
    test(`are not: ${what}`, () => assert.ok(!isCopyOf(item, { ...original, ...of })))
})
