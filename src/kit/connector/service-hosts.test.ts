import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { oauth2 } from '../auth/auth.ts'
import { self } from '../auth/self.ts'
import { type Api, defineConnector } from './connector.ts'
import { definitionFaults } from './connector-faults.ts'
import { isAtHost } from './service-hosts.ts'

const faultsOf = (api: Partial<Record<keyof Api, unknown>>) => {
  const connector = defineConnector({
    service: 'example',
    title: 'Example',
    docs: 'https://example.com/',
    auth: oauth2({ authorizeUrl: 'https://a.example/a', tokenUrl: 'https://a.example/t' }),
    api: { baseUrl: 'https://api.service.example/v1' },
    self: self<{ id: string }>('/me', ({ id }) => ({ id })),
  })
  return definitionFaults({ ...connector, api: { ...connector.api, ...api } }).map(({ field }) => field)
}

suite('a wildcard', () => {
  const wildcard = 'https://*.service.example'
  for (const address of [
    'https://a.service.example/x',
    'https://A.SERVICE.example',
    'https://a-1.service.example:443/',
  ])
    test(`has ${address}`, () => assert.ok(isAtHost(wildcard, new URL(address))))
  for (const address of [
    'http://a.service.example',
    'https://a.service.example:8443',
    'https://service.example',
    'https://.service.example',
    'https://a.b.service.example',
    'https://a.service.example.',
    'https://a.service.example.evil.example',
    'https://evilservice.example',
    'https://a.evilservice.example',
    'https://evil.example/.service.example',
    'https://evil.example?.service.example',
    'https://evil.example#.service.example',
    'https://*.service.example',
    'https://-a.service.example',
    'https://a_b.service.example',
    'https://a@evil.example',
  ])
    test(`has not ${address}`, () => assert.ok(!isAtHost(wildcard, new URL(address))))
})

suite('the definition of hosts', () => {
  test('takes origins and wildcards', () => {
    const hosts = ['https://uploads.service.example', 'http://127.0.0.1:8080', 'https://*.service.example']
    assert.deepEqual(
      faultsOf({
        hosts,
        pathHosts: { '/v1/up': hosts[0], '/files/x': 'https://any.service.example' },
        hostsOnInstance: { [hosts[0]!]: '/api/uploads' },
      }),
      [],
    )
  })
  for (const host of [
    'https://*',
    'https://*.com',
    'https://*.co.uk',
    'https://*.com.br',
    'https://*.github.io',
    'https://*.s3.amazonaws.com',
    'https://*.127.0.0.1',
    'http://*.service.example',
    'https://*.service.example:8443',
    'https://*.service.example/x',
    'https://*.service.example/',
    'https://a.*.example',
    'https://a*.service.example',
    'https://*.*.service.example',
    'https://*.SERVICE.example',
    'https://service.example/',
    'https://service.example/x',
    'https://Service.example',
    'https://user@service.example',
    'ftp://service.example',
    'service.example',
    '{host}',
    'https://{host}',
    '',
    7,
    null,
  ])
    test(`refuses ${host}`, () => assert.deepEqual(faultsOf({ hosts: [host] }), ['api.hosts.0']))

  test('refuses paths at hosts that are not declared, and paths that no request has', () => {
    const hosts = ['https://up.service.example', 'https://*.service.example']
    for (const [path, host] of [
      ['/v1/up', 'https://evil.example'],
      ['/v1/up', 'https://*.service.example'],
      ['/v1/up', 'https://up.service.example/'],
      ['/v1/up', 7],
      ['v1/up', hosts[0]],
      ['/', hosts[0]],
      ['/v1/', hosts[0]],
      ['', hosts[0]],
      ['/a?b', hosts[0]],
      ['/{id}/x', hosts[0]],
    ] as const)
      assert.deepEqual(faultsOf({ hosts, pathHosts: { [path]: host } }), [`api.pathHosts.${path}`])
    assert.deepEqual(faultsOf({ pathHosts: { '/v1/up': hosts[0] } }), ['api.pathHosts./v1/up'])
    for (const value of [[], 'x', null]) assert.deepEqual(faultsOf({ pathHosts: value }), ['api.pathHosts'])
  })

  test('refuses places on an instance for hosts that are not declared, and places that are no path', () => {
    const hosts = ['https://up.service.example']
    for (const [host, path] of [
      ['https://other.service.example', '/x'],
      [hosts[0]!, 'x'],
      [hosts[0]!, ''],
      [hosts[0]!, 'https://evil.example/x'],
      [hosts[0]!, '/{x}'],
      [hosts[0]!, 7],
    ] as const)
      assert.deepEqual(faultsOf({ hosts, hostsOnInstance: { [host]: path } }), [`api.hostsOnInstance.${host}`])
  })
})
