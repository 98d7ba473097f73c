import { useNavigate, useSearch } from '@tanstack/react-router'

export type Address = Record<string, string | undefined>

/** The query of the address as texts. Filters live there, so that reload, Back and a shared link show the same. */
export function useAddress(): [Address, (changes: Address, options?: { replace?: boolean }) => void] {
  const search = useSearch({ strict: false }) as Address
  const navigate = useNavigate()
  const change = (changes: Address, options: { replace?: boolean } = {}) => {
    const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== '')
    // The typed form of `search` belongs to routes with a schema; ours are texts.
    void navigate({ to: '.', search: Object.fromEntries(next), replace: options.replace ?? false } as never)
  }
  return [search, change]
}

/** Plain texts instead of the router's JSON: the address reads as any other. */
export const parseSearch = (text: string): Address => Object.fromEntries(new URLSearchParams(text))
export const stringifySearch = (search: Record<string, unknown>): string => {
  const pairs = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? '' : `?${text}`
}
