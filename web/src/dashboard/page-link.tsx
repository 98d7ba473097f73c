import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Address, useAddress } from './address.ts'

/** A link to another page of the dashboard, for the app in view unless `search` names another. */
export function PageLink({
  to,
  search = {},
  className,
  children,
}: {
  to: string
  search?: Address | undefined
  className?: string
  children: ReactNode
}) {
  const [{ app }] = useAddress()
  const given = Object.entries({ app, ...search }).filter(([, value]) => value !== undefined && value !== '')
  // The typed form of `search` belongs to routes with a schema; ours are texts.
  const target = { to, search: Object.fromEntries(given) } as never
  return (
    <Link {...(target as { to: string })} {...(className === undefined ? {} : { className })}>
      {children}
    </Link>
  )
}
