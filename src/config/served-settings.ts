import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, Environment } from './config.ts'

const fileIn = (dataDir: string) => join(dataDir, 'served-settings.json')

/**
 * Keeps what a server was last started with beside its admin token, for commands that are run without its environment: they print
 * the callback addresses of the server, and reach the destinations that it reaches.
 */
export function keepServedSettings({
  dataDir,
  baseUrl,
  allowPrivate,
  allowPrivateTyped,
}: Pick<Config, 'dataDir' | 'baseUrl' | 'allowPrivate' | 'allowPrivateTyped'>): void {
  const settings: Environment = {
    BASE_URL: baseUrl,
    TRIBUTARY_ALLOW_PRIVATE: allowPrivate.join(','),
    TRIBUTARY_ALLOW_PRIVATE_TYPED: allowPrivateTyped.join(','),
  }
  const draft = `${fileIn(dataDir)}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, fileIn(dataDir))
}

/** The kept settings that `env` does not set itself. */
export function servedSettings(dataDir: string, env: Environment): Environment {
  const isSet = (name: string) => [name, `${name}_FILE`].some((each) => env[each] !== undefined && env[each] !== '')
  return Object.fromEntries(
    Object.entries(read(fileIn(dataDir))).filter(([name, value]) => typeof value === 'string' && !isSet(name)),
  ) as Environment
}

function read(file: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}
  } catch {
    // No server with an admin token of its own was started on this folder, or the file is damaged: commands have their own environment.
    return {}
  }
}
