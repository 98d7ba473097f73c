import { existsSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config/config.ts'
import { embeddedFolders, removeEmbedded } from '#platform/embedded-postgres/remove.ts'
import { SetupError } from '#platform/errors.ts'
import type { Log } from '#platform/telemetry/log.ts'

/** What Tributary writes into a data folder beside the database, keys last. Other files there are not its own. */
const FILES = [
  'demo',
  'demo-app.json',
  'served-settings.json',
  'postgres.log',
  'postgres.log.1',
  'admin-token',
  'keyring.json',
]
/** What an interrupted removal leaves. */
const RENAMED = /^postgres\.[0-9a-f]{12}$/

interface RemoveDeps {
  config: Pick<Config, 'dataDir' | 'databaseUrl'>
  log: Log
}

/** What a reset would remove, by path; empty when there is nothing. */
export async function findData({ config, log }: RemoveDeps): Promise<string[]> {
  const { dataDir, databaseUrl } = config
  if (databaseUrl !== undefined)
    throw new SetupError('DATABASE_URL names a database of your own, which this command does not touch.', {
      code: 'own_database',
      help: 'Drop that database and create it again. To remove the embedded one: unset DATABASE_URL',
    })
  return [...(await embeddedFolders({ dataDir, log })), ...(await filesIn(dataDir))]
}

/** Removes the embedded database, the keys and everything else that Tributary wrote into the data folder. */
export async function removeData(deps: RemoveDeps): Promise<{ removed: string[]; kept: string[] }> {
  const { dataDir } = deps.config
  const removed = await findData(deps)
  if (!(await removeEmbedded({ dataDir, log: deps.log })))
    throw new SetupError(`A process of Tributary uses the data folder ${dataDir}. Nothing was removed.`, {
      code: 'data_folder_in_use',
      help: 'Stop it, then repeat the command.',
    })
  for (const path of await filesIn(dataDir)) await rm(path, { recursive: true })
  const kept = existsSync(dataDir) ? await readdir(dataDir) : []
  if (existsSync(dataDir) && kept.length === 0) await rmdir(dataDir)
  return { removed, kept: kept.map((name) => join(dataDir, name)) }
}

async function filesIn(dataDir: string): Promise<string[]> {
  const found = existsSync(dataDir) ? await readdir(dataDir) : []
  const renamed = found.filter((name) => RENAMED.test(name))
  return [...renamed, ...FILES.filter((name) => found.includes(name))].map((name) => join(dataDir, name))
}
