import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageTitle } from './page-title.tsx'
import { useIsOperator } from './session.ts'

/** Shows a page to operators. Developers read why they do not see it; the server would refuse its requests. */
export function OperatorsOnly({ children }: { children: ReactNode }) {
  const isOperator = useIsOperator()
  if (isOperator === undefined) return null
  if (isOperator) return children
  return (
    <div className="stack">
      <PageTitle title="Only for operators" />
      <p>
        You are signed in as a developer. This page concerns the whole installation; ask an operator if you require
        something of it. <Link to="/">Go to the overview</Link>
      </p>
    </div>
  )
}
