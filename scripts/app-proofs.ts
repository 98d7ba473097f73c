import { connectors } from '#connectors/index.ts'
import { type AppProof, appProofOf } from '#kit/auth/app-proof.ts'
import type { Auth } from '#kit/auth/auth.ts'

const PROOFS: Record<AppProof, string> = {
  signature: 'the signature of each call',
  check: 'a call',
  not_issued: 'nothing to prove',
  none: 'not by a plain token',
}

/** What shows `apply` that a token was issued to the app, by service. */
export function appProofTable(): string {
  const rows = connectors
    .toSorted((a, b) => (a.service < b.service ? -1 : 1))
    .filter(({ auth }) => auth.kind !== 'file')
    .map(({ service, auth }) => `| \`${service}\` | ${PROOFS[appProofOf(auth)]} | ${offerOf(auth)} |`)
  return ['| service | what proves the app | what the service offers |', '|---|---|---|', ...rows].join('\n')
}

function offerOf(auth: Auth): string {
  if (auth.kind === 'oauth1') return 'OAuth 1: a token works only with the secret of the app that it was issued to.'
  if (appProofOf(auth) === 'not_issued')
    return 'People give what they type at a sign-in, or nothing; it was issued to no app.'
  if (auth.kind === 'oauth2' && auth.verifyApp !== undefined)
    return `\`${auth.verifyApp.method} ${auth.verifyApp.url}\``
  return auth.kind === 'oauth2' || auth.kind === 'app_password' ? (auth.noAppCheck ?? '') : ''
}
