import { loadConfig } from '#config/config.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { start } from '../../../src/boot/app.ts'
import { describedResponses } from '../responses/described-responses.ts'
import type { Tributary } from '../start.ts'

/** Starts a second server on the same database and data folder: another process, or the same one after a restart. */
export async function startSecondServer(
  { databaseUrl, dataDir, adminToken }: Pick<Tributary, 'databaseUrl' | 'dataDir' | 'adminToken'>,
  env: Record<string, string> = {},
): Promise<{ tributary: { url: string }; stop: () => Promise<void> }> {
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '4',
    PORT: '0',
    TRIBUTARY_DATA: dataDir,
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    DRAIN_SECONDS: '5',
    ...env,
  })
  const log = createLog({ level: 'error', format: 'json', clock: systemClock, write: () => {} })
  const responses = describedResponses()
  const started = await start(config, log, '0.0.0-test', { serve: true, workers: 'inline', onSend: responses.onSend })
  return {
    tributary: { url: started.url! },
    stop: async () => {
      await started.stop()
      responses.assertNone()
    },
  }
}
