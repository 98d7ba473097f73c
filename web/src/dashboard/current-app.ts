import { useQuery } from '@tanstack/react-query'
import { useMatch } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { operator, request } from '../api/core.ts'
import { useAddress } from './address.ts'
import { frameSearch } from './search.ts'

const REMEMBERED = 'tributary-app'

export const useApps = () => useQuery(request(operator, 'GET /admin/apps'))

/** The app that the address names; links between pages keep it. */
export const useNamedApp = (): string | undefined => useAddress(frameSearch)[0].app

/** The app whose own page is open, by its path. */
export const useOpenedApp = (): string | undefined =>
  useMatch({ from: '/framed/apps/$app', shouldThrow: false })?.params.app

/** The app that a page shows: that of the address, else the one chosen last, else the first. Undefined while it is not known or there is none. */
export function useCurrentApp(): string | undefined {
  const [opened, named] = [useOpenedApp(), useNamedApp()]
  const { data } = useApps()
  const remembered = useSyncExternalStore(listen, () => localStorage.getItem(REMEMBERED))
  if (opened !== undefined || named !== undefined) return opened ?? named
  const ids = data?.map(({ client_id: id }) => id) ?? []
  return ids.find((id) => id === remembered) ?? ids[0]
}

const listeners = new Set<() => void>()

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The header and every page show it from now on. */
export function rememberApp(clientId: string): void {
  localStorage.setItem(REMEMBERED, clientId)
  for (const listener of listeners) listener()
}
