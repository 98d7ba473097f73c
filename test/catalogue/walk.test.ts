import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Entry } from '#kit/entry/entry-schema.ts'
import { expandEntry } from '#kit/entry/expand-entry.ts'
import { callService } from '#upstream/call/call-service.ts'
import { readSelf } from '#upstream/call/read-self.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import { refreshCredential, revokeCredential } from '#upstream/renew-credential.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import { beginSignIn, finishSignIn } from '#upstream/sign-in.ts'
import { credentialOfTyped } from '#upstream/typed/credential.ts'
import type { LabEntry } from '../../lab/catalogue/entry.ts'
import { labPrivateKey } from '../../lab/catalogue/keys.ts'
import { type CatalogueLab, startCatalogueLab } from '../../lab/catalogue/server.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { ENTRIES } from './entries.ts'
import { VARIANTS } from './variants.ts'

const CALLBACK = 'https://tributary.test/auth/callback'

const PLAYED = new Map([...ENTRIES, ...VARIANTS])

let lab: CatalogueLab
let open: OpenUpstream
before(async () => {
  open = openUpstream()
  lab = await startCatalogueLab(Object.fromEntries(PLAYED) as unknown as Record<string, LabEntry>)
})
after(async () => {
  await lab.close()
  await open.close()
})

/** What the lab gives and expects: `setting-x`, `typed-x`, and the examples of questions. */
function keyOf(service: string, { settings = {} }: Entry, secret: string = 'lab-secret'): ServiceKey {
  return {
    key: 'lab-key',
    secret,
    overrides: { base_url: lab.urlOf(service) },
    settings: Object.fromEntries(Object.keys(settings).map((name) => [name, `setting-${name}`])),
  }
}
const answersOf = ({ ask = {} }: Entry): Record<string, string> =>
  Object.fromEntries(Object.entries(ask).map(([name, { example }]) => [name, example]))

const isRecovery = (recovery: string) => (error: unknown) =>
  error instanceof UpstreamError && error.recovery === recovery

interface Walk {
  service: string
  entry: Entry
  connector: Connector
  key: ServiceKey
}

async function signIn({ service, entry, connector, key }: Walk, given: ServiceKey = key): Promise<Credential> {
  const instance = entry.ask === undefined ? {} : { instance: answersOf(entry) }
  const begun = await beginSignIn(open.upstream, {
    connector,
    key,
    callbackUrl: CALLBACK,
    state: 'state-1',
    ...instance,
  })
  const page = await fetch(begun.url, { redirect: 'manual' })
  assert.equal(page.status, 302, `${service}: ${await page.text()}`)
  const back = new URL(page.headers.get('location')!)
  if (begun.requestToken === undefined) assert.equal(back.searchParams.get('state'), 'state-1')
  else assert.equal(back.searchParams.get('oauth_token'), begun.requestToken)
  const params = Object.fromEntries(back.searchParams)
  const signedIn = await finishSignIn(open.upstream, {
    connector,
    key: given,
    callbackUrl: CALLBACK,
    secrets: begun.secrets,
    params,
    ...instance,
  })
  assert.match(signedIn.self.id, /^person-1(?:@|$)/)
  return signedIn.credential
}

const call = ({ connector, key }: Walk, credential: Credential) =>
  callService({ upstream: open.upstream, connector, key, credential }, { method: 'GET', path: '/things' })

async function walkOAuth2(walk: Walk): Promise<void> {
  const { service, entry, connector, key } = walk
  const credential = await signIn(walk)
  assert.equal((await call(walk, credential)).status, 200)
  const fresh = await refreshCredential(open.upstream, { connector, key, credential })
  assert.notEqual(fresh.token, credential.token)
  assert.equal((await call(walk, fresh)).status, 200, 'after the refresh')
  await assert.rejects(refreshCredential(open.upstream, { connector, key, credential }), isRecovery('reauthorize'))
  await assert.rejects(signIn(walk, keyOf(service, entry, 'another')), UpstreamError)
  lab.expire(service)
  const expired = { upstream: open.upstream, connector, key, credential: fresh }
  assert.equal((await call(walk, fresh)).status, 401)
  await assert.rejects(readSelf(expired), isRecovery('reauthorize'))
  const again = await refreshCredential(open.upstream, { connector, key, credential: fresh })
  const ended = await revokeCredential(open.upstream, { connector, key, credential: again }, 'grant')
  const isOffered = 'oauth2' in entry.auth && entry.auth.oauth2.revoke !== undefined
  assert.equal(ended, isOffered ? 'revoked' : 'not_offered')
  assert.equal((await call(walk, again)).status, isOffered ? 401 : 200)
}

