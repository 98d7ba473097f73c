import type { IdentityDeps } from '#identity/deps.ts'
import { findPending, type Pending, putPending } from '#store/identity/pending.ts'

/**
 * Keeps what a form showed last, beside its sign-in, so that a submit can redirect to the page: then reload and Back repeat nothing.
 * The caller has checked that it is the browser of the sign-in. Never with a secret.
 */
export async function keepForm(deps: IdentityDeps, name: string, signIn: Pending, form: object): Promise<void> {
  await putPending(deps.database, deps.keyring, hashOf(deps, name), { ...signIn, value: JSON.stringify(form) })
}

export async function keptForm<Form extends object>(deps: IdentityDeps, name: string): Promise<Form | undefined> {
  const kept = await findPending(deps.database, deps.keyring, hashOf(deps, name))
  return kept && (JSON.parse(kept.value) as Form)
}

function hashOf({ hasher }: IdentityDeps, name: string): Buffer {
  return hasher.hash('pending', `form ${name}`)
}
