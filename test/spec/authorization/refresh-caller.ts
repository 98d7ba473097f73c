import { once } from 'node:events'
import { systemClock } from '#base/clock.ts'
import { loadConfig } from '#base/config.ts'
import { createLog } from '#base/log.ts'
import { accountOf } from '#flows/authorize/accounts.ts'
import { presentProfiles } from '#flows/authorize/profiles.ts'
import { createEgress } from '#upstream/egress/guard.ts'
import { createUpstream } from '#upstream/send.ts'
import { openStore } from '../../../src/open-store.ts'
import { loadRegistry } from '../../../src/services.ts'

/** A process of its own that asks for the tokens of an account several times at once. Speaks with the test that forked it. */
const config = loadConfig(process.env)
const log = createLog({
  level: 'error',
  format: 'json',
  clock: systemClock,
  write: (line) => process.stderr.write(line),
})
const store = await openStore(config, log)
const egress = createEgress({ allowPrivate: config.allowPrivate })
const need = {
  ...store,
  config,
  registry: await loadRegistry(config),
  upstream: createUpstream({ egress, clock: systemClock, log }),
}
process.send!('ready')
const [{ token, calls }] = (await once(process, 'message')) as [{ token: string; calls: number }]
const account = (await accountOf(need, token))!
const answers = await Promise.all(
  Array.from({ length: calls }, () => presentProfiles(need, account, { auth: true, full: false })),
)
process.send!(answers)
await egress.close()
await store.close()
process.disconnect()
