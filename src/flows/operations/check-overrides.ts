import type { Queries } from '#platform/postgres/database.ts'
import { listOverrides } from '#store/apps/service-keys.ts'
import type { Diagnosis } from './diagnosis.ts'

/** Limit: keys with other addresses that `doctor` names; further ones are counted. */
const MAX_NAMED = 20

/**
 * Names the hosts that codes and tokens go to by overrides: developers of an app could set them before only operators did, so an
 * operator reads them once more.
 */
export async function checkOverrides(queries: Queries): Promise<Diagnosis> {
  const keys = await listOverrides(queries, MAX_NAMED + 1)
  if (keys.length === 0) return { name: 'overrides', state: 'ok', detail: 'no key has other addresses' }
  const named = keys.slice(0, MAX_NAMED).map(({ appId, service, overrides }) => {
    const hosts = new Set(Object.values(overrides).map((address) => URL.parse(address)?.host ?? address))
    return `${appId} ${service}: ${[...hosts].join(', ')}`
  })
  const more = keys.length > MAX_NAMED ? '; and more' : ''
  return {
    name: 'overrides',
    state: 'ok',
    detail: `codes and tokens go to other addresses: ${named.join('; ')}${more}`,
  }
}
