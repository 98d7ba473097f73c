/** What keeps a table from growing without an end. */
interface Bound {
  /** How many rows there can be, as a sentence without its full stop. */
  bound: string
  /** The tasks of maintenance that remove rows. */
  tasks?: readonly string[]
}

const perProfile = (what: string): Bound => ({ bound: `${what}; they go with their profile` })
const short = (bound: string, ...tasks: string[]): Bound => ({ bound, tasks })

/** Every table of the schema. test/store/maintenance/table-bounds.test.ts fails for one that is missing here. */
export const TABLE_BOUNDS: Readonly<Record<string, Bound>> = {
  access_token: short(
    '1,000 valid ones for each account, which do not expire; revoked ones go after 30 days, all of them with their account',
    'access_tokens',
  ),
  account: { bound: 'people who use an app; `DELETE /accounts/:id` and the deletion of the app remove them' },
  agent_grant: short('a day after they expired, or with the account', 'agent_grants'),
  agent_token: short('a day after they expired, or with the grant', 'agent_grants'),
  answered_challenge: short('until the challenge expires', 'passkey_challenges'),
  app: { bound: 'made by operators' },
  app_deletion: short('90 days', 'app_deletions'),
  app_logo: { bound: 'one for each app' },
  app_secret: { bound: 'made by operators, few for each app' },
  applied_token: short('until they expire', 'applied_tokens'),
  attempt: short('an hour', 'attempts'),
  audit: short(
    '`AUDIT_DAYS`; what strangers cause is one entry for each minute and app, and reads of agents are in the log',
    'audit',
  ),
  call_log: short('`LOG_DAYS`, and the newest 10,000 of each account and 1,000 for each process', 'calls'),
  child_item: perProfile('one for each parent item of an endpoint that reads below items'),
  child_sync: perProfile('one for each such endpoint and parent'),
  connect_session: short('a day after they expired', 'connect_sessions'),
  connections_session: short('a day after they expired', 'connections_sessions'),
  consent: short('ten minutes, a used code a day', 'used_codes'),
  credential: perProfile('one for each profile'),
  dead_letter: short(
    '100,000 for each destination, of which the newest are kept; they go with it',
    'dead_letters',
    'orphan_dead_letters',
  ),
  deletion_request: short('90 days after they were done', 'deletion_requests'),
  delivered_item: short(
    'one for each item and destination whose filter has parameters; they go with the destination or the profile',
    'orphan_delivered_items',
  ),
  delivery: short('`LOG_DAYS`', 'deliveries'),
  delivery_cursor: short('one for each profile and destination', 'orphan_cursors'),
  destination: { bound: 'a limited number for each app' },
  endpoint_sync: perProfile('one for each endpoint of a profile'),
  feed: { bound: 'one for each app; one that nobody reads goes after 30 days', tasks: ['feeds'] },
  feed_entry: short('7 days', 'feeds'),
  grant_revocation: short('ten minutes', 'grant_revocations'),
  hook_record: short('a limited number for each profile, until a run has stored them', 'hook_records'),
  hook_subscription: perProfile('one for each profile or app and service'),
  idempotency_key: short('a day', 'idempotency_keys'),
  item: perProfile('quotas of profiles, accounts and apps'),
  item_hour: short('8 days, a row for each hour, shard and app', 'item_hours'),
  item_tombstone: short('90 days, and until every destination has them; an older cursor is answered 410', 'tombstones'),
  maintenance: { bound: 'one for each task' },
  migration: { bound: 'one for each migration' },
  named_lease: { bound: 'one for maintenance, and one for each destination whose events are sent' },
  open_sign_in: short('ten minutes after the last sign-in', 'open_sign_ins'),
  operation: short('`LOG_DAYS`', 'operations'),
  operator: { bound: 'made by operators' },
  operator_link: short('until they expire', 'operator_links'),
  operator_passkey: { bound: 'made by operators' },
  operator_session: short('until they expire or were not used for hours', 'operator_sessions'),
  pending: short('ten minutes', 'pending_sign_ins'),
  people_decision: short('a limited number for each account; they go with it', 'orphan_decisions'),
  profile: { bound: 'what people connected; disconnecting removes it' },
  profile_sync: perProfile('one for each profile'),
  proxy_token: short('a limited number for each account, until they expire or their maker is revoked', 'proxy_tokens'),
  push_event: short('30 days', 'events'),
  quarantine: perProfile('a limited number for each endpoint'),
  quota_notice: short('one for each quota that is near or reached', 'quotas'),
  rate_limit: short('7 days after the last call', 'rate_limits'),
  reader_fault: perProfile('one for each field that could not be read'),
  reconnect_link: short('twenty minutes after they expired', 'reconnect_links'),
  service_key: { bound: 'made by operators, one for each app and service' },
  service_registration: short('one for each app and instance; one that nobody used goes after a day', 'registrations'),
  service_user: { bound: 'people at services; they go with the account or the app' },
  spending: short('400 days, a row for each app, service and month', 'spending'),
  upload: short('until they were read, or the sign-in expired', 'uploads'),
  upload_part: short('go with their upload', 'uploads'),
  vault: { bound: 'one' },
}

/** The table in docs/operating.md. */
export function boundsTable(): string {
  const rows = Object.entries(TABLE_BOUNDS).map(
    ([table, { bound, tasks = [] }]) =>
      `| \`${table}\` | ${bound} | ${tasks.map((task) => `\`${task}\``).join(', ')} |`,
  )
  return ['| table | bound | task |', '|---|---|---|', ...rows].join('\n')
}
