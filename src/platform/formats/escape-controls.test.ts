import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeControls, escapeForTerminal } from './escape-controls.ts'

test('controls become visible, C1 too; other characters stay', () => {
  assert.equal(escapeControls('a\nb\u001b[31m\u009b\u007fé😀'), String.raw`a\nb\u001b[31m\u009b\u007fé😀`)
})

test('for a terminal, lines and our own styles stay, and nothing else', () => {
  assert.equal(
    escapeForTerminal('\u001b[1mbold\u001b[0m\n\tx\r\u001b[31mred\u001b]0;title\u0007'),
    `\u001b[1mbold\u001b[0m\n\tx${String.raw`\r\u001b[31mred\u001b]0;title\u0007`}`,
  )
})

test('what looks like the end of a style stays text', () => {
  assert.equal(escapeForTerminal('\n[1m\r[0m\u001b\u001b[2m'), String.raw`${'\n'}[1m\r[0m\u001b${'\u001b'}[2m`)
})
