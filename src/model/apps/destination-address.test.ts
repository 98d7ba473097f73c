import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hideSecrets, withoutSecrets } from './destination-address.ts'

suite('addresses of destinations', () => {
  for (const [address, shown] of [
    ['postgres://user:pass@db.test/app?sslmode=disable', 'postgres://user:***@db.test/app?sslmode=disable'],
    ['postgres://user@db.test/app', 'postgres://***@db.test/app'],
    ['mysql://user:p%40ss@db.test:3307/app', 'mysql://user:***@db.test:3307/app'],
    ['nats://TOKEN@nats.test:4222?tls=false', 'nats://***@nats.test:4222?tls=false'],
    ['nats://user:word@nats.test', 'nats://user:***@nats.test'],
    ['s3://key:sec%2Fret@s3.test/bucket/out?region=eu-west-1', 's3://key:***@s3.test/bucket/out?region=eu-west-1'],
    ['s3://key:secret@s3.test/bucket?odd=SECRET', 's3://key:***@s3.test/bucket?odd=***'],
    ['file:///srv/out/app_1', 'file:///srv/out/app_1'],
    ['https://app.test', 'https://app.test/'],
    ['https://app.test:8443/', 'https://app.test:8443/'],
    ['https://app.test/T0PSECRET', 'https://app.test/***'],
    ['https://app.test/services/T0/B0/T0PSECRET', 'https://app.test/***'],
    ['https://app.test/flow?sig=T0PSECRET&api-version=1', 'https://app.test/***?***'],
    ['https://app.test?T0PSECRET', 'https://app.test/?***'],
    ['nonsense with a SECRET', '(hidden)'],
  ] as const) {
    test(`${address} is shown as ${shown}`, () => assert.equal(withoutSecrets(address), shown))
  }

  for (const [address, said, shown] of [
    ['nats://TOKEN@nats.test', "unknown token 'TOKEN'", "unknown token '***'"],
    ['postgres://user:p%40ss@db.test/app', 'wrong p@ss or p%40ss of user', 'wrong *** or *** of user'],
    ['https://app.test/in/T0PSECRET?sig=S1GNATURE', 'no T0PSECRET, S1GNATURE in sig', 'no ***, *** in sig'],
    ['nats://user:word@nats.test', 'no such user', 'no such user'],
    ['postgres://postgres@db.test/app', 'role postgres is missing', 'role postgres is missing'],
    ['mysql://u:p@db.test/app', 'port is wrong', 'port is wrong'],
    ['nonsense', 'words', 'words'],
  ] as const) {
    test(`what ${address} says: ${said}`, () => assert.equal(hideSecrets(said, address), shown))
  }
})
