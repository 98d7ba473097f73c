import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import type { Connection } from '#destinations/contract.ts'
import type { PutRow } from '#model/apps/destination.ts'
import { sampled } from '../../../harness/effort.ts'
import { makePerson } from './changes.ts'
import { allowed } from './files-fixture.ts'
import { type Arrived, deps, type Fixture, openTarget, type Target } from './fixture.ts'
import { FIXTURES } from './fixtures.ts'

// Records that are known to cause trouble when they are loaded into databases, for every kind.

const DEEP = 60
const deep = `${'{"a":['.repeat(DEEP)}1${']}'.repeat(DEEP)}`

/** Documents that must keep their meaning. */
const DOCUMENTS: [name: string, data: string][] = [
  ['no fields at all', '{}'],
  ['camel case, nested', '{"userId":1,"camelCase":{"innerField":{"DeepField":"x"},"innerField2":null},"CamelCase":2}'],
  ['arrays', '{"list":["a",["b",{"c":[]}],null,true],"empty":[]}'],
  [
    'special characters in names',
    String.raw`{"":1,"a b":2,"a.b":3,"$set":4,"quo\"te":5,"back\\slash":6,"new\nline":7,"ünï—☃":8,"__proto__":9,"'; drop table x; --":10}`,
  ],
  [
    'special characters in values',
    String.raw`{"q":"'\"\\;--%_?:$1\n\r\t\b\f\u0001\u007f\u2028\u0085","cjk":"漢字かな","rtl":"שלום","zwj":"👩‍👩‍👧‍👦","flag":"🇩🇪","astral":"𝄞"}`,
  ],
  ['escaped pairs', String.raw`{"emoji":"\ud83d\ude00","slash":"\/","path":"C:\\u0041\\ud800"}`],
  ['booleans and nulls', '{"t":true,"f":false,"n":null}'],
  ['the same field twice in different case', '{"name":1,"NAME":2,"Name":3}'],
]

/** Numbers that must keep all digits. */
const NUMBERS = [
  '9007199254740993',
  '-9223372036854775808',
  '18446744073709551615',
  '123456789012345678901234567890',
  '0.1234567890123456789',
]

const databases = FIXTURES.filter(({ name }) => ['postgres', 'mysql', 'files in a folder'].includes(name))
for (const fixture of sampled(databases, FIXTURES))
  suite(`records into ${fixture.name}`, { skip: fixture.skip }, () => records(fixture))

after(async () => {
  rmSync(allowed, { recursive: true, force: true })
  await deps.close()
})

function records(fixture: Fixture): void {
  let target: Target
  let connection: Connection
  let destinationId: string

  before(async () => {
    target = await fixture.open()
    const opened = openTarget(fixture, target, allowed)
    connection = opened.connection
    destinationId = opened.destination.id
    await connection.prepare()
  })
  after(async () => {
    await connection?.close()
    await target?.close()
  })

  async function through(...versions: Partial<PutRow>[]): Promise<Arrived> {
    const ada = makePerson(destinationId)
    for (const [index, change] of versions.entries())
      await connection.write(ada.batch([ada.put('item', index + 1, change)], { from: index }))
    const found = (await target.read()).filter(({ profile }) => profile === ada.profile.id)
    assert.equal(found.length, 1)
    return found[0]!
  }

  for (const [name, data] of DOCUMENTS) {
    test(name, async () => {
      const found = await through({ data })
      assert.deepEqual(JSON.parse(found.data!), JSON.parse(data))
    })
  }

  test('numbers of any length keep all digits', async () => {
    const found = await through({ data: `{"n":[${NUMBERS.join(',')}]}` })
    for (const number of NUMBERS) assert.ok(found.data!.includes(number), `${number} in ${found.data!}`)
  })

  test('native ids of any form', async () => {
    for (const nativeId of ['9007199254740993', 'a/b#c?d', 'Ä ö', "x'y", '👍', 'a'.repeat(2000)]) {
      const found = await through({ nativeId })
      assert.equal(found.nativeId, nativeId)
    }
  })

  test('optional fields that are absent or removed later', async () => {
    const bare = {
      author: undefined,
      participants: [],
      guid: [],
      lat: undefined,
      lng: undefined,
      oembed: '{}',
      map: '{}',
      types: [],
    }
    assert.deepEqual((await through(bare)).participants, [])
    assert.deepEqual((await through({}, bare)).participants, [])
    assert.deepEqual((await through(bare, {})).participants, ['ada@demo', 'bob@demo'])
  })

  test('a field that changes its type, is removed and returns', async () => {
    const shapes = ['{"v":"text"}', '{"v":{"x":1},"more":true}', '{"v":[1]}', '{"w":null}']
    const found = await through(...shapes.map((data) => ({ data })))
    assert.deepEqual(JSON.parse(found.data!), { w: null })
  })

  test('the same record twice, also in one batch', async () => {
    const ada = makePerson(destinationId)
    const rows = [ada.put('a', 1), ada.put('a', 1), ada.put('a', 2, { data: '{"last":true}' })]
    await connection.write(ada.batch(rows))
    const found = (await target.read()).filter(({ profile }) => profile === ada.profile.id)
    assert.deepEqual(
      found.map(({ seq, data }) => [seq, JSON.parse(data!) as unknown]),
      [[2, { last: true }]],
    )
  })

  test('a record that changes its key', async () => {
    const ada = makePerson(destinationId)
    await connection.write(ada.batch([ada.put('old', 1, { nativeId: 'moved' })]))
    await connection.write(ada.batch([ada.delete('old', 2), ada.put('new', 3, { nativeId: 'moved' })], { from: 1 }))
    const found = (await target.read()).filter(({ profile, isDeleted }) => profile === ada.profile.id && !isDeleted)
    assert.deepEqual(
      found.map(({ id }) => id),
      [ada.idOf('new')],
    )
  })

  test('very long texts', async () => {
    // NATS accepts at most a megabyte.
    const long = 'lång 🐙 '.repeat(fixture.kind === 'nats' ? 50_000 : 400_000)
    const found = await through({ data: JSON.stringify({ long }) })
    assert.equal((JSON.parse(found.data!) as { long: string }).long, long)
  })

  test('deep documents', async () => {
    assert.deepEqual(JSON.parse((await through({ data: deep })).data!), JSON.parse(deep))
  })

  test('NUL and lone surrogates, which no database accepts', async () => {
    const found = await through({
      data: String.raw`{"nul":"a\u0000b","half":"c\ud800d","other":"e\udc00f"}`,
      author: 'a\0b',
      participants: ['a\0b'],
    })
    const read = JSON.parse(found.data!) as Record<string, string>
    for (const text of Object.values(read)) assert.match(text, /^[ace](\0|\ufffd|\ud800|\udc00)[bdf]$/)
  })

  test('times before 1970 and in the far future', async () => {
    const found = await through({ at: -2_000_000_000_000, updatedAt: 4_102_444_800_000 })
    assert.equal(found.seq, 1)
  })

  test('hundreds of rows in one batch', async () => {
    const ada = makePerson(destinationId)
    const rows = Array.from({ length: 500 }, (_, i) => ada.put(`n${i}`, i + 1))
    await connection.write(ada.batch(rows))
    const found = (await target.read()).filter(({ profile }) => profile === ada.profile.id)
    assert.equal(found.length, 500)
    if (target.order !== undefined) {
      const ours = new Set(rows.map(({ id, seq }) => `${id}@${seq}`))
      assert.deepEqual(
        (await target.order()).filter((each) => ours.has(each)),
        [...ours],
      )
    }
  })
}
