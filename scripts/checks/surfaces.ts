import type { Check } from './list.ts'

/** Operators, connect sessions, uploads, repeated requests, typed hosts, agents, feeds, identity. */
export const SURFACE_CHECKS: readonly Check[] = [
  {
    id: 'S71',
    check: 'Every route as a developer of one app, with ids, tokens and names of another app',
    passes: 'nothing of the other app; routes for operators refused',
  },
  {
    id: 'S72',
    check:
      "An operator's link used twice, by two at once, after a day, after its revocation, after its creator lost the right",
    passes: 'it works once; all else refused',
  },
  {
    id: 'S73',
    check:
      'The session of the dashboard from another origin, without its header, with a planted cookie, after idling, after sign-out in another process',
    passes: 'refused; the cookie is closed to scripts and other sites',
  },
  { id: 'S74', check: 'Remove or demote the last operator, by the API and by the command', passes: 'refused' },
  {
    id: 'S75',
    check: 'Dangerous actions in a session whose password was given long ago',
    passes: 'the password is asked for again; nothing happened',
  },
  {
    id: 'S76',
    check: "Guess an operator's password: one by one, in other spellings, from an IPv6 network, by many strangers",
    passes: 'limited; a browser that signed in before is not kept out',
  },
  {
    id: 'S77',
    check: 'What operators do for themselves, for apps and for accounts, also by routes of apps',
    passes: 'recorded with the person, not with the app',
  },
  {
    id: 'S78',
    check: 'The link of an export twice, at once, in another session, for another account, late, by HEAD and previews',
    passes: 'one file; refused otherwise',
  },
  {
    id: 'S79',
    check: 'End a session, a role, a token, a secret or an account while a response, a stream or a long poll is open',
    passes: 'it ends at once; those of others go on',
  },
  {
    id: 'S80',
    check: 'A connect link in a preview, in a second browser, in many at once',
    passes: 'one browser has it; the others are told kindly',
  },
  {
    id: 'S81',
    check:
      'Revoke or expire a connect session before, during and after the sign-in; use it as another app; read the database',
    passes: 'nothing is connected; not found; nothing in clear',
  },
  {
    id: 'S82',
    check: "The page of a person's connections: link twice, in another browser, late; forms of another session or site",
    passes: 'the link works once; a foreign form does nothing',
  },
  {
    id: 'S83',
    check:
      'Uploads: bombs, lying sizes, nested and encrypted archives, `../`, broken forms, cut connections, too large',
    passes: 'refused with a sentence; nothing is left',
  },
  {
    id: 'S84',
    check: 'The same file uploaded by two people',
    passes: 'two accounts: a file never chooses one',
  },
  {
    id: 'S85',
    check: 'Repeat an `Idempotency-Key` as another app, account or operator, with another body, without credentials',
    passes: 'another request, 422, 401; the kept response is sealed',
  },
  {
    id: 'S86',
    check: 'The page of typed credentials in another browser, from another site, late, with guesses',
    passes: 'refused; guesses are limited by name and by browser',
  },
  {
    id: 'S87',
    check: 'Servers that people name: private, by name, by redirect of a public one, again and again',
    passes: 'refused before anything is sent; nothing is left; limited',
  },
  {
    id: 'S88',
    check:
      'Two servers with the same id of a person, a key for one of them, values that leave their place in an address',
    passes: 'two people; a key and a value go only where they belong',
  },
  {
    id: 'S89',
    check: 'Agents: no PKCE, no resource, another address or app, a code or a refresh token twice, another browser',
    passes: 'refused; a second use revokes the grant',
  },
  {
    id: 'S90',
    check: 'End an agent: by the person, by the app, with the account, while others serve',
    passes: 'refused at once in every process',
  },
  {
    id: 'S91',
    check:
      'Cursors of `/changes` and `/accounts/changes`: of another account or app, forged, damaged, of another filter',
    passes: 'refused; nothing of others',
  },
  {
    id: 'S92',
    check: 'A server that names another person: at sign-in, for an applied token, at a refresh',
    passes: 'refused; nothing stored; the token is revoked',
  },
  {
    id: 'S93',
    check: 'A reconnect link used by another user of the service, with a foreign ticket, for a foreign profile',
    passes: 'nothing changes; the token is revoked; no redirect',
  },
  {
    id: 'S94',
    check:
      'Deletion requests and webhooks of services: unsigned, changed, old, other algorithm, key without a secret, repeated',
    passes: 'refused; a repeated one changes nothing',
  },
  {
    id: 'S95',
    check:
      "A public app: no PKCE, another app's code, tokens of services without the secret, redirects that other programs receive",
    passes: 'refused; the person confirms first',
  },
  {
    id: 'S96',
    check: 'Commands in texts that install or run a package',
    passes: 'only packages of a lock file, or ours as a file',
  },
  {
    id: 'S97',
    check: 'Every form of a page sent from another origin, a sandboxed frame, or with forged fetch metadata',
    passes: 'refused, except what services post to a callback',
  },
]
