import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { contrastOf, readableColors, readColor } from './contrast.ts'

suite('contrast', () => {
  test('is that of WCAG', () => {
    assert.equal(contrastOf([0, 0, 0], [255, 255, 255]), 21)
    assert.equal(contrastOf([119, 119, 119], [255, 255, 255]).toFixed(2), '4.48')
  })

  test('a colour that is readable stays as it is', () => assert.equal(readableColors('#0b66c3').light, '#0b66c3'))

  test('every colour is readable as it is shown', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const { light, dark } = readableColors(`#${value.toString(16).padStart(6, '0')}`)
        for (const surface of ['#ffffff', '#f4f6f8'])
          assert.ok(contrastOf(readColor(light)!, readColor(surface)!) >= 4.5, `${light} on ${surface}`)
        for (const surface of ['#18212b', '#10171e'])
          assert.ok(contrastOf(readColor(dark)!, readColor(surface)!) >= 4.5, `${dark} on ${surface}`)
      }),
    )
  })

  test('anything else is not a colour', () => {
    for (const text of ['red', '#fff', '#12345g', 'url(x)', '#1234567', '']) assert.equal(readColor(text), undefined)
  })
})
