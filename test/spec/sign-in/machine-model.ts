/** A model of the service, as small as possible. Accounts and tokens have the names that the service gave them. */
export interface ModelAccount {
  app: number
  /** Profile names, `id@service`. */
  profiles: Set<string>
}

export interface ModelToken {
  value: string
  /** Undefined when the token is no longer valid. */
  account: string | undefined
  app: number
}

export interface Model {
  accounts: Map<string, ModelAccount>
  tokens: ModelToken[]
  /** From `app profile` to the accounts that have it, the last used first. */
  used: Map<string, string[]>
}

export const emptyModel = (): Model => ({ accounts: new Map(), tokens: [], used: new Map() })

/** The account that a sign-in without a token finds; undefined for a new one. */
export function findAccount(model: Model, app: number, profile: string): string | undefined {
  return model.used.get(`${app} ${profile}`)?.[0]
}

/** A sign-in, a link or an apply took effect. */
export function joined(model: Model, app: number, profile: string, account: string, token: string): void {
  const entry = model.accounts.get(account) ?? { app, profiles: new Set() }
  entry.profiles.add(profile)
  model.accounts.set(account, entry)
  model.tokens.push({ value: token, account, app })
  const key = `${app} ${profile}`
  model.used.set(key, [account, ...(model.used.get(key) ?? []).filter((each) => each !== account)])
}

export function merged(model: Model, source: string, dest: string): void {
  const from = model.accounts.get(source)!
  const to = model.accounts.get(dest)!
  for (const profile of from.profiles) {
    to.profiles.add(profile)
    const key = `${from.app} ${profile}`
    const places = model.used.get(key)!.map((each) => (each === source ? dest : each))
    model.used.set(key, [...new Set(places)])
  }
  ended(model, source)
}

export function disconnected(model: Model, account: string, profiles: string[]): void {
  const entry = model.accounts.get(account)!
  for (const profile of profiles) {
    entry.profiles.delete(profile)
    const key = `${entry.app} ${profile}`
    model.used.set(
      key,
      (model.used.get(key) ?? []).filter((each) => each !== account),
    )
  }
}

/** The account is deleted, and its tokens with it. */
export function ended(model: Model, account: string): void {
  model.accounts.delete(account)
  for (const token of model.tokens) if (token.account === account) token.account = undefined
}
