import type { Account } from '@tributary-hub/client/generated/api.ts'

/** What the person of an account is called: a name, else a handle. */
export function nameOf({ profiles }: Pick<Account, 'profiles'>): string {
  const named = profiles.find(({ name }) => name !== undefined && name !== '')
  return named?.name ?? profiles.find(({ handle }) => handle !== undefined)?.handle ?? 'Unnamed'
}

/** When any of the profiles was synced last. */
export function lastSync(profiles: Account['profiles']): number | undefined {
  const times = profiles.flatMap(({ synced_at: at }) => at ?? [])
  return times.length === 0 ? undefined : Math.max(...times)
}
