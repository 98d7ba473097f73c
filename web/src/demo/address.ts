import { useCallback, useSyncExternalStore } from 'react'

const CHANGED = 'demo:address'

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener)
  addEventListener(CHANGED, listener)
  return () => {
    removeEventListener('popstate', listener)
    removeEventListener(CHANGED, listener)
  }
}

/**
 * One parameter of the address: reload, Back and a copied link show the same. What is opened is a step of the history, what is typed
 * replaces the present one.
 */
export function useAddress(name: string): [string | undefined, (value: string | undefined, step?: boolean) => void] {
  const value = useSyncExternalStore(subscribe, () => new URLSearchParams(location.search).get(name) ?? undefined)
  const change = useCallback((next: string | undefined, step = false) => setAddress({ [name]: next }, step), [name])
  return [value, change]
}

export function setAddress(changes: Record<string, string | undefined>, step: boolean): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  if (url.href === location.href) return
  if (step) history.pushState({ demo: true }, '', url)
  else history.replaceState(history.state, '', url)
  dispatchEvent(new Event(CHANGED))
}

/** Closes what was opened as a step of the history: by going back, unless the page began there. */
export function closeStep(name: string): void {
  const { demo } = (history.state ?? {}) as { demo?: boolean }
  if (demo === true) history.back()
  else setAddress({ [name]: undefined }, false)
}
