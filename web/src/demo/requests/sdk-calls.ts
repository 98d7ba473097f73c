import type { AccountClient } from '@tributary-hub/client/account.ts'
import type {
  Item,
  ItemCounts,
  OwnPerson,
  Person,
  PersonDetail,
  Profiles,
  SyncProgress,
} from '@tributary-hub/client/generated/api.ts'
import type { ItemTypes } from '@tributary-hub/client/item-types.ts'
import type { Page } from '@tributary-hub/client/pages.ts'
import type { RequestOptions } from '@tributary-hub/client/transport.ts'

/** A call of the SDK and the line of code that makes it: both come from the same arguments. */
export interface SdkCall<T> {
  code: string
  run: (account: AccountClient, options: RequestOptions) => Promise<T>
}

export type ListQuery = Record<string, string | number | boolean | undefined>

export const listItems = (type: keyof ItemTypes, query: ListQuery): SdkCall<Page<Item>> => ({
  code: `await account.items(${list(type, query)}).first()`,
  run: (account, options) => account.items(type, query, options).first(),
})
export const getItem = (id: string): SdkCall<Item> => ({
  code: `await account.item(${list(id, { map: true })})`,
  run: (account, options) => account.item(id, { map: true }, options),
})
export const getSelf = (): SdkCall<OwnPerson> => ({
  code: 'await account.person()',
  run: (account, options) => account.person(options),
})
export const countItems = (query: ListQuery): SdkCall<ItemCounts> => ({
  code: `await account.counts(${list(query)})`,
  run: (account, options) => account.counts(query, options),
})
export const listPeople = (query: ListQuery): SdkCall<Page<Person>> => ({
  code: `await account.people.list(${list(query)}).first()`,
  run: (account, options) => account.people.list(query, options).first(),
})
export const getPerson = (id: string): SdkCall<PersonDetail> => ({
  code: `await account.people.get(${list(id)})`,
  run: (account, options) => account.people.get(id, undefined, options),
})
export const listProfiles = (): SdkCall<Profiles> => ({
  code: `await account.profiles.list(${list({ full: true })})`,
  run: (account, options) => account.profiles.list({ full: true }, options),
})
export const getProgress = (profile: string): SdkCall<SyncProgress> => ({
  code: `await account.profiles.progress(${list(profile)})`,
  run: (account, options) => account.profiles.progress(profile, options),
})
export const syncNow = (profile: string): SdkCall<SyncProgress> => ({
  code: `await account.profiles.sync(${list(profile, { retry_parked: true })})`,
  run: (account, options) => account.profiles.sync(profile, { retry_parked: true }, options),
})

export const readAgain = (profile: string): SdkCall<unknown> => ({
  code: `await account.profiles.reset(${list(profile)})`,
  run: (account, options) => account.profiles.reset(profile, options),
})
export const eraseAccount = (): SdkCall<unknown> => ({
  code: 'await account.profiles.removeAll()',
  run: (account, options) => account.profiles.removeAll(options),
})

const list = (...values: unknown[]) =>
  values
    .map(literal)
    .filter((text) => text !== '{}')
    .join(', ')

/** A value as TypeScript, without the quotes that names do without. */
function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const pairs = Object.entries(value).filter(([, each]) => each !== undefined)
  if (pairs.length === 0) return '{}'
  return `{ ${pairs.map(([name, each]) => `${/^\w+$/.test(name) ? name : literal(name)}: ${literal(each)}`).join(', ')} }`
}
