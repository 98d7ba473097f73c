import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contentLines, partsOf, unescaped } from './content-lines.ts'

suite('content lines', () => {
  test('are unfolded; parameters have lists, quotes and carets', () => {
    const [line] = contentLines('item1.ATTENDEE;CN="Doe; Ja\r\n ne:^n^\'x^\'",b;type=a:mailto:x@y.example\r\n')
    assert.equal(line?.name, 'ATTENDEE')
    assert.deepEqual({ ...line?.parameters }, { CN: ['Doe; Jane:\n"x"', 'b'], TYPE: ['a'] })
    assert.equal(line?.value, 'mailto:x@y.example')
  })

  test('whatever is not a line is left out', () => {
    assert.deepEqual(contentLines('\r\nno colon\n:no name\nA"B:x\n;P=1:v'), [])
    assert.equal(contentLines('A;__proto__=x:1')[0]?.value, '1')
  })

  test('escapes', () => {
    assert.equal(unescaped('a\\nb\\,c\\;d\\\\n'), 'a\nb,c;d\\n')
    assert.deepEqual(partsOf('a\\;b;c\\\\;;d', ';'), ['a;b', 'c\\', '', 'd'])
    assert.equal(unescaped('ends with \\'), 'ends with \\')
  })
})
