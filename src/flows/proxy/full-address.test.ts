import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullAddressIn, limitedPath } from './full-address.ts'

test('a whole address is known in all its forms, and nothing else is one', () => {
  for (const [path, expected] of [
    ['/https://a.example/x', 'https://a.example/x'],
    ['/HTTPS:/a.example/x', 'HTTPS://a.example/x'],
    ['/http:a.example', 'http://a.example'],
    ['/http:\\\\a.example/x', 'http://a.example/x'],
    ['//a.example/x', 'https://a.example/x'],
    ['///a.example', 'https://a.example'],
    ['/\\a.example:80/x', 'https://a.example:80/x'],
    ['//u:p@a.example/x', 'https://u:p@a.example/x'],
    ['//[::1]:80/x', 'https://[::1]:80/x'],
    ['//127.0.0.1/x', 'https://127.0.0.1/x'],
    ['//localhost:8042/x', 'https://localhost:8042/x'],
    ['/ftp://a.example', 'ftp://a.example'],
  ] as const)
    assert.equal(fullAddressIn(path), expected, path)
  for (const path of [
    '',
    '/',
    '//',
    '//users',
    '//users/a.b',
    '/a.example/x',
    '/x//a.example',
    '/urn:a:b',
    '/at:x',
    '//.',
    '//..',
  ])
    assert.equal(fullAddressIn(path), undefined, path)
})

test('a whole address counts in the limits like the path that it has there', () => {
  const baseUrl = 'https://api.service.example/2'
  for (const [path, expected] of [
    ['/files/list', '/files/list'],
    ['/https://api.service.example/2/files/list', '/files/list'],
    ['/https:/api.service.example/2/files/list', '/files/list'],
    ['/https://api.service.example/20/files', '/20/files'],
    ['/https://people.service.example/v1/people', '/v1/people'],
    ['/https://[', '/https://['],
  ] as const)
    assert.equal(limitedPath(path, baseUrl), expected, path)
})
