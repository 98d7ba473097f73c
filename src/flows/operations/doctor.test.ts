import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAddress, checkEgress } from './doctor.ts'

const said = (allowPrivate: string[], allowPrivateTyped: string[]) => checkEgress({ allowPrivate, allowPrivateTyped })

test('an address of this machine is doubtful where others reach the server', () => {
  const stateOf = (host: string, baseUrl: string) => checkAddress({ host, baseUrl }).state
  for (const host of ['127.0.0.1', '::1', 'localhost']) assert.equal(stateOf(host, 'http://localhost:8042'), 'ok', host)
  for (const host of ['0.0.0.0', '::', '192.0.2.7']) {
    for (const url of ['http://localhost:8042', 'http://127.0.0.1:8042', 'http://[::1]:8042'])
      assert.equal(stateOf(host, url), 'warn', `${host} ${url}`)
    assert.equal(stateOf(host, 'https://tributary.example.com'), 'ok')
  }
  assert.match(checkAddress({ host: '0.0.0.0', baseUrl: 'http://localhost:1' }).help!, /BASE_URL/)
})

test('a list for servers that people name is wide sooner than the one for operators and apps', () => {
  assert.deepEqual(said([], []), { name: 'egress', state: 'ok', detail: 'private networks are refused' })
  for (const network of ['10.0.0.0/8', '127.0.0.0/8', '10.1.2.0/24']) assert.equal(said([network], []).state, 'ok')
  for (const network of ['10.1.2.3/32', '10.1.2.0/24', 'fd00::1/128']) assert.equal(said([], [network]).state, 'ok')
  for (const network of ['0.0.0.0/0', '::/0', '10.0.0.0/8', 'fd00::/64', '127.0.0.1/32', '169.254.169.254/32']) {
    const { state, help } = said([], [network])
    assert.equal(state, 'warn', network)
    assert.match(help ?? '', /TRIBUTARY_ALLOW_PRIVATE_TYPED/)
  }
  assert.match(said(['0.0.0.0/0'], []).help ?? '', /in TRIBUTARY_ALLOW_PRIVATE\./)
  assert.match(
    said(['10.0.0.0/8'], ['10.1.2.3/32']).detail,
    /10\.0\.0\.0\/8; for servers that people name: 10\.1\.2\.3/,
  )
})
