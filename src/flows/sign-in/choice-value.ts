import type { CountedSignIn } from '#identity/open-sign-ins.ts'
import {
  type CompletedSignIn,
  completedIn,
  requestIn,
  type SignInRequest,
  type StoredRequest,
  type StoredResult,
  storedRequest,
  storedResult,
} from '#identity/pending-value.ts'
import type { Credential, SignedIn } from '#kit/auth/auth.ts'
import type { Tenant } from '#kit/read/facts.ts'

/** The service listed the person's tenants, and they have not chosen. */
interface Choosing {
  kind: 'choosing'
  tenants: readonly Tenant[]
  credential: Credential
  /** The scope that was requested. */
  scope: string | undefined
  counted: CountedSignIn | undefined
}

/** They chose; the outcome is kept for a second submit of the page. The credential is in what came of it. */
interface Chosen {
  kind: 'chosen'
  completed: CompletedSignIn
}

/** The sealed content of a consent that waits for the choice of a tenant. */
export type ChoiceValue = { request: SignInRequest } & (Choosing | Chosen)

interface StoredChoice extends StoredRequest {
  /** Under the name that consents have, so that what ends the tokens of expired ones finds it. Nobody is named yet. */
  signedIn?: SignedIn
  tenants?: readonly Tenant[]
  requested?: string | undefined
  counted?: CountedSignIn | undefined
  settled?: StoredResult
}

export function writeChoice(request: SignInRequest, value: Choosing | Chosen): string {
  const content =
    value.kind === 'chosen'
      ? { settled: storedResult(value.completed) }
      : {
          signedIn: { credential: value.credential, self: { id: '' }, raw: '{}' },
          tenants: value.tenants,
          requested: value.scope,
          counted: value.counted,
        }
  return JSON.stringify({ ...storedRequest(request), ...content } satisfies StoredChoice)
}

/** `accountId` has a column of its own: an account may have been merged since. */
export function readChoice({ value, accountId }: { value: string; accountId: string | undefined }): ChoiceValue {
  const stored = JSON.parse(value) as StoredChoice
  const request = requestIn({ ...stored, accountId })
  const { settled, signedIn, tenants = [], requested: scope, counted } = stored
  if (settled !== undefined) return { kind: 'chosen', request, completed: completedIn(request, settled) }
  if (signedIn === undefined) throw new Error('A consent without a credential and an outcome.')
  return { kind: 'choosing', request, tenants, credential: signedIn.credential, scope, counted }
}
