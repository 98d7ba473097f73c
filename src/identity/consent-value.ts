import type { SignedIn } from '#kit/auth/auth.ts'
import type { Tenant } from '#kit/read/facts.ts'
import type { CountedSignIn } from './open-sign-ins.ts'
import { requestIn, type SignInRequest, type StoredRequest, storedRequest } from './pending-value.ts'

/** The service said who the person is. */
interface SignedInConsent {
  kind: 'signed-in'
  signedIn: SignedIn
  /** Undefined where an older release started the sign-in. */
  counted: CountedSignIn | undefined
}

/** The person decided on our page: the credential is in the row of a code, in a profile, or gone. */
type DecidedConsent = { kind: 'confirmed' } | { kind: 'declined' }

/** The sealed content of a consent, by what became of it. */
export type ConsentValue = { request: SignInRequest } & (SignedInConsent | DecidedConsent)

/** The columns beside the sealed content. */
type ConsentColumns = Pick<SignInRequest, 'redirectUri' | 'codeChallenge' | 'accountId'>

/** The stored form, which the releases before and after this one share while an installation is updated. */
interface StoredConsent extends Omit<StoredRequest, keyof ConsentColumns | 'responseType'> {
  /** Undefined where an older release stored it, which meant `token`. */
  responseType?: 'code' | 'token' | undefined
  signedIn?: SignedIn | undefined
  counted?: CountedSignIn | undefined
  response?: 'yes' | 'no' | undefined
}

/** The JSON text to seal. What has a column of its own is left out. */
export function writeConsent(value: ConsentValue): string {
  const { redirectUri: _, codeChallenge: __, accountId: ___, ...request } = storedRequest(value.request)
  return JSON.stringify({ ...request, ...contentOf(value) } satisfies StoredConsent)
}

function contentOf(value: ConsentValue): Pick<StoredConsent, 'signedIn' | 'counted' | 'response'> {
  switch (value.kind) {
    case 'signed-in':
      return { signedIn: value.signedIn, counted: value.counted }
    case 'confirmed':
      return { response: 'yes' }
    case 'declined':
      return { response: 'no' }
    default:
      return value satisfies never
  }
}

export function readConsent(consent: ConsentColumns & { value: string }): ConsentValue {
  const stored = JSON.parse(consent.value) as StoredConsent
  const { redirectUri, codeChallenge, accountId } = consent
  const request = requestIn({
    ...stored,
    redirectUri,
    codeChallenge,
    accountId,
    responseType: stored.responseType ?? 'token',
  })
  const { signedIn, counted, response } = stored
  if (signedIn !== undefined) return { kind: 'signed-in', request, signedIn, counted }
  return { kind: response === 'no' ? 'declined' : 'confirmed', request }
}

/** What the service said; undefined once the person decided. */
export function signedInOf({ value }: { value: string }): SignedIn | undefined {
  return (JSON.parse(value) as StoredConsent).signedIn
}

/** The tenants of which the person has chosen none yet. */
export function tenantsIn({ value }: { value: string }): readonly Tenant[] {
  return (JSON.parse(value) as { tenants?: readonly Tenant[] }).tenants ?? []
}
