import { useNavigate } from '@tanstack/react-router'
import { useAddress } from './address.ts'
import { rememberApp, useApps, useCurrentApp, useOpenedApp } from './current-app.ts'
import { frameSearch } from './search.ts'

/** Chooses the app that the pages show. */
export function AppChoice() {
  const { data } = useApps()
  const current = useCurrentApp()
  const opened = useOpenedApp()
  const [, change] = useAddress(frameSearch)
  const navigate = useNavigate()
  if (data === undefined || data.length === 0) return null
  return (
    <label className="row app-choice">
      <span className="soft">App</span>
      <select
        value={current}
        onChange={({ target }) => {
          rememberApp(target.value)
          if (opened === undefined) change({ app: target.value })
          else void navigate({ to: '/apps/$app', params: { app: target.value } })
        }}
      >
        {data.map(({ client_id: id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
