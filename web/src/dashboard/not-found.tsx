import { Link } from '@tanstack/react-router'

export function NotFound() {
  return (
    <main className="frame-page stack">
      <h1>Page not found</h1>
      <p>
        The dashboard has no page at this address. <Link to="/">Go to the overview</Link>
      </p>
    </main>
  )
}
