import { Link, Outlet } from '@tanstack/react-router'
import { AppChoice } from './app-choice.tsx'
import { NAVIGATION } from './navigation.ts'
import { useIsOperator } from './session.ts'
import { SignedIn } from './signed-in.tsx'

/** The frame around every page: navigation, the app in view, and the page. */
export function Frame() {
  return (
    <SignedIn>
      <FramedPage />
    </SignedIn>
  )
}

function FramedPage() {
  const isOperator = useIsOperator()
  return (
    <div className="frame">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <header className="frame-top">
        <Link to="/" className="mark">
          Tributary
        </Link>
        <div className="row">
          <AppChoice />
          <Link to="/account">Your account</Link>
        </div>
      </header>
      <nav className="frame-nav" aria-label="Dashboard">
        {NAVIGATION.map(
          ({ to, title, ...page }) =>
            (isOperator || !('isForOperators' in page)) && (
              <Link key={to} to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'aria-current': 'page' }}>
                {title}
              </Link>
            ),
        )}
      </nav>
      <main id="page" className="frame-page" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  )
}
