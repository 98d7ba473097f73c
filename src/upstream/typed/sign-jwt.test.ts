import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { jwtVerify } from 'jose'
import type { TypedJwt } from '#kit/auth/typed-signing.ts'
import { UpstreamError } from '../request/errors.ts'
import { signJwt } from './sign-jwt.ts'

const NOW = Date.UTC(2026, 10, 19)
const jwt: TypedJwt = {
  algorithm: 'RS256',
  key: '{key}',
  header: { kid: '{id}' },
  claims: { iss: '{id}', sub: '{person}', aud: 'https://acme.example' },
  lifetimeS: 600,
}
const values = (key: string) => ({ key, id: 'me', person: '' })

suite('a token that is signed with a typed key', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  const forms: Record<string, string> = {
    'a key file': pem,
    'one line without breaks': pem.replaceAll('\n', ''),
    'one line with spaces': pem.replaceAll('\n', ' '),
    'a text of JSON': pem.replaceAll('\n', String.raw`\n`),
    'the older form': privateKey.export({ format: 'pem', type: 'pkcs1' }) as string,
  }
  for (const [form, key] of Object.entries(forms))
    test(`takes the key as ${form}`, async () => {
      const signed = await signJwt(jwt, values(key), NOW)
      const { payload, protectedHeader } = await jwtVerify(signed.jwt, createPublicKey(privateKey), {
        currentDate: new Date(NOW),
      })
      assert.deepEqual(protectedHeader, { kid: 'me', alg: 'RS256', typ: 'JWT' })
      const { iat, exp, ...claims } = payload
      assert.deepEqual(claims, { iss: 'me', aud: 'https://acme.example' }, 'what was left empty is left out')
      assert.deepEqual([exp, iat! < NOW / 1000, signed.expiresAt], [NOW / 1000 + 600, true, NOW + 600_000])
    })

  test('is refused like a wrong password where the key is none, is of another kind, or is cut off; its text is in no message', async () => {
    const { privateKey: elliptic } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const other = elliptic.export({ format: 'pem', type: 'pkcs8' }) as string
    for (const key of ['hunter2', other, pem.slice(0, 300), ''])
      await assert.rejects(signJwt(jwt, values(key), NOW), (error) => {
        assert.ok(error instanceof UpstreamError)
        assert.equal(error.recovery, 'reauthorize')
        assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /hunter2|BEGIN|MII/)
        return true
      })
  })
})
