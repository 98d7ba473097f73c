import { useLocation, useRouter } from '@tanstack/react-router'
import { useCallback, useMemo, useSyncExternalStore } from 'react'

export type Address = Record<string, string | undefined>

/** The query of the address as texts. Filters live there, so that reload, Back and a shared link show the same. */
export function useAddress(): [Address, (changes: Address, options?: { replace?: boolean }) => void] {
  const router = useRouter()
  const { history } = router
  const shown = useLocation({ select: ({ publicHref }) => publicHref })
  // The router renders a change of the address later than the event that made it: a field would lose what was typed meanwhile.
  const latest = useSyncExternalStore(history.subscribe, () => history.location.href)
  const change = useCallback(
    (changes: Address, { replace = false }: { replace?: boolean } = {}) => {
      const next = Object.entries({ ...parseSearch(history.location.search), ...changes }).filter(isGiven)
      // The typed form of `search` belongs to routes with a schema; ours are texts.
      void router.navigate({ to: '.', search: Object.fromEntries(next), replace } as never)
    },
    [router, history],
  )
  // While another page is loaded, the address is already that page's.
  const query = queryOf(pathOf(latest) === pathOf(shown) ? latest : shown)
  return [useMemo(() => parseSearch(query), [query]), change]
}

const isGiven = ([, value]: [string, string | undefined]): boolean => value !== undefined && value !== ''
const pathOf = (href: string): string => new URL(href, location.origin).pathname
const queryOf = (href: string): string => new URL(href, location.origin).search

/** Plain texts instead of the router's JSON: the address reads as any other. */
export const parseSearch = (text: string): Address => Object.fromEntries(new URLSearchParams(text))
export const stringifySearch = (search: Record<string, unknown>): string => {
  const pairs = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? '' : `?${text}`
}
