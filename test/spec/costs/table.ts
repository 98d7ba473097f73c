import type { TableOfCosts, WholeCost } from './compare.ts'

// What each operation asks of the database, exactly. A change of a number is a change of this file in the same commit, and of
// docs/costs.md, which `npm run docs` writes from it.

/** Requests with a token of a person with two profiles, or with the credentials of an app or operator. */
export const REQUESTS: TableOfCosts = {
  'GET /types/photos': row(1, 0, 'composed of access_token + account + app + item + profile'),
  'GET /types/photos?map=true': row(1, 0, 'composed of access_token + account + app + item + profile'),
  'GET /types/photos?fields=id': row(1, 0, 'composed of access_token + account + app + item + profile'),
  'GET /types/photos?q=picture': row(1, 0, 'composed of access_token + account + app + item + profile'),
  'GET /types/photos?dedup=true': row(
    2,
    0,
    'composed of access_token + account + app + item + profile, composed of item',
  ),
  'GET /types/photos?copy_of=true': row(
    2,
    0,
    'composed of access_token + account + app + item + profile, composed of item',
  ),
  'GET /types/photos?link=https://x.test/1': row(1, 0, 'composed of access_token + account + app + item + profile'),
  'GET /types/photos?count=true': row(
    2,
    0,
    'composed of access_token + account + app + item + profile, composed of item',
  ),
  'GET /services/shop/pictures': row(1, 0, 'composed of access_token + account + app + item + profile'),
  'GET /types': row(3, 0, 'composed of item × 2, token-find'),
  'GET /services': row(3, 0, 'app-find, service-key-list, token-find'),
  'GET /services?q=shop': row(4, 0, 'app-find, registration-services, service-key-list, token-find'),
  'GET /services/shop': row(2, 0, 'composed of item, token-find'),
  'GET /profiles': row(2, 0, 'profile-list, token-find'),
  'GET /profile': row(2, 0, 'profile-list, token-find'),
  'GET /sync': row(5, 0, 'account-find, endpoint-summary × 2, profile-list, token-find'),
  'GET /profiles/shop/sync': row(4, 0, 'endpoint-list, profile-find, profile-list, token-find'),
  'GET /people': row(6, 0, 'changes-latest × 2, changes-of-some × 2, people-revision, token-find'),
  'GET /types/photos, nothing cached': row(2, 0, 'composed of item, token-find'),
  'GET /changes, a page of 20': row(
    4,
    0,
    'changes-latest-all, composed of item, composed of item + item_tombstone, token-find',
  ),
  'GET /changes, nothing new': row(2, 0, 'changes-latest-all, token-find'),
  'MCP list_items': row(
    4,
    0,
    'agent-grant-by-access, composed of item, profile-readable, rate-limit-take',
    'call-insert, log-accounts × 2',
  ),
  'GET /accounts/changes, nothing new': row(
    6,
    0,
    'app-find-with-secrets, attempt-read, feed-entries, feed-of-app, feed-read, feed-state',
  ),
  'GET /accounts/changes, one entry': row(
    9,
    0,
    `
    app-find-with-secrets, attempt-read, composed of item, feed-changes, feed-entries, feed-of-app, feed-read,
    feed-state, profile-records`,
  ),
  // As many for a page of hundreds of accounts in hundreds of shards.
  'GET /accounts/changes, entries of many accounts': row(
    9,
    0,
    `
    app-find-with-secrets, attempt-read, feed-changes, feed-entries, feed-items, feed-of-app, feed-read, feed-state,
    profile-records`,
  ),
  'dashboard: overview': row(
    12,
    0,
    `
    app-list × 2, app-quotas-find, audit-of-action, migration-list, migration-table, named-lease-find,
    operator-session-find × 2, quota-notice-counts, server-version, spending-all`,
  ),
  'dashboard: accounts': row(
    11,
    0,
    `
    account-count, account-page, account-page-profiles, app-find × 3, app-list, operator-session-find × 3,
    service-key-list`,
  ),
  'dashboard: account': row(
    21,
    0,
    `
    account-find × 6, account-page-profiles, agent-grant-list, app-find × 2, app-quotas-find, endpoint-list, endpoint-summary × 2,
    operator-session-find × 3, profile-find, profile-list × 2, usage-account`,
  ),
  'dashboard: push': row(
    30,
    0,
    `
    app-find × 6, cursor-summary × 2, dead-count × 2, dead-list, dead-reasons, delivery-history, delivery-list,
    delivery-recent × 2, destination-find × 5, destination-list, destination-sealed × 2, operator-session-find × 6`,
  ),
  'dashboard: log': row(
    13,
    0,
    `
    app-find × 2, log-calls, log-calls-end, log-deliveries, log-deliveries-end, log-destinations, log-operations,
    log-operations-end, log-trouble, log-trouble-end, operator-session-find × 2`,
  ),
}

