import { once } from 'node:events'
import { loadConfig } from '#config/config.ts'
import { accountOf } from '#identity/accounts.ts'
import { presentProfiles } from '#identity/profiles.ts'
import { systemClock } from '#platform/clock.ts'
import { createEgressLevels } from '#platform/egress/levels.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { createUpstream } from '#upstream/request/send.ts'
import { openStore } from '../../../src/boot/open-store.ts'
import { loadRegistry } from '../../../src/boot/registry.ts'

/** A process that requests the tokens of an account several times at once. Talks to the test that forked it. */
const config = loadConfig(process.env)
const log = createLog({
  level: 'error',
  format: 'json',
  clock: systemClock,
  write: (line) => process.stderr.write(line),
})
const store = await openStore(config, log)
const egress = createEgressLevels(config)
const deps = {
  ...store,
  config,
  registry: await loadRegistry(config),
  upstream: createUpstream({ egress, clock: systemClock, log }),
}
process.send!('ready')
const [{ token, calls }] = (await once(process, 'message')) as [{ token: string; calls: number }]
const account = (await accountOf(deps, token))!
const responses = await Promise.all(
  Array.from({ length: calls }, () => presentProfiles(deps, account, { auth: true, full: false })),
)
process.send!(responses)
await egress.close()
await store.close()
process.disconnect()
