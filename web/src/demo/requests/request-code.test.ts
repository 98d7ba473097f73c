import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ownPath } from '../own-path.ts'
import type { SentRequest } from './recorder.ts'
import { codeOf, curlOf } from './request-code.ts'
import { getItem, listItems } from './sdk-calls.ts'

const ORIGIN = 'http://127.0.0.1:8080'
const request: SentRequest = {
  id: 1,
  method: 'GET',
  path: "/types/all?q=it's",
  headers: { authorization: 'Bearer token-1', accept: 'application/json' },
  body: undefined,
  code: 'await account.person()',
}

suite('a request as a command', () => {
  test('is quoted for the shell', () => {
    assert.equal(
      curlOf(request, ORIGIN),
      `curl -s 'http://127.0.0.1:8080/types/all?q=it'\\''s' \\\n  -H 'authorization: Bearer token-1' \\\n  -H 'accept: application/json' | jq`,
    )
  })

  test('a stream is not buffered, and a body is sent', () => {
    const text = curlOf({ ...request, method: 'POST', headers: { accept: 'text/event-stream' }, body: '{}' }, ORIGIN)
    assert.match(text, /^curl -N -X POST /)
    assert.match(text, / -d '\{\}'$/)
  })

  test('the program has the token of the request, and shows what it awaits', () => {
    const text = codeOf(request, 'app-1', ORIGIN)
    assert.match(text, /clientId: 'app-1'/)
    assert.match(text, /client\.account\('token-1'\)/)
    assert.match(text, /console\.log\(await account\.person\(\)\)$/)
  })
})

suite('the line of code of a call', () => {
  test('has the arguments of the call, without those that are missing', () => {
    assert.equal(
      listItems('photos', { limit: 40, q: undefined, near: '1,2' }).code,
      "await account.items('photos', { limit: 40, near: '1,2' }).first()",
    )
    assert.equal(listItems('all', {}).code, "await account.items('all').first()")
  })

  test('cannot be left by what a person typed', () => {
    assert.equal(getItem("a'b\\c\n").code, String.raw`await account.item('a\'b\\c\n', { map: true })`)
  })
})

suite('a picture', () => {
  test('is loaded from this server only, by its path', () => {
    assert.equal(
      ownPath('https://elsewhere.example/demo/services/demo-social/1.jpg?s=2'),
      '/demo/services/demo-social/1.jpg?s=2',
    )
    assert.equal(ownPath('https://elsewhere.example/pixel.gif'), undefined)
    assert.equal(ownPath('not an address'), undefined)
    assert.equal(ownPath(undefined), undefined)
  })
})
