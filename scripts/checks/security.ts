import type { Check } from './list.ts'

export const SECURITY_CHECKS: readonly Check[] = [
  {
    id: 'S01',
    check:
      "Hostile demo service redirects the browser to an honest service's authorize URL with the victim's `state` (COAT)",
    passes: 'callback refuses, no token request leaves, audit entry',
  },
  {
    id: 'S02',
    check: 'The same with two apps that use the same service: a code of one in the flow of the other',
    passes: 'refused; no row changes',
  },
  { id: 'S03', check: 'Upstream sends wrong or missing `iss` where announced', passes: 'refused' },
  {
    id: 'S04',
    check:
      'Start flow in browser A, finish callback in browser B (no cookie, other cookie, replayed state, state after 10 min)',
    passes: 'all refused, state consumed',
  },
  {
    id: 'S05',
    check: "A link with the attacker's `access_token` is opened by the victim, and the app never redeems the code",
    passes: "the attacker's profiles stay as they were; what is pending lapses; the service's token is revoked",
  },
  {
    id: 'S06',
    check: 'The same with `response_type=token`',
    passes: 'a confirmation page; without a click nothing is attached',
  },
  {
    id: 'S07',
    check:
      '60 mutations of a redirect address (case, slash, port, `..`, user name, backslash, punycode, newline, fragment, IPv6, sub-domain, scheme)',
    passes: 'no redirect, 400',
  },
  {
    id: 'S08',
    check: 'Registered URI plus `code=`/`state=`/`error=` in its query; duplicate OAuth parameters in any request',
    passes: 'refused',
  },
  {
    id: 'S09',
    check: 'Redeem one code 50 times at once',
    passes: 'exactly one success; after a second use the issued token is dead',
  },
  {
    id: 'S10',
    check: 'Redeem a code with another app, another redirect address, too late',
    passes: 'refused, same error body',
  },
  { id: 'S11', check: "Victim's code injected in the attacker's session (same client, PKCE on)", passes: 'refused' },
  {
    id: 'S12',
    check: 'PKCE: plain, missing verifier, wrong verifier, verifier without challenge, 42 and 129 chars',
    passes: 'refused as RFC says',
  },
  {
    id: 'S13',
    check:
      'Canary tokens and secrets through every endpoint, success and failure, at debug level; search logs, traces, metrics, inspector rows, error bodies, crash dumps, backups',
    passes: '0 hits',
  },
  {
    id: 'S14',
    check:
      'Every HTML and redirect response carries `no-referrer`, `no-store`, `nosniff`, frame and CSP headers; token fragment never in a query',
    passes: '100 % of routes (route table driven)',
  },
  {
    id: 'S15',
    check:
      'Token: below 255 chars, new on each authorisation, time part increasing, 1e6 tokens no collision, checksum rejects 1-char errors without a database hit; older tokens still work',
    passes: 'all hold',
  },
  {
    id: 'S16',
    check: 'Revoke one token or all, merge, erase; then use the token on each endpoint, also on an open stream',
    passes: 'refused at once; open streams end',
  },
  {
    id: 'S17',
    check:
      'Read every byte of the data files, WAL and backups for known third-party tokens, client secrets, broker tokens, destination passwords',
    passes: '0 hits',
  },
  {
    id: 'S18',
    check: 'Flip each byte of a sealed record; swap records between rows, tenants, columns',
    passes: 'decryption refuses, profile marked, no crash',
  },
  {
    id: 'S19',
    check: 'Rotate the master key under load, kill in the middle, resume; start with wrong/old/missing key',
    passes: 'no failed reads; clear refusal; no plaintext fallback',
  },
  {
    id: 'S20',
    check:
      'Compare secrets: right against wrong first byte, unknown against known app (Welch t, 100,000 samples by `npm run timing`)',
    passes: '|t| below 4.5',
  },
  {
    id: 'S21',
    check: '1,000 wrong secrets per minute by client and by IP',
    passes: '429 after the limit, right client unaffected from elsewhere',
  },
  {
    id: 'S22',
    check: 'Every endpoint with ids of the caller, another account, another app, deleted, random',
    passes: 'only own ones succeed; all others are byte-equal 404',
  },
  {
    id: 'S23',
    check: 'Property test: random ops by 3 tenants',
    passes: "no response ever holds another tenant's canary",
  },
  {
    id: 'S24',
    check:
      'Merge: self, cross client, deleted source, repeat, 20 concurrent, chain A-B, B-C, cycle A-B with B-A at once, kill at each crash point',
    passes: 'profiles conserved exactly once, no orphan, one winner, source token dead, idempotent reply',
  },
  { id: 'S25', check: 'Merge with `Sec-Purpose: prefetch`, HEAD, OPTIONS, bot user agents', passes: 'no effect' },
  {
    id: 'S26',
    check: 'Apply with a token of another app, another service, expired, malformed, good',
    passes: 'only good accepted',
  },
  {
    id: 'S27',
    check: 'OAuth 1: no verifier, wrong request token, callback not confirmed, reused token',
    passes: 'refused',
  },
  {
    id: 'S28',
    check:
      'OAuth 1 vectors: RFC 5849 1.2 signature and 3.4.1 base string, unicode, empty, duplicate, array, port and case, RSA-SHA1, HMAC-SHA256',
    passes: 'byte-equal',
  },
  {
    id: 'S29',
    check: 'Duplicate, array and nested query parameters (`limit=1&limit=2`, `limit[]=`, `__proto__`)',
    passes: '400 or first value by rule; never 500',
  },
  {
    id: 'S30',
    check: '36 hostile addresses (numbers, mapped, NAT64, 6to4, Teredo, metadata, …) through every way out',
    passes: 'all refused; public ones pass',
  },
  {
    id: 'S31',
    check: 'Names resolving to mixed good and bad addresses; to none; to 1,000 answers',
    passes: 'refused; refused; bounded',
  },
  {
    id: 'S32',
    check: 'Rebinding server: first answer public, second loopback, TTL 0, across keep-alive and reconnect',
    passes: 'loopback never contacted (listener counts 0)',
  },
  {
    id: 'S33',
    check: 'Redirect chains to loopback, other scheme, other host with credentials, loop, 6 hops',
    passes: 'stopped; credentials not sent to another host',
  },
  {
    id: 'S34',
    check:
      'Push strings: unix socket, `hostaddr`, multi-host, SRV, `sslrootcert=` file, `options=`, zone id, port 22/25/6379',
    passes: 'refused with named reason',
  },
  {
    id: 'S35',
    check: 'Rogue MySQL server asks for a local file; rogue Postgres sends huge row/notice/error',
    passes: 'no file read; bounded memory',
  },
  {
    id: 'S36',
    check: 'TLS: self-signed, wrong host, expired, TLS 1.0, plain when required',
    passes: 'refused; verify cannot be turned off by a tenant',
  },
  {
    id: 'S37',
    check: 'Timing and wording of refused vs closed vs open internal ports through proxy and push',
    passes: 'indistinguishable beyond noise',
  },
  {
    id: 'S38',
    check:
      'Proxy headers: 40 smuggling cases (TE+CL, `Connection: authorization`, obs-fold, CR/LF, duplicate Host, absolute URI, `Expect`, upgrade) against a raw TCP upstream',
    passes: 'upstream sees exactly the rebuilt set',
  },
  {
    id: 'S39',
    check: 'Proxy path: `..`, `%2e%2e`, `//host`, `\\`, `@`, `?access_token=`, `;`, double encoding',
    passes: 'stays under base; our parameters removed',
  },
  {
    id: 'S40',
    check: 'Proxy response: `Set-Cookie`, CORS, HSTS, hop-by-hop, wrong length, early close',
    passes: 'stripped or 502, connection not reused',
  },
  {
    id: 'S41',
    check: 'A service answers HTML, SVG or scripts through the proxy; opened in a browser',
    passes: 'no script runs, no cookie is reachable',
  },
  {
    id: 'S42',
    check: 'A limit far above what is stored, slow readers, many at once, disconnects',
    passes: 'bounded memory; others are answered; queries end with their reader',
  },
  {
    id: 'S43',
    check: 'Slow request headers and bodies, idle sockets by the thousand, 1 MB of headers',
    passes: 'timeouts; the service answers',
  },
  {
    id: 'S44',
    check: '`fields` with 10,000 paths, depth 10,000, `a.a.a...`, `__proto__.x`, `constructor.prototype`, unicode',
    passes: 'bounded under 50 ms or 400; missing path is null; nothing polluted',
  },
  {
    id: 'S45',
    check:
      '`q` with match syntax, quotes, 100 KB, null bytes, emoji, right-to-left; `participants` edge tokens; `near` poles and date line; `since>until`, negative, 2^63',
    passes: 'no 500; results equal to a slow reference filter (property test)',
  },
  {
    id: 'S46',
    check: 'Every regular expression that sees foreign text, with 100 KB and more of its worst input',
    passes: 'time in proportion to the text',
  },
  {
    id: 'S47',
    check: 'Gzip, brotli, deflate, zstd bombs, 1,000-layer encodings, chunked endless body',
    passes: 'stopped at cap, RSS growth under 64 MB',
  },
  {
    id: 'S48',
    check:
      'JSON: depth 10^6, 10^6 keys, 100 MB string, duplicate keys, lone surrogates, NaN, 64-bit ids, invalid UTF-8',
    passes: 'item quarantined, run continues, ids exact',
  },
  {
    id: 'S49',
    check: 'Endless pages, repeating cursor, page of same items, clock jumps back',
    passes: 'run ends by guard; no duplicate rows',
  },
  {
    id: 'S50',
    check: '`__proto__`, `constructor`, `prototype` keys in all inputs with `Object.prototype` watched',
    passes: 'untouched; key stored as data or dropped',
  },
  {
    id: 'S51',
    check:
      '50 concurrent calls in 4 processes when a token ends, at a service that rotates; kill after refresh before save',
    passes: 'one refresh call; nobody has to sign in again; recovery or one clear signal',
  },
  {
    id: 'S52',
    check: "Cross-site form, fetch, link, popup, JSON as text/plain at what a browser's cookie opens",
    passes: 'refused',
  },
  {
    id: 'S53',
    check: 'All pages in a real browser: no inline script, no external host, no report of the content policy',
    passes: '0 reports',
  },
  {
    id: 'S54',
    check: 'Webhook: signature vectors, both keys while rotating, 301 s old, altered id/time/body, `v1a`',
    passes: 'verify as standard says',
  },
  {
    id: 'S55',
    check:
      '`npm ci --ignore-scripts` builds and tests green; lockfile has integrity for all; only the registry as source',
    passes: 'true',
  },
  {
    id: 'S56',
    check: 'At most 60 packages at run time or a reason for each, licences on a list, none deprecated, an SBOM',
    passes: 'true',
  },
  {
    id: 'S57',
    check: 'Secret scan of the repository; the list of files that a release holds',
    passes: '0 hits; equal to the list',
  },
  {
    id: 'S58',
    check: 'MCP: wrong audience, another tenant, write without scope, instructions in data',
    passes: 'refused; text is data only',
  },
  {
    id: 'S59',
    check: 'Start with a default secret, a world-readable key, a wrong clock',
    passes: 'refused or warned of, as documented',
  },
  {
    id: 'S60',
    check: 'Requests by the schemas of the OpenAPI document: valid, mutated, wild',
    passes: 'no 5xx, no unhandled rejection',
  },
]
