import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isLocalCaller } from './local-caller.ts'

const BASE_URL = 'https://tributary.test'

suite('a caller on this machine', () => {
  test('comes by loopback, under our name or a loopback name', () => {
    for (const ip of ['127.0.0.1', '127.9.9.9', '::1'])
      for (const host of [
        'tributary.test',
        'TRIBUTARY.test:8042',
        'localhost',
        'localhost:1',
        '127.0.0.1:8042',
        '[::1]:80',
      ])
        assert.equal(isLocalCaller(ip, { host }, BASE_URL), true, `${ip} ${host}`)
  })

  test('is nobody from elsewhere, whatever the name', () => {
    for (const ip of ['10.0.0.1', '203.0.113.7', '::ffff:127.0.0.1', 'fe80::1', ''])
      assert.equal(isLocalCaller(ip, { host: 'localhost' }, BASE_URL), false, ip)
  })

  test('is nobody under another name', () => {
    for (const host of [
      'evil.test',
      'evil.tributary.test',
      'localhost.evil.test',
      '0.0.0.0',
      'a@localhost@b',
      '',
      'a b',
    ])
      assert.equal(isLocalCaller('127.0.0.1', { host }, BASE_URL), false, host)
    assert.equal(isLocalCaller('127.0.0.1', {}, BASE_URL), false)
  })

  test('is nobody behind a proxy', () => {
    for (const name of ['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-x'])
      assert.equal(isLocalCaller('127.0.0.1', { host: 'localhost', [name]: 'x' }, BASE_URL), false, name)
  })
})
