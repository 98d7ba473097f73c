import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, suite, test } from 'node:test'
import { SetupError } from '#platform/errors.ts'
import { type Config, loadConfig, VARIABLES } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-config-'))
after(() => rmSync(folder, { recursive: true }))

const amount = {
  takes: [
    ['0', 0],
    ['5000', 5000],
    ['10GB', 10_000_000_000],
    ['2m', 2_000_000],
    ['none', Number.POSITIVE_INFINITY],
  ] as [string, number][],
  refuses: ['-1', '1.5', 'many', '10 GB', '9999999999999TB'],
}

// For every setting: texts it takes with what they mean, and texts it refuses.
const KNOWN: { [K in keyof Config]: { takes: [string, Config[K]][]; refuses: string[] } } = {
  otlpUrl: { takes: [['http://localhost:4318/', 'http://localhost:4318']], refuses: ['localhost:4318', 'grpc://h'] },
  otlpTracesUrl: { takes: [['https://t.test/v1/traces', 'https://t.test/v1/traces']], refuses: ['t.test'] },
  otlpHeaders: { takes: [['api-key=a%20b, x = 1', { 'api-key': 'a b', x: '1' }]], refuses: ['just-a-key', 'a=%zz'] },
  serviceName: { takes: [['mine', 'mine']], refuses: [] },
  resourceAttributes: {
    takes: [['deployment.environment=test', { 'deployment.environment': 'test' }]],
    refuses: ['x'],
  },
  traceShare: {
    takes: [
      ['0.25', 0.25],
      ['0', 0],
    ],
    refuses: ['2', '-1', 'half', '.'],
  },
  quotaProfileItems: amount,
  quotaProfileBytes: amount,
  quotaAccountItems: amount,
  quotaAccountBytes: amount,
  quotaAppItems: amount,
  quotaAppBytes: amount,
  quotaOwnItems: amount,
  quotaOwnBytes: amount,
  quotaAppSignIns: amount,
  quotaAddressSignIns: amount,
  tracingOff: { takes: [['true', true]], refuses: ['off'] },
  databaseUrl: {
    takes: [
      ['postgres://u:p@h:5/d', 'postgres://u:p@h:5/d'],
      ['postgresql:///d', 'postgresql:///d'],
    ],
    refuses: ['mysql://h/d', 'localhost:5432', 'x'],
  },
  databaseReadUrl: { takes: [['postgres://h/d', 'postgres://h/d']], refuses: ['http://h'] },
  engineUrl: { takes: [['postgres://h/d', 'postgres://h/d']], refuses: ['http://h'] },
  databasePool: {
    takes: [
      ['2', 2],
      ['1000', 1000],
    ],
    refuses: ['1', '1001', '-5', '5.5', 'ten', '1e1', ' 5'],
  },
  preparedStatements: {
    takes: [
      ['true', true],
      ['yes', true],
      ['0', false],
      ['no', false],
    ],
    refuses: ['TRUE', 'on', '2'],
  },
  port: {
    takes: [
      ['0', 0],
      ['65535', 65_535],
    ],
    refuses: ['65536', '-1', 'http', '80 80'],
  },
  workerPort: {
    takes: [
      ['0', 0],
      ['65535', 65_535],
    ],
    refuses: ['65536', '-1', 'http', '80 80'],
  },
  host: {
    takes: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
    ],
    refuses: [],
  },
  proxyOrigin: {
    takes: [
      ['https://{service}.proxy.test', 'https://{service}.proxy.test'],
      ['https://{service}--tributary.a.test:8443', 'https://{service}--tributary.a.test:8443'],
      ['https://api.{service}.a.test', 'https://api.{service}.a.test'],
      ['http://{service}.localhost:8042', 'http://{service}.localhost:8042'],
    ],
    refuses: [
      'https://proxy.test',
      'https://{service}',
      '{service}.proxy.test',
      'http://{service}.proxy.test',
      'http://{service}.notlocalhost',
      'ftp://{service}.proxy.test',
      'https://{service}.proxy.test/path',
      'https://{service}.proxy.test/',
      'https://proxy.test/{service}',
      'https://{service}.{service}.proxy.test',
      'https://{service}{service}.proxy.test',
      'https://proxy.x{service}.test',
      'https://-{service}.proxy.test',
      'https://{service}-.proxy.test',
      'https://{service}..test',
      'https://{service}.PROXY.test',
      'https://u:p@{service}.proxy.test',
      'https://{service}.proxy.test:99999',
      'https://{other}.proxy.test',
      'https://{service}.proxy.test?x',
    ],
  },
  proxyPorts: {
    takes: [
      ['github=8101', { github: 8101 }],
      [' github=8101 , demo-social=0,', { github: 8101, 'demo-social': 0 }],
    ],
    refuses: ['github', 'github=', 'github=x', 'github=65536', '8101=github', 'a=1,a=2', 'a=1,b=1', 'Github=1', 'a=-1'],
  },
  baseUrl: {
    takes: [
      ['https://a.test', 'https://a.test'],
      ['https://a.test/sub//', 'https://a.test/sub'],
      ['http://a:1', 'http://a:1'],
    ],
    refuses: [
      'a.test',
      'ftp://a.test',
      'https://a.test?x=1',
      'https://a.test/#x',
      'https://u@a.test',
      'https://:p@a.test',
    ],
  },
  dataDir: {
    takes: [
      ['/x/y', '/x/y'],
      ['rel', resolve('rel')],
    ],
    refuses: [],
  },
  key: { takes: [['abc', 'abc']], refuses: [] },
  adminToken: {
    takes: [['0f3a9c51d7e2b8460f3b9c52', '0f3a9c51d7e2b8460f3b9c52']],
    refuses: ['0f3a9c51d7e2b8460f3b9c5', 'x'.repeat(24), '0123456789'.repeat(3)],
  },
  allowPrivate: {
    takes: [
      ['10.0.0.0/8', ['10.0.0.0/8']],
      [' 127.0.0.0/8 , fd00::/8 ,', ['127.0.0.0/8', 'fd00::/8']],
    ],
    refuses: ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'localhost/8', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/-1'],
  },
  allowPrivateTyped: { takes: [['10.0.0.0/8', ['10.0.0.0/8']]], refuses: ['10.0.0.0', 'intranet/8'] },
  trustProxy: {
    takes: [
      ['127.0.0.1', ['127.0.0.1']],
      ['::1, 10.0.0.0/8', ['::1', '10.0.0.0/8']],
      ['false', []],
    ],
    refuses: ['true', 'True', 'false,10.0.0.0/8', 'proxy.test', '10.0.0.0/33', '10.0.0.0/8/8'],
  },
  connectorsDir: { takes: [['/x/y', '/x/y']], refuses: [] },
  filesDir: { takes: [['/srv/out', resolve('/srv/out')]], refuses: [] },
  sunsetMs: {
    takes: [
      ['2027-08-05', Date.UTC(2027, 7, 5)],
      ['2027-08-05T12:30:00+02:00', Date.UTC(2027, 7, 5, 10, 30)],
    ],
    refuses: ['5 August', '2027', '2027-13-01', '1817424000000'],
  },
  logLevel: {
    takes: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    refuses: ['verbose', 'INFO'],
  },
  logFormat: { takes: [['text', 'text']], refuses: ['xml'] },
  logDays: { takes: [['30', 30]], refuses: ['0', '401', 'week'] },
  auditDays: { takes: [['30', 30]], refuses: ['29', '3651', 'year'] },
  workerMemoryMb: { takes: [['128', 128]], refuses: ['127', 'much'] },
  workerStallMs: { takes: [['2', 2000]], refuses: ['1', 'soon'] },
  drainMs: {
    takes: [
      ['0', 0],
      ['3600', 3_600_000],
    ],
    refuses: ['3601', '1s'],
  },
}

