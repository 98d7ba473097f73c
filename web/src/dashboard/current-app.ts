import { useQuery } from '@tanstack/react-query'
import { operator, request } from '../api/core.ts'
import { useAddress } from './address.ts'

const REMEMBERED = 'tributary-app'

export const useApps = () => useQuery(request(operator, 'GET /admin/apps'))

/** The app that a page shows: `?app=` of the address, else the one chosen last, else the first. Undefined while it is not known or there is none. */
export function useCurrentApp(): string | undefined {
  const [{ app: inAddress }] = useAddress()
  const { data } = useApps()
  if (inAddress !== undefined) return inAddress
  const ids = data?.map(({ client_id: id }) => id) ?? []
  const remembered = localStorage.getItem(REMEMBERED)
  return ids.find((id) => id === remembered) ?? ids[0]
}

export const rememberApp = (clientId: string): void => localStorage.setItem(REMEMBERED, clientId)
