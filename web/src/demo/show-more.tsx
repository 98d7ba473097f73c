import { useEffect, useRef } from 'react'

interface Pages {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** The next page of a list: by scrolling to its end, or by the button. */
export function ShowMore({ pages, what }: { pages: Pages; what: string }) {
  const end = useRef<HTMLButtonElement>(null)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  useEffect(() => {
    const target = end.current
    if (target === null || !hasNextPage || isFetchingNextPage) return undefined
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && fetchNextPage())
    observer.observe(target)
    return () => observer.disconnect()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <button
      ref={end}
      type="button"
      className="quiet show-more"
      disabled={isFetchingNextPage}
      onClick={() => fetchNextPage()}
    >
      {isFetchingNextPage ? 'Loading …' : `More ${what}`}
    </button>
  )
}
