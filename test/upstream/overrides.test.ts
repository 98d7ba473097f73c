import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import { typedFieldsOf } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { locateService } from '#upstream/addresses/addresses.ts'
import { serviceHosts } from '#upstream/addresses/further-hosts.ts'
import { openUpstream } from '../harness/upstream.ts'

const open = openUpstream()
after(() => open.close())

const OWN = 'https://own.example'
// A connector that discovers its addresses, or whose server the person names, has none to move.
const withAddresses = connectors.filter(
  ({ auth }) => typedFieldsOf(auth) === undefined && !(auth.kind === 'oauth2' && auth.discover !== undefined),
)

/** Every address that gets a key, a secret or a token of the app. */
async function addressesOf(connector: Connector, overrides: Record<string, string>): Promise<Record<string, string>> {
  const { addresses, relocate } = await locateService(open.upstream, {
    connector,
    key: { key: 'k', secret: 's', overrides },
  })
  const { auth } = connector
  const further =
    auth.kind === 'oauth2'
      ? {
          longToken: auth.longToken?.url,
          renew: auth.renew?.url,
          verifyApp: auth.verifyApp?.url,
          revokeToken: auth.revokeToken?.url,
        }
      : {}
  const moved = Object.entries(further).flatMap(([name, url]) =>
    url === undefined ? [] : [[name, relocate(url, 'tokenUrl')]],
  )
  const { hosts } = serviceHosts({ connector, key: { key: 'k', secret: 's', overrides } }, addresses.apiUrl)
  const furtherHosts = hosts.map(({ declared, url }): [string, string] => [declared, url])
  const texts = Object.entries(addresses).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries([...texts, ...moved, ...furtherHosts])
}

suite('one override moves the whole service: nothing goes to the host of the vendor', () => {
  const overridesOf = ({ auth }: Connector) => [
    { api_url: `${OWN}/deep/api` },
    { base_url: `${OWN}/deep` },
    { authorize_url: `${OWN}/login` },
    auth.kind === 'oauth1' ? { request_token_url: `${OWN}/request` } : { token_url: `${OWN}/token` },
  ]
  for (const connector of withAddresses)
    for (const overrides of overridesOf(connector))
      test(`${connector.service}: ${Object.keys(overrides).join()}`, async () => {
        for (const [name, url] of Object.entries(await addressesOf(connector, overrides)))
          assert.ok(url.startsWith(`${OWN}/`) || url === OWN, `${name}: ${url}`)
      })
})

suite('GitHub Enterprise', () => {
  const github = connectors.find(({ service }) => service === 'github')!
  const expected = {
    authorizeUrl: `${OWN}/login/oauth/authorize`,
    tokenUrl: `${OWN}/login/oauth/access_token`,
    apiUrl: `${OWN}/api/v3`,
    revokeUrl: `${OWN}/api/v3/applications/{key}/grant`,
    revokeToken: `${OWN}/api/v3/applications/{key}/token`,
    verifyApp: `${OWN}/api/v3/applications/{key}/token`,
    'https://uploads.github.com': `${OWN}/api/uploads`,
  }
  const sets: Record<string, string>[] = [
    { api_url: `${OWN}/api/v3` },
    { api_url: `${OWN}/api/v3/` },
    { api_url: `${OWN}/api/v3`, base_url: OWN },
    {
      api_url: `${OWN}/api/v3`,
      authorize_url: `${OWN}/login/oauth/authorize`,
      token_url: `${OWN}/login/oauth/access_token`,
    },
  ]
  for (const overrides of sets)
    test(Object.keys(overrides).join(', '), async () => {
      assert.deepEqual(await addressesOf(github, overrides), { ...expected, apiUrl: overrides['api_url'] })
    })
})
