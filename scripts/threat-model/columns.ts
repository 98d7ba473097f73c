import { SEALED_COLUMNS } from '#store/reseal.ts'

/** What the sealed columns hold, by `table.column`. Which ones are sealed is in the code that seals again. */
export const SEALED: Record<string, string> = {
  'vault.sealed': 'the pepper: the key of all keyed hashes',
  'service_key.secret': "the secret of an app's key for a service, of its webhooks, and the settings",
  'service_registration.sealed': 'id and secret that a service gave to an app that was registered at the sign-in',
  'destination.sealed': 'the address of a destination with its password, and the secret that signs webhooks',
  'credential.sealed': "a person's tokens or passwords at a service",
  'pending.sealed': 'what a sign-in that has begun must remember: `state`, PKCE verifier, what the person named',
  'consent.sealed':
    'tokens of a sign-in that the app has not exchanged, or whose person has not confirmed or not chosen a tenant yet',
  'hook_subscription.sealed': 'what ends a subscription at the service after its profile is gone',
  'idempotency_key.sealed': 'the response that a repeated request gets',
  'connect_session.sealed': 'what the app asked for in a connect link',
  'applied_token.sealed': 'tokens that a refresh returned during `apply`',
}

/** Columns with hashes under the pepper (HMAC-SHA-256, one purpose each): values can be compared and not read. */
const HASHED: Record<string, string> = {
  'app_secret.hash': "an app's secret",
  'access_token.hash': 'an access token',
  'proxy_token.hash': 'a token for one service',
  'proxy_token.maker_hash': 'the access token that it was made with',
  'agent_grant.code_hash': 'a code of an agent',
  'agent_token.hash': 'an access or refresh token of an agent',
  'consent.hash': 'a code, or the ticket of a confirmation',
  'consent.token_hash': 'the access token that a confirmed ticket became',
  'consent.browser': "a browser's cookie",
  'pending.hash': '`state` or the ticket of a sign-in',
  'pending.browser': "a browser's cookie",
  'connect_session.hash': 'the ticket of a connect link',
  'connect_session.browser': "a browser's cookie",
  'connections_session.hash': 'the ticket of a link to the connections page',
  'connections_session.session_hash': 'the cookie of the session that it became',
  'reconnect_link.hash': 'the ticket of a reconnect link',
  'deletion_request.hash': 'the code of a request to delete',
  'applied_token.hash': 'a refresh token that was applied',
  'idempotency_key.hash': 'caller, route and key of a request',
  'idempotency_key.fingerprint': 'the content of a request',
  'operator_link.hash': 'the secret of a link for an operator',
  'operator_session.hash': "the cookie of an operator's session",
  'answered_challenge.hash': 'a challenge that a passkey answered',
}

/** Other bytes, which are no secrets of ours. */
const PLAIN: Record<string, string> = {
  'operator_passkey.public_key': 'the public half of a passkey',
  'upload_part.content': 'an uploaded file, until its records are items',
  'item.hash': 'the hash of an item, to see a change',
  'endpoint_sync.seen': 'hashes of ids that a walk has seen',
}

/** Columns of text that hold a secret, and how: every one whose name sounds like it. */
export const TEXTS: Record<string, string> = {
  'operator.password': "an operator's password: argon2id of its hash under the pepper",
}

/** Columns of text whose names sound like a secret. A new one must be sealed or hashed, or be in TEXTS. */
export const SOUNDS_SECRET = 'secret|token|password|credential|cookie|verifier'

/** Every column of bytes, by `table.column`. */
export const BYTES = { ...SEALED, ...HASHED, ...PLAIN }

/** The table of what is stored how. */
export function columnsTable(): string {
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
  const silent = sealed.filter((name) => SEALED[name] === undefined)
  if (silent.length > 0) throw new Error(`scripts/threat-model/columns.ts does not say what is in ${silent.join(', ')}`)
  const row = (how: string) => (name: string) => `| \`${name}\` | ${BYTES[name] ?? TEXTS[name]} | ${how} |`
  return [
    '| column | holds | stored |',
    '|---|---|---|',
    ...sealed.map(row('sealed')),
    ...Object.keys(HASHED).map(row('keyed hash')),
    ...Object.keys(TEXTS).map(row('slow hash')),
    ...Object.keys(PLAIN).map(row('in the clear')),
  ].join('\n')
}
