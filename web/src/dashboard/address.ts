import { useLocation, useRouter } from '@tanstack/react-router'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { parseSearch, stringifySearch, type Texts } from './search.ts'

/** What a page reads from its address. Filters live there, so that reload, Back and a shared link show the same. */
export function useAddress<Search extends Texts>(
  read: (given: Texts) => Search,
): [Search, (changes: Partial<Search>, options?: { replace?: boolean }) => void] {
  const router = useRouter()
  const { history } = router
  const shown = useLocation({ select: ({ publicHref }) => publicHref })
  // The router renders a change of the address later than the event that made it: a field would lose what was typed meanwhile.
  const latest = useSyncExternalStore(history.subscribe, () => history.location.href)
  const change = useCallback(
    (changes: Partial<Search>, { replace = false }: { replace?: boolean } = {}) => {
      const { href, search } = history.location
      void router.navigate({
        href: `${pathOf(href)}${stringifySearch({ ...parseSearch(search), ...changes })}`,
        replace,
      })
    },
    [router, history],
  )
  // While another page is loaded, the address is already that page's.
  const query = queryOf(pathOf(latest) === pathOf(shown) ? latest : shown)
  return [useMemo(() => read(parseSearch(query)), [read, query]), change]
}

const pathOf = (href: string): string => new URL(href, location.origin).pathname
const queryOf = (href: string): string => new URL(href, location.origin).search
