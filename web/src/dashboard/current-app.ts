import { useQuery } from '@tanstack/react-query'
import { operator, request } from '../api/core.ts'
import { useAddress } from './address.ts'
import { frameSearch } from './search.ts'

const REMEMBERED = 'tributary-app'

export const useApps = () => useQuery(request(operator, 'GET /admin/apps'))

/** The app that the address names; links between pages keep it. */
export const useNamedApp = (): string | undefined => useAddress(frameSearch)[0].app

/** The app that a page shows: `?app=` of the address, else the one chosen last, else the first. Undefined while it is not known or there is none. */
export function useCurrentApp(): string | undefined {
  const named = useNamedApp()
  const { data } = useApps()
  if (named !== undefined) return named
  const ids = data?.map(({ client_id: id }) => id) ?? []
  const remembered = localStorage.getItem(REMEMBERED)
  return ids.find((id) => id === remembered) ?? ids[0]
}

export const rememberApp = (clientId: string): void => localStorage.setItem(REMEMBERED, clientId)
