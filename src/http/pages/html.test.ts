import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { Html, html } from './html.ts'
import { PAGE_POLICY, page } from './layout.ts'

suite('pages', () => {
  test('escape everything that is not HTML already', () => {
    const evil = `<script>alert("1")</script>'&`
    assert.equal(html`<p title="${evil}">${evil}</p>`.text.includes('<script'), false)
    assert.equal(html`${evil}`.text, '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;')
    assert.equal(html`${html`<b>${'<'}</b>`}${new Html('<i>')}`.text, '<b>&lt;</b><i>')
  })

  test('take lists, numbers and nothing', () => {
    assert.equal(html`${[html`<a>`, '<', [1, 2]]}|${undefined}|${false}|${0}|${''}`.text, '<a>&lt;12|||0|')
  })

  test('escape their title', () =>
    assert.match(page('</title><script>', html``), /<title>&lt;\/title&gt;&lt;script&gt;</))

  test('allow their own style and no script', () => {
    const style = /<style>([\s\S]*)<\/style>/.exec(page('x', html``))?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    assert.ok(PAGE_POLICY.includes(`'sha256-${hash}'`), 'the policy names the style that is there')
    assert.match(PAGE_POLICY, /default-src 'none'/)
    assert.doesNotMatch(PAGE_POLICY, /unsafe|script-src/)
  })
})
