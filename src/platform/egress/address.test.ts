import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createAddressPolicy, isGlobalUnicast } from './address.ts'

test('public addresses are allowed', () => {
  for (const address of [
    '93.184.216.34',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '2001:4860:4860::8888',
  ]) {
    assert.equal(isGlobalUnicast(address), true, address)
  }
})

test('the edges of every special range are refused and their neighbours are not', () => {
  const refused = [
    '0.255.255.255',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.255.255.255',
    '169.254.0.0',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.255.255',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.7',
    '239.255.255.255',
    '168.63.129.16',
    '2001:1ff:ffff::1',
    '2002:ffff::1',
    '3fff:fff::1',
    '4000::1',
    '1fff::1',
  ]
  const allowed = [
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.17',
    '2001:200::1',
    '2003::1',
    '3fff:1000::1',
  ]
  for (const address of refused) assert.equal(isGlobalUnicast(address), false, address)
  for (const address of allowed) assert.equal(isGlobalUnicast(address), true, address)
})

test('what is not exactly one address is refused', () => {
  for (const text of [
    '',
    'localhost',
    '2606:4700::1111%eth0',
    '1.1.1.1 ',
    '01.1.1.1',
    '1.1.1',
    '[2606:4700::1111]',
    '1.1.1.1/32',
    '0x1.1.1.1',
  ]) {
    assert.equal(isGlobalUnicast(text), false, text)
    assert.equal(createAddressPolicy(['0.0.0.0/0', '::/0']).allows(text), false, text)
  }
})

test('no IPv6 spelling of an IPv4 address is allowed', () => {
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'),
      (address, prefix) => {
        assert.equal(isGlobalUnicast(prefix + address), false)
      },
    ),
  )
})

test('the operator opens exactly the ranges that are listed', () => {
  const policy = createAddressPolicy(['127.0.0.0/8', ' 10.1.2.3 ', 'fd00::/8'])
  for (const address of ['127.0.0.1', '127.255.0.1', '10.1.2.3', 'fd12::1', '1.1.1.1'])
    assert.equal(policy.allows(address), true, address)
  for (const address of ['10.1.2.4', '192.168.0.1', '::1', 'fe80::1'])
    assert.equal(policy.allows(address), false, address)
  assert.equal(policy.listed('127.0.0.1'), true)
  assert.equal(policy.listed('1.1.1.1'), false)
})

test('an opened IPv4 range does not open its IPv6 spellings, nor the other way round', () => {
  const ipv4 = createAddressPolicy(['127.0.0.0/8'])
  for (const address of ['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1'])
    assert.equal(ipv4.allows(address), false, address)
  assert.equal(createAddressPolicy(['::ffff:0:0/96']).allows('127.0.0.1'), false)
})

test('a range that cannot be read stops the start instead of being skipped', () => {
  for (const range of [
    '',
    'localhost',
    '127.0.0.1/33',
    '10.0.0.0/',
    'fd00::/129',
    '127.0.0/8',
    '10.0.0.0/8,127.0.0.0/8',
  ]) {
    assert.throws(() => createAddressPolicy([range]), RangeError, range)
  }
})