/** Tokens of OAuth 1 live until they are revoked, and every call is signed with their secret. */
async function walkOAuth1(walk: Walk): Promise<void> {
  const { service, entry } = walk
  const credential = await signIn(walk)
  assert.equal((await call(walk, credential)).status, 200)
  assert.equal((await call(walk, { ...credential, tokenSecret: 'another' })).status, 401)
  await assert.rejects(signIn({ ...walk, key: keyOf(service, entry, 'another') }), UpstreamError)
  lab.expire(service)
  assert.equal((await call(walk, credential)).status, 401)
  await assert.rejects(readSelf({ upstream: open.upstream, ...walk, credential }), isRecovery('reauthorize'))
}

/** What a person types in the lab; the address of their server is that of the service in the lab. */
function typedValues({ service, entry, connector }: Walk, wrong: boolean): Record<string, string> {
  const fields = 'fields' in connector.auth ? connector.auth.fields : {}
  const jwt = 'typed' in entry.auth ? entry.auth.typed.jwt : undefined
  const isKey = (name: string) => jwt?.key === `{typed.${name}}`
  const isAddress = (name: string) => 'typed' in entry.auth && entry.auth.typed.fields[name]?.format === 'address'
  return Object.fromEntries(
    Object.keys(fields)
      .filter((name) => name !== 'label')
      .map((name) => [
        name,
        isKey(name)
          ? labPrivateKey(jwt!.algorithm, wrong)
          : isAddress(name)
            ? lab.urlOf(service)
            : `typed-${name}${wrong ? '-wrong' : ''}`,
      ]),
  )
}

async function walkTyped(walk: Walk): Promise<void> {
  const { entry, connector, key } = walk
  const made = (wrong: boolean) =>
    credentialOfTyped(open.upstream, { connector, key, values: typedValues(walk, wrong) })
  const credential = await made(false)
  const { self } = await readSelf({ upstream: open.upstream, connector, key, credential })
  assert.match(self.id, 'proof' in entry.self ? /^key(?:@|$)/ : /^person-1(?:@|$)/)
  assert.equal((await call(walk, credential)).status, 200)
  const asWrong = async () => readSelf({ upstream: open.upstream, connector, key, credential: await made(true) })
  await assert.rejects(asWrong(), isRecovery('reauthorize'))
  if (connector.auth.kind !== 'typed' || connector.auth.exchange === undefined) return
  assert.ok(credential.expiresAt === undefined || credential.expiresAt > Date.now(), 'when it expires')
  if ('typed' in entry.auth && (entry.auth.typed.exchange?.expires_at ?? entry.auth.typed.exchange?.expires))
    assert.ok(credential.expiresAt !== undefined, 'it says when it expires')
  const fresh = await refreshCredential(open.upstream, { connector, key, credential })
  assert.notEqual(fresh.token, credential.token)
  assert.equal((await call(walk, fresh)).status, 200, 'after the exchange was repeated')
}

suite('every entry signs in, is refreshed, called and ended at a server that plays it', () => {
  for (const [service, entry] of PLAYED)
    test(service, async () => {
      const expanded = expandEntry(service, entry)
      const connector = entry.ask === undefined ? expanded : fillConnector(expanded, answersOf(entry))
      const walk = { service, entry, connector, key: keyOf(service, entry) }
      const { auth } = entry
      await ('oauth2' in auth ? walkOAuth2(walk) : 'oauth1' in auth ? walkOAuth1(walk) : walkTyped(walk))
    })
})
