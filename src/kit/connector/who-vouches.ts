import { hostFieldOf } from '../auth/ask.ts'
import { isOnNamedServer } from '../auth/server-native-id.ts'
import type { Connector } from './connector.ts'

/**
 * Who says that a native id belongs to the person in front of the browser. `service`: one issuer for everybody. `server`: a
 * server that anybody may run. `app`: the app, with a token that it has (`apply`). `nobody`: a public address, a file, a key that
 * names nobody.
 */
export type Voucher = 'service' | 'server' | 'app' | 'nobody'

/** What a sign-in may do with an id, by who vouches for it. Flows follow this table, not the connector. */
export interface IdentityRule {
  /** The id leads to the account that connected it last. Otherwise the profile joins the account that is given, or a new one. */
  findsAccount: boolean
  /** Where the id is valid: everywhere at the service, at one server, or in one account, from which it is then derived. */
  validAt: 'service' | 'server' | 'account'
  /**
   * Each instance has a redirect address of its own, so that a code of one never reaches another (RFC 9700 4.4); with a key that is
   * the same at all of them, `iss` has to tell which one answered.
   */
  ownCallback: boolean
}

export const IDENTITY_RULES: Readonly<Record<Voucher, IdentityRule>> = {
  service: { findsAccount: true, validAt: 'service', ownCallback: false },
  server: { findsAccount: true, validAt: 'server', ownCallback: true },
  app: { findsAccount: false, validAt: 'service', ownCallback: false },
  nobody: { findsAccount: false, validAt: 'account', ownCallback: false },
}

/** Who vouches for the ids of a connector's sign-ins. */
export function whoVouches({ auth, ask, vouchedBy }: Pick<Connector, 'auth' | 'ask' | 'vouchedBy'>): Voucher {
  if (vouchedBy === 'nobody' || auth.kind === 'none' || auth.kind === 'file') return 'nobody'
  const hasHome = auth.kind === 'oauth2' && auth.home !== undefined
  return hostFieldOf(ask) !== undefined || hasHome || isOnNamedServer(auth) ? 'server' : 'service'
}

export function identityRuleOf(connector: Pick<Connector, 'auth' | 'ask' | 'vouchedBy'>): IdentityRule {
  return IDENTITY_RULES[whoVouches(connector)]
}

/** Whether ids of a service lead to accounts. Those of a service whose connector is gone may have done so. */
export function mayFindAccount(services: { find(service: string): Connector | undefined }, service: string): boolean {
  const connector = services.find(service)
  return connector === undefined || identityRuleOf(connector).findsAccount
}
