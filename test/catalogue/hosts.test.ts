import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readAnswer } from '#kit/auth/ask.ts'
import type { Credential } from '#kit/auth/auth.ts'
import { typedFieldsOf } from '#kit/auth/auth.ts'
import { factNames, tenantsOf } from '#kit/auth/tenants.ts'
import { readTyped } from '#kit/auth/typed-values.ts'
import type { Entry } from '#kit/entry/entry-schema.ts'
import { expandEntry } from '#kit/entry/expand-entry.ts'
import { locateService } from '#upstream/addresses/addresses.ts'
import { withFactAddress } from '#upstream/addresses/fact-address.ts'
import { addressOf } from '#upstream/call/call-service.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { cases, seedOf } from '../harness/effort.ts'
import { openUpstream } from '../harness/upstream.ts'
import { ENTRIES } from './entries.ts'
import { VARIANTS } from './variants.ts'

const NASTY = [
  'evil.example',
  'a.evil.example/',
  '@evil.example',
  'x#evil',
  '..',
  '%2e%2e',
  'evil.example:1',
  '\\evil',
  'a?b',
  '',
]
const anyText = fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 30 }), fc.webUrl())

/** What an address of an entry allows as a host: the labels of an answer are one label, and a whole typed server is anything. */
function isNamed(entry: Entry, servers: readonly string[], host: string): boolean {
  const { auth, api } = entry
  const addresses = [
    ...('oauth2' in auth ? [auth.oauth2.authorize, auth.oauth2.token, auth.oauth2.refresh, auth.oauth2.revoke] : []),
    ...('oauth1' in auth ? [auth.oauth1.request, auth.oauth1.authorize, auth.oauth1.access] : []),
    ...('typed' in auth ? [auth.typed.exchange?.url] : []),
    api.base,
    ...(api.hosts ?? []),
    ...('oauth2' in auth ? [auth.oauth2.tenants?.get] : []),
  ].filter((each) => each !== undefined)
  return addresses.some((address) => {
    const [, template] = /^https:\/\/([^/?#]+)/.exec(address) ?? []
    if (template === undefined) return servers.includes(host)
    if (/\{ask\.\w+\}/.test(template) && servers.length > 0) return servers.includes(host)
    const pattern = template
      .split(/\{[^}]+\}|\*/)
      .map((part) => part.replaceAll('.', String.raw`\.`))
      .join('[\\w.-]+')
    return new RegExp(`^${pattern}$`, 'i').test(host)
  })
}

const isRefused = (error: unknown): error is UpstreamError => error instanceof UpstreamError

test('no entry makes a request to a host that its addresses do not name, whatever is answered, typed, told or called', async () => {
  const open = openUpstream()
  const [numRuns, seed] = [cases(3000, 'CATALOGUE_CASES'), seedOf('CATALOGUE_SEED')]
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ENTRIES, ...VARIANTS),
        fc.array(anyText, { minLength: 6, maxLength: 6 }),
        fc.oneof(
          anyText,
          anyText.map((text) => `/${text}`),
        ),
        async ([service, entry], texts, path) => {
          const given = (names: readonly string[]) =>
            Object.fromEntries(names.map((name, i) => [name, texts[i % texts.length]!]))
          const connector = expandEntry(service, entry)
          const questions = Object.entries(connector.ask ?? {})
          const answers = Object.fromEntries(
            questions.flatMap(([name, field], i) => {
              const answer = readAnswer(field, texts[i]!)
              return answer === undefined ? [] : [[name, answer]]
            }),
          )
          // A sign-in does not begin before all questions have valid answers.
          if (Object.keys(answers).length < questions.length) return
          const fields = typedFieldsOf(connector.auth) ?? {}
          const typed = readTyped(fields, given(Object.keys(fields)))
          if (Object.keys(typed.faults).length > 0) return
          const facts = given(factNames(connector.auth))
          const servers = [
            ...questions.filter(([, { kind }]) => kind === 'host').map(([name]) => answers[name]!),
            ...Object.keys(fields)
              .filter((name) => (fields[name]!.format ?? 'text') !== 'text')
              .map((name) => new URL(typed.values[name]!.replace(/^(?!https?:)/, 'https://')).host),
          ]
          const filled = fillConnector(connector, answers)
          const key = { key: 'key', secret: 'secret', overrides: {} }
          const credential: Credential = { token: 'token', facts, instance: { ...answers, ...typed.values } }
          const check = (address: string | undefined) => {
            if (address === undefined || address === '') return
            const { host } = new URL(address)
            assert.ok(isNamed(entry, servers, host), `${service} would call ${address}`)
          }
          try {
            const { instance } = withFactAddress(filled, key, credential)
            const { addresses, relocate } = await locateService(open.upstream, { connector: filled, key, instance })
            for (const address of [
              addresses.authorizeUrl,
              addresses.tokenUrl,
              addresses.refreshUrl,
              addresses.revokeUrl,
            ])
              check(address)
            const tenants = tenantsOf(filled.auth)
            if (tenants !== undefined) check(relocate(tenants.url, 'tokenUrl'))
            if (filled.auth.kind === 'typed' && filled.auth.exchange?.url !== undefined)
              check(relocate(filled.auth.exchange.url, 'tokenUrl'))
            check(addressOf(addresses.apiUrl, { path }))
          } catch (error) {
            if (!isRefused(error)) throw error
          }
        },
      ),
      { numRuns, seed },
    )
  } finally {
    await open.close()
  }
})
