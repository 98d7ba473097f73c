import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type PendingValue, readPending, type SignInRequest, writePending } from './pending-value.ts'

const redirectUri = 'https://app.example/back'
const counted = { address: 'address 192.0.2.1', minute: 7 }
const reconnect = { shard: 3, link: 'ab', profileId: '003p', profile: '1@demo-social', account: '003a' }

/** Read what a row of the release before has, which sealed one record for all kinds. */
const readRecord = (record: object) => readPending({ value: JSON.stringify(record) })

suite('a pending sign-in that the release before stored', () => {
  const begun = { redirectUri, responseType: 'code', state: 's', codeChallenge: 'c', operation: '003o', counted }
  const secrets = { verifier: 'v', service: 'demo-social', client: 'k', callbackUrl: 'https://here/callback' }
  const request: SignInRequest = {
    began: 'request',
    redirectUri,
    locale: undefined,
    operation: '003o',
    responseType: 'code',
    state: 's',
    codeChallenge: 'c',
    accountId: undefined,
  }

  test('at a service is read with its registration, instance and subject', () => {
    const named = { registration: 'r', instance: { host: 'social.example' }, subject: 'did:x' }
    assert.deepEqual(readRecord({ ...begun, upstream: secrets, ...named }), {
      kind: 'sent',
      request,
      counted,
      secrets,
      ...named,
    })
  })

  test('is asked for by an app, a connect session or a link to reconnect', () => {
    const readRequest = (record: object) => readRecord({ ...begun, upstream: secrets, ...record }).request
    assert.deepEqual(readRequest({ responseType: 'token', accountId: '003a', locale: 'de' }), {
      ...request,
      responseType: 'token',
      accountId: '003a',
      locale: 'de',
    })
    assert.deepEqual(readRequest({ session: '003s', accountId: '003a' }), {
      ...request,
      began: 'session',
      session: '003s',
      accountId: '003a',
    })
    assert.deepEqual(readRequest({ state: undefined, codeChallenge: undefined, accountId: '003a', reconnect }), {
      ...request,
      began: 'reconnect',
      state: undefined,
      codeChallenge: undefined,
      accountId: '003a',
      reconnect,
    })
  })

  test('whose service posted its response has the posted parameters', () => {
    const value = readRecord({ ...begun, upstream: secrets, posted: { code: 'x' } })
    assert.equal(value.kind, 'posted')
    assert.deepEqual(value.posted, { code: 'x' })
  })

  test('on our page waits for what is typed, and then for the callback of the server that was named', () => {
    const typing = readRecord({ ...begun, upstream: { service: 'dav' } })
    assert.deepEqual(typing, { kind: 'typing', request, counted, secrets: { service: 'dav' } })
    const upstream = { service: 'dav', values: { server: 'dav.example' } }
    assert.deepEqual(readRecord({ ...begun, upstream, registration: 'r' }), {
      kind: 'forwarded',
      request,
      counted,
      secrets: upstream,
      registration: 'r',
    })
  })

  test('on our page that is over has its result, wherever it was before', () => {
    for (const upstream of [{ service: 'dav' }, { service: 'dav', values: {} }]) {
      const readSettled = (settled: object) => readRecord({ ...begun, upstream, settled })
      assert.deepEqual(readSettled({ kind: 'redirect', code: 'trc_1' }), { kind: 'coded', request, code: 'trc_1' })
      assert.deepEqual(readSettled({ kind: 'confirm', ticket: 'trf_1' }), {
        kind: 'confirming',
        request,
        ticket: 'trf_1',
      })
      assert.deepEqual(readSettled({ kind: 'reconnected', account: '003a' }), {
        kind: 'reconnected',
        request,
        account: '003a',
      })
    }
  })

  test('of a release without counts and a log is read too', () => {
    const value = readRecord({ ...begun, upstream: secrets, counted: undefined, operation: undefined })
    assert.deepEqual([value.kind, value.request.operation], ['sent', undefined])
  })
})

suite('a stored sign-in', () => {
  const requests: SignInRequest[] = [
    {
      began: 'request',
      redirectUri,
      locale: 'de',
      operation: '003o',
      responseType: 'token',
      state: undefined,
      codeChallenge: undefined,
      accountId: undefined,
    },
    {
      began: 'session',
      redirectUri,
      locale: undefined,
      operation: '003o',
      responseType: 'code',
      state: 's',
      codeChallenge: 'c',
      accountId: '003a',
      session: '003s',
    },
    {
      began: 'reconnect',
      redirectUri,
      locale: undefined,
      operation: '003o',
      responseType: 'code',
      state: undefined,
      codeChallenge: undefined,
      accountId: '003a',
      reconnect,
    },
  ]
  const sent = {
    secrets: { callbackUrl: 'https://here/callback', service: 'demo-social' },
    registration: 'r',
    instance: { host: 'social.example' },
    subject: undefined,
  }
  const typing = (request: SignInRequest) =>
    ({ kind: 'typing', request, counted, secrets: { service: 'dav' } }) satisfies PendingValue
  /** Each value with its stored text. */
  const storedOf = (request: SignInRequest): [PendingValue, string][] => {
    const forwarded = {
      kind: 'forwarded',
      request,
      counted,
      secrets: { service: 'dav', values: { server: 'a' } },
      registration: 'r',
    } as const
    const posted = { kind: 'posted', request, counted, ...sent, posted: { code: 'x' } } as const
    const completed = [
      { kind: 'coded', request, code: 'trc_1' },
      { kind: 'confirming', request, ticket: 'trf_1' },
      { kind: 'reconnected', request, account: '003a' },
    ] as const
    return [
      [typing(request), writePending('asked', typing(request))],
      [forwarded, writePending('typing', forwarded)],
      [
        { kind: 'sent', request, counted, ...sent },
        writePending('started', { kind: 'sent', request, counted, ...sent }),
      ],
      [posted, writePending('sent', posted)],
      ...completed.map((value): [PendingValue, string] => [value, writePending('forwarded', value)]),
    ]
  }

  for (const request of requests)
    for (const [value, text] of storedOf(request))
      test(`that is ${value.kind} and began with a ${request.began} is read as it was written`, () => {
        assert.deepEqual(readPending({ value: text }), value)
      })

  test('has the fields that the release before reads, while processes of both run', () => {
    const written = storedOf(requests[0]!).map(([, text]) => JSON.parse(text) as Record<string, unknown>)
    for (const record of written)
      assert.deepEqual([record['redirectUri'], record['responseType']], [redirectUri, 'token'])
    assert.deepEqual(
      written.map(({ upstream }) => Object.keys(upstream as object).sort()),
      [['service'], ['service', 'values'], ['callbackUrl', 'service'], ['callbackUrl', 'service'], [], [], []],
    )
    assert.deepEqual(written[4]?.['settled'], { kind: 'redirect', code: 'trc_1' })
    assert.deepEqual(written[5]?.['settled'], { kind: 'confirm', ticket: 'trf_1' })
  })

  test('does not change its state in a way that the table does not have', () => {
    for (const from of ['coded', 'reconnected', 'sent'])
      assert.throws(() => writePending(from as 'asked', typing(requests[0]!)), /cannot change from/)
  })
})
