import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { changedSettings } from './changed-settings.ts'
import { filterIn } from './filter-lines.ts'
import { type Option, optionsIn, textsOf } from './option-texts.ts'
import { added, type Verified } from './verified.ts'
import { setPlace, textsInAddress } from './wizard-address.ts'

const option = (name: string, type: Option['type']): Option => ({ name, type, description: '' })
const OFFERED = [option('schema', 'text'), option('tls', 'flag'), option('headers', 'json')]

suite('options of a destination in a form', () => {
  test('are typed as the API takes them, and unset if empty', () => {
    const texts = { schema: ' public ', tls: 'false', headers: '{"a":1}', unknown: 'x' }
    assert.deepEqual(optionsIn(OFFERED, texts), { schema: 'public', tls: false, headers: { a: 1 } })
    assert.deepEqual(optionsIn(OFFERED, { schema: ' ' }), {})
  })

  test('JSON that cannot be read is sent as it is, so that it is refused by name', () => {
    assert.deepEqual(optionsIn(OFFERED, { headers: '{a' }), { headers: '{a' })
  })

  test('what is stored is shown, and sent back unchanged', () => {
    const stored = { schema: 'public', tls: true, headers: { a: ['b'] } }
    assert.deepEqual(optionsIn(OFFERED, textsOf(stored)), stored)
  })

  test('are in the address of a new destination below names of their own', () => {
    assert.deepEqual(textsInAddress({ kind: 'postgres', 'option.schema': 'public' }), { schema: 'public' })
    assert.deepEqual(setPlace(OFFERED, 'schema', 'x'), { 'option.schema': 'x' })
    assert.deepEqual(setPlace(OFFERED, 'database', 'x'), { place: 'x' })
  })
})

suite('what a form changes of a destination', () => {
  const destination = { name: 'Lake', filter: ['/types/photos', '*'], schedule: 'on_change', options: { tls: true } }
  const form = { name: 'Lake', url: '', filter: '/types/photos\n*', schedule: 'on_change', texts: { tls: 'true' } }

  test('nothing, as long as nothing differs: a filter that is sent delivers everything again', () => {
    assert.deepEqual(changedSettings(destination, OFFERED, form), {})
    assert.deepEqual(changedSettings(destination, OFFERED, { ...form, filter: ' /types/photos \n\n*\n' }), {})
  })

  test('each field by itself', () => {
    assert.deepEqual(changedSettings(destination, OFFERED, { ...form, url: 'https://a.example' }), {
      url: 'https://a.example',
    })
    assert.deepEqual(changedSettings(destination, OFFERED, { ...form, filter: '' }), { filter: ['*'] })
    assert.deepEqual(changedSettings(destination, OFFERED, { ...form, texts: {} }), { options: {} })
    assert.deepEqual(changedSettings(destination, OFFERED, { ...form, name: 'Sea', schedule: 'manual' }), {
      name: 'Sea',
      schedule: 'manual',
    })
  })

  test('an empty filter is everything', () => {
    assert.deepEqual(filterIn(' \n'), ['*'])
  })
})

suite('a comparison in several requests', () => {
  test('is their sum, and goes on where the last one ended', () => {
    const part = (rows: number, next?: string): Verified => ({
      profiles: 1,
      rows,
      missing: 1,
      different: 0,
      extra: 2,
      repaired: 0,
      ...(next === undefined ? {} : { next }),
    })
    const half = added(part(10, 'a'), part(5, 'b'))
    assert.deepEqual(half, { ...part(15, 'b'), profiles: 2, missing: 2, extra: 4 })
    assert.equal(added(half, part(1)).next, undefined)
  })
})