/** Calls of a service through the proxy. */
export const PROXIED: TableOfCosts = {
  'proxied GET by service': row(0, 0, '', 'call-insert, log-accounts × 2'),
  'proxied GET by id@service': row(0, 0, '', 'call-insert, log-accounts × 2'),
  'proxied POST by service': row(1, 0, 'token-find', 'call-insert, log-accounts × 2'),
  'proxied POST by id@service': row(0, 0, '', 'call-insert, log-accounts × 2'),
  'proxied POST by service, over 256 KB': row(1, 0, 'caller-find', 'call-insert, log-accounts × 2'),
  'proxied POST by service, 16 at once': row(2, 0, 'token-find × 2', 'call-insert, log-accounts × 2'),
  'proxied GET by service, cold': row(2, 0, 'caller-find, rate-limit-take', 'call-insert, log-accounts × 2'),
  'proxied GET by id@service, cold': row(2, 0, 'caller-find, rate-limit-take', 'call-insert, log-accounts × 2'),
  'proxied POST by service, cold': row(2, 0, 'caller-find, rate-limit-take', 'call-insert, log-accounts × 2'),
  'proxied GET by service, cold, 16 at once': row(
    2,
    0,
    'caller-find, rate-limit-take',
    'call-insert, log-accounts × 2',
  ),
  // The last use of the token is written once a minute.
  'proxied GET with a proxy token': row(0, 0, '', 'call-insert, log-accounts × 2'),
  'proxied POST with a proxy token': row(1, 0, 'proxy-token-find', 'call-insert, log-accounts × 2'),
  'proxied GET with a proxy token, cold': row(
    2,
    0,
    'proxy-caller-find, rate-limit-take',
    'call-insert, log-accounts × 2, proxy-token-used',
  ),
}

/** The three steps of a sign-in. */
export const SIGN_INS: TableOfCosts = {
  'sign-in: start': row(
    6,
    0,
    'app-find, app-quotas-find, pending-insert, service-key-find, sign-in-open × 2',
    'operation-delete-ended, operation-write',
  ),
  'sign-in: callback, new person': row(
    8,
    1,
    'app-find, app-lock-shared, app-state, begin, commit, consent-insert, pending-take, service-key-find, service-user-find',
    'operation-delete-ended, operation-write',
  ),
  'sign-in: exchange, new person': row(
    21,
    1,
    'account-insert, account-lock, app-find-with-secrets, app-lock-shared, app-state, attempt-read, audit-insert, begin, commit, consent-lock, consent-use, credential-put, cursor-open-profile, event-insert, event-stamp, profile-insert, profile-list, service-user-find, service-user-insert, service-user-point, sign-in-close × 2, sync-endpoint-insert, sync-profile-insert, token-insert, token-limit',
    'log-accounts × 2, operation-write',
  ),
  'sign-in: callback, known person': row(
    9,
    1,
    'account-find, app-find, app-lock-shared, app-state, begin, commit, consent-insert, pending-take, service-key-find, service-user-find',
    'operation-delete-ended, operation-write',
  ),
  'sign-in: exchange, known person': row(
    21,
    1,
    'account-lock, app-find-with-secrets, app-lock-shared, app-state, attempt-read, audit-insert, begin, commit, consent-lock, consent-of-service-user, consent-use, credential-find, credential-of-service-user, credential-put, cursor-open-profile, profile-list, profile-reconnect, service-key-find, service-user-find, service-user-point, sign-in-close × 2, sync-endpoint-insert, sync-profile-insert, token-insert, token-limit',
    'log-accounts × 2, operation-write',
  ),
}

