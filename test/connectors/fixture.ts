import type { Self } from '#kit/auth/self.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { ServiceCaller } from '#upstream/call/call-service.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import { finishSignIn } from '#upstream/sign-in.ts'
import { type ServiceName, serviceNames, startLab } from '../../lab/lab.ts'
import { fromTheSameHour } from '../../lab/testing/same-hour.ts'
import { openUpstream } from '../harness/upstream.ts'
import { radicaleMissing } from '../real/radicale.ts'
import { wordpressMissing } from '../real/wordpress.ts'
import { labKey, walk } from '../upstream/fixture.ts'
import { blueskyFixtureMissing, openBlueskyFixture } from './bluesky-fixture.ts'
import { openDavFixture } from './dav-fixture.ts'
import { openFeedFixture } from './feed-fixture.ts'
import { openWordpressFixture } from './wordpress-fixture.ts'

/** A running service, and a person who is signed in there. */
export interface Fixture {
  caller: ServiceCaller
  self: Self
  /** The authorization URL. */
  authorizeUrl: string
  nowMs: () => number
  close: () => Promise<void>
}

export interface FixturePlan {
  /** Why there is none, for the test report. */
  missing: string | false
  open: () => Promise<Fixture>
}

/** The counterpart of a connector: the real software if available, else the lab's simulator. */
export async function fixtureFor(connector: Connector): Promise<FixturePlan> {
  if (connector.service === 'bluesky') return { missing: await blueskyFixtureMissing(), open: openBlueskyFixture }
  if (connector.service === 'wordpress') return { missing: wordpressMissing(), open: openWordpressFixture }
  const { service } = connector
  if (connector.auth.kind === 'file') return { missing: 'nothing is called: its records come from files', open: none }
  if (service === 'feed') return { missing: false, open: openFeedFixture }
  if (service === 'carddav' || service === 'caldav')
    return { missing: radicaleMissing(), open: () => openDavFixture(service) }
  const name = serviceNames.find((one) => one === connector.service)
  if (name === undefined) return { missing: `the lab has no simulator of ${connector.service}`, open: none }
  return { missing: false, open: () => openLabFixture(connector, name) }
}

function none(): Promise<Fixture> {
  return Promise.reject(new Error('there is no ground to walk on'))
}

async function openLabFixture(described: Connector, name: ServiceName): Promise<Fixture> {
  const lab = await startLab({ services: [name], clock: fromTheSameHour() })
  const opened = openUpstream(lab.clock)
  const { upstream } = opened
  const closeAll = async () => {
    await opened.close()
    await lab.close()
  }
  try {
    const key = labKey(lab.services[name])
    const instance = described.ask === undefined ? undefined : { host: new URL(lab.services[name].url).host }
    const connector = fillConnector(described, instance)
    // All scopes, so that no endpoint is refused.
    const flag =
      connector.auth.kind.startsWith('oauth') && 'dm' in (connector.auth as { flags: object }).flags ? 'dm' : undefined
    const { begun, back } = await walk(upstream, { connector, key, flag, instance })
    const { credential, self } = await finishSignIn(upstream, { ...back, instance })
    const caller = { upstream, connector, key, credential }
    return { caller, self, authorizeUrl: begun.url, nowMs: () => lab.clock.now(), close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}