const failure = (work: () => unknown): SetupError => {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof SetupError)
    return error
  }
  return assert.fail('was taken')
}

suite('settings', () => {
  for (const [field, { takes, refuses }] of Object.entries(KNOWN)) {
    const { name } = VARIABLES[field as keyof Config]
    test(`${name} is read`, () => {
      for (const [text, meant] of takes) assert.deepEqual(loadConfig({ [name]: text })[field as keyof Config], meant)
    })
    test(`${name} can come from ${name}_FILE`, () => {
      const file = join(folder, name)
      for (const [text, meant] of takes) {
        writeFileSync(file, `${text}\n`)
        assert.deepEqual(loadConfig({ [`${name}_FILE`]: file })[field as keyof Config], meant)
      }
    })
    test(`${name} refuses what it cannot be`, () => {
      for (const text of refuses) {
        const error = failure(() => loadConfig({ [name]: text }))
        assert.equal(error.code, 'config_invalid')
        assert.ok(error.message.includes(`${name}: `), `${name}=${text}: ${error.message}`)
      }
    })
  }

  test('defaults stand alone, and an empty variable counts as unset', () => {
    const unset = Object.fromEntries(Object.values(VARIABLES).map(({ name }) => [name, '']))
    assert.deepEqual(loadConfig({}), loadConfig(unset))
    const config = loadConfig({})
    assert.equal(config.port, 8042)
    assert.equal(config.host, '127.0.0.1')
    assert.equal(config.baseUrl, 'http://localhost:8042')
    assert.equal(config.dataDir, resolve('data'))
    assert.equal(config.databaseUrl, undefined)
    assert.deepEqual(config.trustProxy, [])
  })

  test('the base address follows the port unless set', () => {
    assert.equal(loadConfig({ PORT: '9' }).baseUrl, 'http://localhost:9')
    assert.equal(loadConfig({ PORT: '9', BASE_URL: 'https://t.test' }).baseUrl, 'https://t.test')
  })

  test('a flag wins over the environment, the environment over the file', () => {
    const file = join(folder, 'port')
    writeFileSync(file, '3')
    assert.equal(loadConfig({ PORT: '2', PORT_FILE: file }, { PORT: '1' }).port, 1)
    assert.equal(loadConfig({ PORT: '2', PORT_FILE: file }).port, 2)
    assert.equal(loadConfig({ PORT_FILE: file }, { PORT: '1' }).port, 1)
  })

  test('all mistakes are reported together', () => {
    const bad = Object.entries(KNOWN).filter(([, { refuses }]) => refuses.length > 0)
    const env = Object.fromEntries(
      bad.map(([field, { refuses }]) => [VARIABLES[field as keyof Config].name, refuses[0]]),
    )
    const { message, help } = failure(() => loadConfig(env))
    for (const name of Object.keys(env)) assert.ok(message.includes(`\n  ${name}: `), name)
    assert.match(help, /docs\/config\.md/)
  })

  test('a file that cannot be read is named', () => {
    const { message } = failure(() => loadConfig({ TRIBUTARY_KEY_FILE: join(folder, 'none') }))
    assert.match(message, /TRIBUTARY_KEY: the file named by TRIBUTARY_KEY_FILE cannot be read \(ENOENT\): .*none/)
  })

  test('secrets are never repeated in a message', () => {
    const { message } = failure(() =>
      loadConfig({
        DATABASE_URL: 'mysql://u:c4nary1@h/d',
        ENGINE_URL: 'c4nary2',
        BASE_URL: 'https://u:c4nary3@h.test',
        TRIBUTARY_ADMIN_TOKEN: 'c4nary4',
      }),
    )
    assert.doesNotMatch(message, /c4nary/)
    assert.equal(message.split('\n').length, 5)
  })
})
