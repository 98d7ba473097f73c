import { connectors } from '#connectors/index.ts'
import { appProofOf } from '#kit/auth/app-proof.ts'
import type { Auth } from '#kit/auth/auth.ts'

/** What shows `apply` that a token was issued to the app, by service. */
export function appProofTable(): string {
  const rows = connectors
    .toSorted((a, b) => (a.service < b.service ? -1 : 1))
    .filter(({ auth }) => auth.kind !== 'file')
    .map(({ service, auth }) => `| \`${service}\` | ${proofOf(auth)} | ${reasonOf(auth)} |`)
  return ['| service | what proves the app | what the service offers |', '|---|---|---|', ...rows].join('\n')
}

function proofOf(auth: Auth): string {
  switch (appProofOf(auth)) {
    case 'signature':
      return 'the signature of each call'
    case 'check':
      return 'a call'
    case 'not_issued':
      return 'nothing to prove'
    case 'none':
      return 'not by a plain token'
  }
}

function reasonOf(auth: Auth): string {
  switch (appProofOf(auth)) {
    case 'signature':
      return 'OAuth 1: a token works only with the secret of the app that it was issued to.'
    case 'not_issued':
      return 'People give what they type at a sign-in, or nothing; it was issued to no app.'
    default:
      break
  }
  if (auth.kind !== 'oauth2') return 'noAppCheck' in auth ? (auth.noAppCheck ?? '') : ''
  const { verifyApp: check } = auth
  return check === undefined ? (auth.noAppCheck ?? '') : `\`${check.method} ${check.url}\``
}
