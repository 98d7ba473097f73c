import assert from 'node:assert/strict'
import { type ServiceName, startLab } from '../../../../lab/lab.ts'
import { makeApp } from '../../../harness/app.ts'
import { registerAt } from '../../../harness/callback.ts'
import { FEW_ITEMS } from '../../../harness/lab.ts'
import { LOOPBACK } from '../../../harness/loopback.ts'
import { items } from '../../../harness/read.ts'
import { send } from '../../../harness/send.ts'
import { REDIRECT, signIn } from '../../../harness/sign-in.ts'
import { startTributary } from '../../../harness/start.ts'
import { synced } from '../../../harness/sync.ts'
import { until } from '../../../harness/until.ts'
import { tokensThatLeft } from './tokens-that-left.ts'

export type SdkHarness<Name extends ServiceName> = Awaited<ReturnType<typeof startSdkHarness<Name>>>

interface SignIn {
  person?: string
  /** What the app requests of the service, to write. */
  scope?: string
  /** The account to join. */
  account?: string
}

/** The service with vendors of the lab, whose SDKs call it instead of the vendor. */
export async function startSdkHarness<Name extends ServiceName>(services: Name[]) {
  const lab = await startLab({ services, maxActivity: FEW_ITEMS })
  const tributary = await startTributary({ TRIBUTARY_ALLOW_PRIVATE: LOOPBACK }, {}, { proxyPorts: services }).catch(
    async (error: unknown) => {
      await lab.close()
      throw error
    },
  )
  const at = { tributary }
  const app = await makeApp(tributary, { name: 'SDKs', redirectUris: [REDIRECT] })
  for (const service of services) await registerAt(tributary, app, service, lab.services[service], { name: 'SDKs' })
  const tokens: string[] = []

  return {
    ...at,
    lab,
    app,
    /** Signs somebody of the lab in; returns the token for that service, which SDKs get, and the account's. */
    signIn: async (service: Name, { person = 'ada', scope, account }: SignIn = {}) => {
      const query = {
        ...(scope === undefined ? {} : { scope }),
        ...(account === undefined ? {} : { access_token: account }),
      }
      const { access_token: own, account: id } = await signIn({ ...at, app }, service, person, query)
      const made = await send(at, 'POST', '/proxy-tokens', { token: own, json: { service } })
      assert.equal(made.status, 201, made.text)
      const token = String(made.body['token'])
      tokens.push(own, token)
      return { token, own, account: id }
    },
    /** The address at which an SDK finds the service, for SDKs that take one with a path. */
    addressOf: (service: Name) => `${tributary.url}/proxy/${service}`,
    /** The address for SDKs that take a host only. */
    originOf: (service: Name) => tributary.proxyOrigin(service),
    /** The credential that the service received last, with which the same SDK calls the service itself. */
    credentialAt: (service: Name) => {
      const header = lab.services[service].requests.all.findLast(({ headers }) => headers.authorization !== undefined)
      const [, credential] = /^Bearer (.+)$/.exec(header?.headers.authorization ?? '') ?? []
      assert.ok(credential, `${service} received a credential`)
      return credential
    },
    /** Waits until the first sync is over, so that the next one is that of `readBack`. */
    settled: (service: Name, endpoint: string, own: string) => synced(at, own, service, { endpoints: [endpoint] }),
    /** Waits until an item that the SDK wrote was read back from the service. */
    readBack: async (
      service: Name,
      endpoint: string,
      own: string,
      found: (data: Record<string, unknown>) => boolean,
    ) => {
      await synced(at, own, service, { endpoints: [endpoint] })
      const { status, text } = await send(at, 'POST', `/profiles/${service}/sync`, { token: own })
      assert.ok([200, 202].includes(status), text)
      return until(`${service}/${endpoint} has what was written`, async () => {
        const list = await items(at, `/services/${service}/${endpoint}?limit=1000&until=4102444800000`, own)
        return list.find(({ data }) => found(data))
      })
    },
    /** Fails if any byte of ours reached a service. */
    assertNothingLeft: () => {
      for (const service of services) {
        const { all } = lab.services[service].requests
        assert.ok(all.length > 0 && all.length < 5000, `${service} received ${all.length} requests`)
        assert.deepEqual(tokensThatLeft(all, tokens), [])
      }
    },
    stop: async () => {
      try {
        await tributary.stop()
      } finally {
        await lab.close()
      }
    },
  }
}
