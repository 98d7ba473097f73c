import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network-of.ts'

test('IPv4 counts by address, also when it is mapped; IPv6 by /64 network; other texts by themselves', () => {
  const cases = {
    '203.0.113.9': '203.0.113.9',
    '::ffff:203.0.113.9': '203.0.113.9',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:db8:1:2:ffff::1': '2001:db8:1:2::/64',
    '2001:0DB8:0001:0002::': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    unknown: 'unknown',
  }
  for (const [ip, network] of Object.entries(cases)) assert.equal(networkOf(ip), network, ip)
})
