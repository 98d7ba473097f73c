import { apiErrorOf } from '#access/api-errors.ts'
import { type Credential, verifiesApp } from '#kit/auth.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { randomShard } from '#platform/ids.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { verifyCredential } from '#upstream/sign-in.ts'
import { type ConnectedProfile, connectProfile } from './connect-profile.ts'
import type { AuthorizeDeps } from './deps.ts'

export interface Application {
  service: string
  token: string
  tokenSecret?: string | undefined
  account?: string | undefined
}

export interface Applied extends ConnectedProfile {
  /** The service confirmed that it issued the token to this app. */
  appVerified: boolean
}

/** Connects a profile with a token that the app obtained elsewhere. The service must say whom the token belongs to. */
export async function applyToken(deps: AuthorizeDeps, app: App, input: Application): Promise<Applied> {
  const connector = deps.registry.find(input.service)
  if (connector === undefined) throw new ApiError('service_unknown')
  const key = await findServiceKey(deps.database, deps.keyring, app.id, connector.service)
  if (key === undefined) throw new ApiError('no_service_keys')
  if (connector.auth.kind === 'oauth1' && input.tokenSecret === undefined)
    throw new ApiError('bad_parameter', 'token_secret: must be given for this service.')
  const credential: Credential = {
    token: input.token,
    ...(input.tokenSecret === undefined ? {} : { tokenSecret: input.tokenSecret }),
  }
  const signedIn = await verifyCredential(deps.upstream, { connector, key, credential }).catch((error: unknown) => {
    throw error instanceof UpstreamError ? apiErrorOf(error, 'unverified') : error
  })
  const connected = await deps.database.transaction((tx) =>
    connectProfile(deps, tx, {
      appId: app.id,
      service: connector.service,
      signedIn,
      actor: `app:${app.id}`,
      account: input.account === undefined ? { how: 'new' } : { how: 'given', id: input.account },
      shard: randomShard(),
    }),
  )
  if (connected === undefined) throw new ApiError('not_found', 'There is no such account.')
  return { ...connected, appVerified: verifiesApp(connector.auth) }
}
