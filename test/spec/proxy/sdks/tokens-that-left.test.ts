import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoggedRequest } from '../../../../lab/base/request-log.ts'
import { tokensThatLeft } from './tokens-that-left.ts'

const TOKEN = 'trt_0a1b2c3d4e5f6g7h8j9k'
const request = (given: Partial<LoggedRequest>): LoggedRequest => ({
  at: 0,
  method: 'POST',
  target: '/upload?name=a%20b',
  path: '/upload',
  query: [],
  headers: {},
  rawHeaders: [['Authorization', 'Bearer of-the-service']],
  body: '{"title":"strt_eam"}',
  ...given,
})
const left = (given: Partial<LoggedRequest>) => tokensThatLeft([request(given)], [TOKEN]).length

test('what is not ours may leave', () => assert.equal(left({}), 0))

test('a token is found wherever a request has it', () => {
  const basic = (text: string) => Buffer.from(text).toString('base64')
  for (const given of [
    { target: `/x?key=${TOKEN}` },
    { target: `/x?key=${TOKEN.replace('_', '%5F')}` },
    { rawHeaders: [['X-Api-Key', TOKEN]] as const },
    ...['', 'a:', 'ab:', 'abc:'].map((user) => ({
      rawHeaders: [['Authorization', `Basic ${basic(`${user}${TOKEN}:x`)}`]] as const,
    })),
    { body: `--boundary\r\n\r\n\u0000\uFFFD${TOKEN}` },
    { body: 'code=trc_0123456789abcdef' },
    { body: JSON.stringify({ raw: basic(`Auth: ${TOKEN}`) }) },
  ])
    assert.ok(left({ ...given, rawHeaders: [...(given.rawHeaders ?? [])] }) > 0, JSON.stringify(given))
})
