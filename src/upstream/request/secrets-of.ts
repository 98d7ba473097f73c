import { type Auth, type Credential, typedFieldsOf } from '#kit/auth/auth.ts'
import type { Upstream } from './send.ts'
import type { ServiceKey } from './service-key.ts'

/** `auth` says which typed values are secret. */
interface Signed {
  auth?: Auth
  key: ServiceKey
  credential: Credential
}

/** What a call is signed with: values that no log may show, wherever they appear. */
export function secretsOf({ auth, key, credential }: Signed): string[] {
  const { token, tokenSecret, refreshToken, previousRefreshToken, fields = {} } = credential
  const declared = (auth && typedFieldsOf(auth)) ?? {}
  const typed = Object.entries(fields).filter(([name]) => declared[name]?.secret === true)
  return [
    key.secret,
    token,
    tokenSecret,
    refreshToken,
    previousRefreshToken,
    ...typed.map(([, value]) => value),
  ].filter((secret) => secret !== undefined)
}

/** The same upstream, whose logs show none of these values in an address. */
export function hidingSecrets(upstream: Upstream, signed: Signed): Upstream {
  const secrets = secretsOf(signed)
  return { ...upstream, send: (request) => upstream.send({ ...request, secrets }) }
}
