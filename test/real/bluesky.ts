import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type BlueskyAccount, type BlueskyAgent, openAccount } from './bluesky-account.ts'
import { type BlueskyPerson, consentOverHttp } from './bluesky-consent.ts'
import { type BlueskyProcess, startBlueskyProcess } from './bluesky-process.ts'
import { packagesMissing } from './packages.ts'

export type { BlueskyAccount, BlueskyAgent, BlueskyPerson }

export interface RunningBluesky extends BlueskyProcess {
  /** Creates an account whose handle ends in `.test`, for example `alice.test`. */
  createAccount(handle: string): Promise<BlueskyAccount>
  /** Walks the OAuth pages as the account's owner; returns the address to which the person is redirected. */
  authorize(authorizeUrl: string, person: BlueskyPerson): Promise<string>
}

export const blueskyMissing = (): Promise<string | false> => packagesMissing('bluesky')

/**
 * A personal data server with its identity directory: accounts, OAuth with DPoP, records, blobs and the firehose. `isLimited`: with
 * the rate limits of such servers.
 */
export async function startBluesky(settings: { isLimited?: boolean } = {}): Promise<RunningBluesky> {
  return withAccounts(await startBlueskyProcess(settings, {}))
}

export interface BlueskyNetworkOptions {
  /** A database in which the network creates its own schemas and drops them at the end. */
  postgresUrl: string
  redisHost: string
}

/**
 * The data server together with the AppView that serves feeds, timelines, likes and followers; call `settle` before
 * reading.
 */
export async function startBlueskyNetwork({ postgresUrl, redisHost }: BlueskyNetworkOptions): Promise<RunningBluesky> {
  // The network accepts letters and underscores only.
  const name = Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
  const env = { DB_POSTGRES_URL: postgresUrl, REDIS_HOST: redisHost }
  const network = await startBlueskyProcess({ postgresSchema: name }, env)
  return withAccounts({
    ...network,
    async close() {
      await network.close()
      await dropSchemas(postgresUrl, name)
    },
  })
}

async function dropSchemas(postgresUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: postgresUrl })
  await client.connect()
  try {
    for (const part of ['appview', 'bsync', 'ozone'])
      await client.query(`DROP SCHEMA IF EXISTS ${part}_${name} CASCADE`)
  } finally {
    await client.end()
  }
}

function withAccounts(network: BlueskyProcess): RunningBluesky {
  return {
    ...network,
    createAccount: (handle) => openAccount(network.pdsUrl, handle),
    authorize: (url, person) => consentOverHttp(network.pdsUrl, url, person),
  }
}