/** What worker processes do; an idle minute is that of all of them together. */
export const WORK: TableOfCosts = {
  'sync: empty check': row(
    7,
    1,
    'begin, commit, credential-find, endpoint-list, rate-limit-take, sync-context, sync-finish, sync-lock, sync-take',
  ),
  'sync: 100 new items': row(
    16,
    3,
    'account-find, app-quotas-find, begin × 3, commit × 3, credential-find, cursor-due, endpoint-done, endpoint-list, endpoint-progress, item-hour-add, item-probe, item-upsert, rate-limit-take, sync-context, sync-finish, sync-hold × 2, sync-lock, sync-take, usage-account, usage-app',
    'log-accounts × 2, operation-write',
  ),
  'sync: 100 unchanged items': row(
    8,
    1,
    'begin, commit, credential-find, endpoint-list, item-probe, rate-limit-take, sync-context, sync-finish, sync-lock, sync-take',
  ),
  'push: a run with 100 items': row(
    13,
    0,
    `
    changes-items, changes-latest, changes-tombstones, deletion-is-on, delivery-insert, destination-find,
    destination-sealed, event-list, lease-finish, lease-take-oldest × 2, profile-duplicate, profile-find`,
  ),
  'feed: a run with one item': row(
    9,
    1,
    'begin, commit, deletion-is-on, destination-find, event-list, feed-append, feed-move, lease-finish, lease-take-some-oldest × 2, profile-records',
  ),
  'an idle minute': row(
    67,
    0,
    `
    deletion-open × 5, deletion-request-due × 5, destination-any-due × 20, destination-workers × 5,
    hook-subscription-due × 5, named-lease-take, reread-find, sync-due-alone × 5, sync-due-groups × 20`,
  ),
}

/** Rows that differ where tables are divided, as on a sharded server: leases are taken shard by shard, and feeds are read so. */
export const ON_DIVIDED_TABLES: TableOfCosts = {
  'GET /accounts/changes, one entry': row(
    9,
    0,
    `
    app-find-with-secrets, attempt-read, composed of item, feed-changes-of-shard, feed-entries, feed-of-app, feed-read,
    feed-state, profile-records-of-shard`,
  ),
  'GET /accounts/changes, entries of many accounts': row(
    12,
    0,
    `
    app-find-with-secrets, attempt-read, composed of item × 2, feed-changes-of-shard × 2, feed-entries, feed-of-app,
    feed-read, feed-state, profile-records-of-shard × 2`,
  ),
  'push: a run with 100 items': row(
    14,
    0,
    `
    changes-items, changes-latest, changes-tombstones, deletion-is-on, delivery-insert, destination-find,
    destination-sealed, event-list, lease-candidates-oldest × 2, lease-finish, lease-take-in-shard, profile-duplicate,
    profile-find`,
  ),
  'feed: a run with one item': row(
    10,
    1,
    'begin, commit, deletion-is-on, destination-find, event-list, feed-append, feed-move, lease-candidates-oldest × 2, lease-finish, lease-take-in-shard, profile-records-of-shard',
  ),
  'an idle minute': row(
    107,
    0,
    `
    deletion-open × 5, deletion-request-due × 5, destination-any-due-in-shards × 20, destination-watched × 20,
    destination-workers × 5, hook-subscription-due × 5, named-lease-take, reread-services, sync-apps × 20,
    sync-due-alone × 5, sync-due-among × 20`,
  ),
}

/** The statements are listed in the order of their names, with how often each is sent; `later`: in a batch with others. */
function row(roundTrips: number, transactions: number, statements: string, later?: string): WholeCost {
  return {
    statements: countsIn(statements),
    roundTrips,
    transactions,
    ...(later === undefined ? {} : { later: countsIn(later) }),
  }
}

function countsIn(list: string): Record<string, number> {
  const entries = list.split(',').map((each) => each.trim().split(' × '))
  return Object.fromEntries(
    entries.filter(([name]) => name !== '').map(([name, count]) => [name, count === undefined ? 1 : Number(count)]),
  )
}
