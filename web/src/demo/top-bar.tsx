import { ConfirmButton } from '../ui/confirm-button.tsx'
import favicon from '../ui/favicon.svg'

export function TopBar({ isConnected, onStartOver }: { isConnected: boolean; onStartOver: () => Promise<void> }) {
  return (
    <header className="top">
      <a className="top-name" href="/demo">
        <img src={favicon} alt="" width="22" height="22" />
        Tributary demo
      </a>
      <nav aria-label="Pages">
        {isConnected && <a href="#use-it">Use it in your app</a>}
        <a href="/docs">API reference</a>
        <a href="/dashboard/sign-in?visit=demo">Dashboard</a>
        {isConnected && (
          <ConfirmButton label="Start over" title="Start over?" onConfirm={onStartOver}>
            <p>
              Erases Ada’s account with everything that was read, and ends the access at the services. The API call is{' '}
              <code>DELETE /profiles</code>.
            </p>
          </ConfirmButton>
        )}
      </nav>
    </header>
  )
}
