import type { Mutant } from './mutant.ts'

const CALLBACK = 'src/flows/sign-in/callback.ts'
const EXCHANGE = 'src/flows/sign-in/exchange-code.ts'
const BINDING = 'test/spec/security/security-binding.test.ts'
const CODES = 'test/spec/security/security-codes.test.ts'
const REDIRECTS = 'test/spec/security/security-redirects.test.ts'
const LEAKS = 'test/spec/security/security-leaks.test.ts'
const SEALING = 'test/spec/security/security-sealing.test.ts'
const GUESSING = 'test/spec/security/security-guessing.test.ts'
const EFFECTS = 'test/spec/security/security-effects.test.ts'
const TOKENS = 'test/spec/security/security-tokens.test.ts'

/** S01 to S29: who signs in, and where codes and tokens go. */
export const SIGN_IN_MUTANTS: readonly Mutant[] = [
  // The registration tells services apart too, so the whole comparison goes.
  { check: 'S01', file: CALLBACK, find: '    isAt(pending, at) &&\n', replace: '', tests: [BINDING] },
  {
    check: 'S02',
    file: CALLBACK,
    find: 'const app = isValid ? await findApp',
    replace: 'const app = pending !== undefined ? await findApp',
    tests: [BINDING],
  },
  {
    check: 'S03',
    file: 'src/upstream/oauth2/issuer.ts',
    find: "if (issuerAnnounced === true) throw issuerMismatch('The callback has no issuer (iss)')",
    replace: '',
    tests: ['test/upstream/oauth2-sign-in.test.ts'],
  },
  { check: 'S04', file: CALLBACK, find: 'pending.expiresAt >= deps.clock.now() &&', replace: '', tests: [BINDING] },
  {
    check: 'S05',
    file: 'src/identity/expire-consents.ts',
    find: 'await revokeUnused(deps, consent)',
    replace: '',
    tests: [BINDING],
  },
  {
    check: 'S06',
    file: CALLBACK,
    find: "request.responseType === 'token' ||\n    mayBeImpersonated(app, to) ||",
    replace: 'request.accountId === undefined &&',
    tests: [BINDING],
  },
  {
    check: 'S07',
    file: 'src/model/apps/app.ts',
    find: 'each === given ||',
    replace: 'each.toLowerCase() === given.toLowerCase() ||',
    tests: [REDIRECTS],
  },
  {
    check: 'S08',
    file: 'src/http/sign-in/authenticate-person.ts',
    find: "if (value === undefined || typeof value === 'string') return value",
    replace: 'if (!Array.isArray(value)) return value as string | undefined\n  return value[0] as string',
    tests: [REDIRECTS],
  },
  { check: 'S09', file: EXCHANGE, find: 'await revokeIssuedToken(deps, tx, consent)', replace: '', tests: [CODES] },
  {
    check: 'S10',
    file: EXCHANGE,
    find: ' && redirectUri !== consent.redirectUri',
    replace: " && redirectUri === ''",
    tests: [CODES],
  },
  {
    check: 'S11',
    file: EXCHANGE,
    find: 'timingSafeEqual(Buffer.from(digest), Buffer.from(codeChallenge))',
    replace: 'digest.length === codeChallenge.length',
    tests: [CODES],
  },
  { check: 'S12', file: EXCHANGE, find: '{43,128}', replace: '{1,256}', tests: [CODES] },
  {
    check: 'S13',
    file: 'src/http/server/authenticate.ts',
    find: "if (account === undefined) throw new ApiError('token_invalid', OTHER_CREDENTIALS[token.slice(0, 4)])",
    replace: "if (account === undefined) throw new ApiError('token_invalid', `Unknown: ${tokenOf(request)}.`)",
    tests: [LEAKS],
  },
  {
    check: 'S14',
    file: 'src/http/server/security-headers.ts',
    find: "'referrer-policy': 'no-referrer',",
    replace: '',
    tests: [LEAKS],
  },
  {
    check: 'S15',
    file: 'src/model/accounts/access-token.ts',
    find: '|| checksum(token.slice(0, -6)) !== sum',
    replace: '|| sum === undefined',
    tests: [TOKENS],
  },
  {
    check: 'S16',
    file: 'src/store/identity/access-tokens.ts',
    find: 't.hash = $hash and t.revoked_at is null',
    replace: 't.hash = $hash',
    tests: [TOKENS],
  },
  {
    check: 'S17',
    file: 'src/store/vault.ts',
    find: "return createHmac('sha256', this.#pepper).update(purpose).update('\\0').update(value).digest()",
    replace: 'return Buffer.from(purpose + value)',
    tests: [LEAKS],
  },
  {
    check: 'S18',
    file: 'src/platform/crypto/sealing.ts',
    find: '[cell.table, cell.row, cell.column]',
    replace: '[cell.table, cell.column]',
    tests: [SEALING],
  },
  {
    check: 'S19',
    file: 'src/flows/operations/keyring.ts',
    find: 'keys: [randomBytes(KEY_BYTES), ...file.keys]',
    replace: 'keys: [randomBytes(KEY_BYTES)]',
    tests: [SEALING],
  },
  {
    check: 'S20',
    file: 'src/http/server/authenticate.ts',
    find: 'timingSafeEqual(digest(a), digest(b))',
    replace: 'a === b',
    tests: ['test/secret-comparisons.test.ts'],
  },
  {
    check: 'S21',
    file: 'src/flows/apps/limit-guesses.ts',
    find: 'const MAX_WRONG_PER_SUBJECT = 30',
    replace: 'const MAX_WRONG_PER_SUBJECT = 90',
    tests: [GUESSING],
  },
  {
    check: 'S22',
    file: 'src/flows/accounts/export-account.ts',
    find: 'account?.appId !== appId',
    replace: 'account === undefined',
    tests: ['test/spec/security/security-tenants.test.ts'],
  },
  {
    check: 'S23',
    file: 'src/identity/merge.ts',
    find: "if (source.appId !== dest.appId) throw new ApiError('other_app')",
    replace: '',
    tests: ['test/spec/sign-in/machine.test.ts'],
  },
  {
    check: 'S24',
    file: 'src/identity/merge.ts',
    find: "if (source.id === dest.id) throw new ApiError('same_account')",
    replace: '',
    tests: ['test/spec/accounts/merge-races.test.ts'],
  },
  {
    check: 'S25',
    file: 'src/http/sign-in/prefetch.ts',
    find: '/prefetch|preview|prerender/i.test(purpose) ||',
    replace: '',
    tests: [EFFECTS],
  },
  {
    check: 'S26',
    file: 'src/upstream/oauth2/verify-app.ts',
    find: 'if (!auth.verifyApp) return',
    replace: 'if (auth.verifyApp) return',
    tests: ['test/upstream/oauth2-refresh.test.ts'],
  },
  {
    check: 'S27',
    file: 'src/upstream/oauth1/tokens.ts',
    find: "if (fields['oauth_callback_confirmed'] !== 'true')",
    replace: "if (fields['oauth_callback_confirmed'] === 'false')",
    tests: ['test/upstream/oauth1.test.ts'],
  },
  {
    check: 'S28',
    file: 'src/upstream/sign/oauth1-base-string.ts',
    find: 'compareAscii(nameA, nameB) || compareAscii(valueA, valueB)',
    replace: 'compareAscii(nameA, nameB)',
    tests: ['src/upstream/sign/oauth1.test.ts'],
  },
  {
    check: 'S29',
    file: 'src/upstream/callback-parameters.ts',
    find: 'if (values.length > 1)',
    replace: 'if (values.length > 2)',
    tests: [BINDING],
  },
]
