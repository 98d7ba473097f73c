import { type ReactNode, useEffect } from 'react'

/** The heading of a page, its title in the browser, and what can be done with the whole page. */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Tributary`
  }, [title])
  return (
    <div className="row apart page-title">
      <h1>{title}</h1>
      {children !== undefined && <div className="row">{children}</div>}
    </div>
  )
}
