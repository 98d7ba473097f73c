import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endpointOf, figuresOf, kindOf, measureOf, serviceOf, textOf, titleOf } from './item-words.ts'

const run = { id: '1', name: 'Run', at: 1 }

suite('an item in words', () => {
  test('its title is one line and not endless', () => {
    assert.equal(titleOf({ oembed: { type: 'text', text: '\n  \nfirst\nsecond' } }), 'first')
    assert.equal(titleOf({ oembed: { type: 'text', title: 'a'.repeat(91) } }), `${'a'.repeat(88)}…`)
    assert.equal(titleOf({ oembed: { type: 'photo' } }), 'Photo')
    assert.equal(titleOf({}), 'Item')
  })

  test('its text is shown only where it is more than the title', () => {
    assert.equal(textOf({ oembed: { type: 'text', title: 'a', text: 'a' } }), undefined)
    assert.equal(textOf({ oembed: { type: 'text', title: 'a', description: 'b' } }), 'b')
  })

  test('where it is from is in its readable id', () => {
    assert.equal(serviceOf({ idr: 'post:1@demo-social/posts#2' }), 'demo-social')
    assert.equal(endpointOf({ idr: 'post:1@demo-social/posts#2' }), 'posts')
    assert.equal(serviceOf({ idr: '' }), '')
  })

  test('figures of an activity are those that it has', () => {
    assert.equal(
      figuresOf({ map: { ...run, meters: 5230, seconds: 1800, heart_rate: 141.6 } }),
      '5.2 km · 30 min · 142 bpm',
    )
    assert.equal(figuresOf({ map: { ...run, meters: 0 } }), undefined)
    assert.equal(figuresOf({ map: { ...run, meters: null, seconds: null } }), undefined)
    assert.equal(figuresOf({}), undefined)
  })

  test('seconds of sleep are hours and minutes', () => {
    assert.equal(measureOf({ oembed: { type: 'measure', description: '27000 s' } }), '7 h 30 min')
    assert.equal(measureOf({ oembed: { type: 'measure', description: '8000 count' } }), '8000')
    assert.equal(kindOf({ oembed: { type: 'measure' } }), 'Measure')
    assert.equal(kindOf({}), 'Item')
  })
})
