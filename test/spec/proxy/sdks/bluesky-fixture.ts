import { join } from 'node:path'
import { callbackOf } from '../../../harness/callback.ts'
import { freePort } from '../../../harness/free-port.ts'
import { startLabHarness } from '../../../harness/lab.ts'
import { LOOPBACK_TYPED } from '../../../harness/loopback.ts'
import { type Granted, redeem } from '../../../harness/sign-in.ts'
import { startBluesky } from '../../../real/bluesky.ts'
import { finishReal, walkReal } from '../../sign-in/real-walk.ts'

export type BlueskyHarness = Awaited<ReturnType<typeof startBlueskyHarness>>

/** The service beside a real data server, where Alice has signed in. */
export async function startBlueskyHarness({
  proxyPorts = [],
  ...settings
}: {
  isLimited?: boolean
  /** Further services that get a port at the proxy. */
  proxyPorts?: string[]
} = {}) {
  const port = String(await freePort())
  // Native clients of this network return to a numeric loopback address.
  const harness = await startLabHarness({
    ...LOOPBACK_TYPED,
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../operator'),
    TRIBUTARY_PROXY_PORTS: ['bluesky', ...proxyPorts].map((service) => `${service}=0`).join(),
  })
  const network = await startBluesky(settings)
  process.env['TEST_PLC_URL'] = network.plcUrl
  const alice = await network.createAccount('alice.test')
  const overrides = { base_url: network.pdsUrl }
  const query = {
    redirect_uri: callbackOf(harness.tributary, harness.app, 'bluesky', overrides),
    scope: 'atproto transition:generic',
  }
  await harness.tributary.admin('PUT', `/admin/apps/${harness.app.clientId}/keys/bluesky`, {
    key: `http://localhost?${new URLSearchParams(query).toString()}`,
    secret: '',
    overrides,
  })
  const { handle, password } = alice
  const walked = await walkReal(harness, 'bluesky', (url) => network.authorize(url, { handle, password }))
  const code = (await finishReal(walked)).get('code')!
  const { access_token: token } = (await (await redeem(harness, code)).json()) as Granted
  return {
    ...harness,
    network,
    alice,
    /** Of Alice's account. */
    token,
    stop: async () => {
      await harness.stop()
      await network.close()
    },
  }
}
