import { type KeyStart, OPERATOR } from '../api/keys.ts'

/** What a change concerns: the beginnings of the keys of all queries whose data it makes old. */
type Changes = readonly KeyStart[]

/** Every change is in the audit log. */
const AUDIT: KeyStart = ['GET /admin/audit']
const OVERVIEWS: Changes = [['GET /admin/overview'], ['GET /admin/apps/{client_id}/overview']]
/** The list of apps: the frame and many pages take their names from it. */
const APPS: KeyStart = ['GET /admin/apps']
const SESSION: KeyStart = ['GET /dashboard/session']
const SESSIONS: KeyStart = ['GET /admin/sessions']
const OPERATORS: KeyStart = ['GET /admin/operators']
const SYNCS: KeyStart = ['GET /profiles/{profile}/sync']

const ofApp = (clientId: string): KeyStart => ['GET /admin/apps/{client_id}', OPERATOR, { client_id: clientId }]
const logOf = (clientId: string): Changes => [
  ['GET /admin/apps/{client_id}/log', OPERATOR, { client_id: clientId }],
  ['GET /admin/apps/{client_id}/log/{id}', OPERATOR, { client_id: clientId }],
]
const faultsOf = (clientId: string): Changes => [
  ['GET /admin/apps/{client_id}/quarantine', OPERATOR, { client_id: clientId }],
  ['GET /admin/apps/{client_id}/faults', OPERATOR, { client_id: clientId }],
]
const accountsOf = (clientId: string): Changes => [
  ['GET /accounts', clientId],
  ['GET /accounts/{id}', clientId],
]
const itemsOf = (account: string): Changes => [
  ['GET /types/{type}', account],
  ['GET /services/{service}/{endpoint}', account],
  ['GET /id/{id}', account],
]
const destinationsOf = (clientId: string): Changes => [
  ['GET /push', clientId],
  ['GET /push/{id}', clientId],
]

/** For what only tries something: it leaves an entry in the audit log. */
export const tried: Changes = [AUDIT]

export const appCreated: Changes = [AUDIT, APPS, ...OVERVIEWS]
/** Agents lose their access when the app turns them off. */
export const appChanged = (clientId: string): Changes => [AUDIT, APPS, ofApp(clientId), ['GET /agents']]
export const appDeleted = (clientId: string): Changes => [
  ...appChanged(clientId),
  ...OVERVIEWS,
  ...accountsOf(clientId),
  ...destinationsOf(clientId),
  // The apps of developers.
  OPERATORS,
]
/** Syncs of connected people depend on the keys. */
export const keysChanged = (clientId: string): Changes => [
  AUDIT,
  ['GET /admin/apps/{client_id}/keys', OPERATOR, { client_id: clientId }],
  ['GET /services', clientId],
  ...accountsOf(clientId),
  SYNCS,
  ...OVERVIEWS,
]
export const secretsChanged = (clientId: string): Changes => [AUDIT, ofApp(clientId)]

/** One's own session and apps too, because one may change oneself. */
export const operatorsChanged: Changes = [AUDIT, OPERATORS, ['GET /admin/operators/links'], SESSIONS, SESSION, APPS]
export const linksChanged: Changes = [AUDIT, ['GET /admin/operators/links']]
export const sessionsChanged: Changes = [AUDIT, SESSIONS, SESSION, OPERATORS]
export const passkeysChanged: Changes = [AUDIT, ['GET /dashboard/passkeys'], OPERATORS]

export const destinationsChanged = (clientId: string): Changes => [AUDIT, ['GET /push', clientId], ...OVERVIEWS]
export const destinationChanged = (clientId: string, id: string): Changes => [
  ...destinationsChanged(clientId),
  ...destinationReads(clientId, id),
  ...logOf(clientId),
]
/** Everything that is read about one destination. */
export const destinationReads = (clientId: string, id: string): Changes => [
  ['GET /push/{id}', clientId, { id }],
  ['GET /push/{id}/deliveries', clientId, { id }],
  ['GET /push/{id}/dead-letters', clientId, { id }],
  ['GET /push/{id}/dead-letters/reasons', clientId, { id }],
  ['GET /push/{id}/history', clientId, { id }],
]

/** A sync, a pause or a disconnection: what the profiles of an account are, and what they have brought. */
export const profilesChanged = (clientId: string, account: string): Changes => [
  AUDIT,
  ['GET /accounts', clientId],
  ...accountReads(clientId, account),
  ...faultsOf(clientId),
  ...logOf(clientId),
  ...OVERVIEWS,
]
/** Everything that is read about one account. */
export const accountReads = (clientId: string, account: string): Changes => [
  ['GET /accounts/{id}', clientId, { id: account }],
  ['GET /profiles/{profile}/sync', account],
  ['GET /agents', account],
  ...itemsOf(account),
]
export const agentsChanged = (account: string): Changes => [AUDIT, ['GET /agents', account]]
/** An account or one of its profiles: the rows at destinations are deleted too. */
export const erased = (clientId: string, account: string): Changes => [
  ...profilesChanged(clientId, account),
  ...destinationsOf(clientId),
]
export const quarantineRetried = (clientId: string): Changes => [
  AUDIT,
  ...faultsOf(clientId),
  ...accountsOf(clientId),
  SYNCS,
  ...OVERVIEWS,
]
