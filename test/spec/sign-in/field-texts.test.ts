import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import { fieldText } from '#http/pages/field-text.ts'
import { LANGUAGES } from '#http/pages/languages/languages.ts'
import { typedFieldsOf } from '#kit/auth/auth.ts'

suite('what built-in connectors ask people for', () => {
  const fields = connectors.flatMap(({ ask, auth }) => [
    ...Object.values(ask ?? {}),
    ...Object.values(typedFieldsOf(auth) ?? {}),
  ])
  const texts = new Set(fields.flatMap(({ title, hint }) => (hint === undefined ? [title] : [title, hint])))

  test('is translated', () => {
    assert.ok(texts.size > 10)
    for (const language of LANGUAGES.filter((each) => each !== 'en'))
      for (const text of texts) assert.notEqual(fieldText(text, language), text, `${language}: ${text}`)
  })
})
