import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SignedIn } from '#kit/auth/auth.ts'
import { type ConsentValue, readConsent, signedInOf, writeConsent } from './consent-value.ts'
import type { SignInRequest } from './pending-value.ts'

const counted = { address: 'address 192.0.2.1', minute: 7 }
const reconnect = { shard: 3, link: 'ab', profileId: '003p', profile: '1@demo-social', account: '003a' }
const signedIn: SignedIn = { credential: { token: 'secret' }, self: { id: '1', name: 'Ada' }, raw: '{}' }
const columns = { redirectUri: 'https://app.example/back', codeChallenge: 'c', accountId: undefined }
const asked = { ...columns, locale: undefined, operation: '003o', state: 's' }
const ofApp: SignInRequest = { began: 'request', ...asked, responseType: 'code' }
const ofSession: SignInRequest = {
  began: 'session',
  ...asked,
  accountId: '003a',
  responseType: 'code',
  session: '003s',
}
const ofLink: SignInRequest = {
  began: 'reconnect',
  redirectUri: columns.redirectUri,
  locale: 'de',
  operation: undefined,
  state: undefined,
  codeChallenge: undefined,
  accountId: '003a',
  responseType: 'code',
  reconnect,
}

/** Of the row that a value is stored in. */
const rowOf = ({ redirectUri, codeChallenge, accountId }: SignInRequest, value: string) => ({
  redirectUri,
  codeChallenge,
  accountId,
  value,
})

suite('a consent that the release before stored', () => {
  const record = { state: 's', responseType: 'code', operation: '003o' }
  const readRecord = (request: SignInRequest, fields: object) =>
    readConsent(rowOf(request, JSON.stringify({ ...record, ...fields })))

  test('is asked for by an app, a connect session or a link to reconnect', () => {
    const content = { kind: 'signed-in', signedIn, counted } as const
    assert.deepEqual(readRecord(ofApp, { signedIn, counted }), { ...content, request: ofApp })
    assert.deepEqual(readRecord(ofSession, { signedIn, counted, session: '003s' }), { ...content, request: ofSession })
    const began = { state: undefined, operation: undefined, locale: 'de', reconnect }
    assert.deepEqual(readRecord(ofLink, { signedIn, counted, ...began }), { ...content, request: ofLink })
  })

  test('without a response type is one for a token', () => {
    const { request } = readRecord(ofApp, { signedIn, responseType: undefined })
    assert.deepEqual(request, { ...ofApp, responseType: 'token' })
  })

  test('is confirmed or declined, and then has no credential', () => {
    assert.deepEqual(readRecord(ofApp, { response: 'yes' }), { kind: 'confirmed', request: ofApp })
    assert.deepEqual(readRecord(ofApp, { response: 'no' }), { kind: 'declined', request: ofApp })
  })
})

suite('a stored consent', () => {
  const requests = [ofApp, { ...ofApp, responseType: 'token' }, ofSession, ofLink] as const
  const valuesOf = (request: SignInRequest): ConsentValue[] => [
    { kind: 'signed-in', request, signedIn, counted },
    { kind: 'confirmed', request },
    { kind: 'declined', request },
  ]

  for (const request of requests)
    for (const value of valuesOf(request))
      test(`that is ${value.kind}, for a ${request.responseType}, and began with a ${request.began} is read as it was written`, () => {
        const text = writeConsent(value)
        assert.deepEqual(readConsent(rowOf(request, text)), value)
        assert.deepEqual(signedInOf({ value: text }), value.kind === 'signed-in' ? signedIn : undefined)
        assert.equal(text.includes('secret'), value.kind === 'signed-in')
      })

  test('has the fields that the release before reads, while processes of both run, and none that has a column', () => {
    const fields = (value: ConsentValue) => JSON.parse(writeConsent(value)) as Record<string, unknown>
    const begun = { state: 's', responseType: 'code', operation: '003o', session: '003s' }
    assert.deepEqual(valuesOf(ofSession).map(fields), [
      { ...begun, signedIn, counted },
      { ...begun, response: 'yes' },
      { ...begun, response: 'no' },
    ])
  })
})
