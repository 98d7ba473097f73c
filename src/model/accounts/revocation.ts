/** What was done at a service with a token that is not needed here any more. `docs/api.md` lists them from this table. */
export const REVOCATION_RESULTS = {
  revoked: 'The app has no access to this person at the service any more.',
  token_ended:
    'Only this token was ended: another profile or unfinished sign-in of the app uses the same service user.',
  kept: 'Nothing was ended: another profile or unfinished sign-in of the app needs what the service would end.',
  refused: 'The service refused the request, so the token may still be valid there.',
  unreachable:
    'The service could not be asked, so the token may still be valid there: it did not respond, it failed, or the keys of the app or the token are missing here.',
  not_offered:
    'The service has no way to end a token. It is valid until it expires or the person removes the app there.',
} as const satisfies Record<string, string>

export type RevocationResult = keyof typeof REVOCATION_RESULTS

export const REVOCATION_RESULT_NAMES = Object.keys(REVOCATION_RESULTS) as [RevocationResult, ...RevocationResult[]]
