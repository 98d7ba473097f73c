import { useQuery } from '@tanstack/react-query'
import { operator, request } from '../../../api/core.ts'
import { describedServices } from '../../../api/services.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Field } from '../../../ui/field.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { useAddress } from '../../address.ts'
import { appSearch } from '../../search.ts'
import { DemoServices } from './demo-services.tsx'
import { KeyEditor } from './key-editor.tsx'
import { matchingServices } from './matching-services.ts'
import type { KeyOfService, ShownApp } from './shown-app.ts'

/** The services, and the app's key for the chosen one. The choice and the search are in the address. */
export function Keys({ app }: { app: ShownApp }) {
  const [{ service: chosen, q = '' }, change] = useAddress(appSearch)
  const services = useQuery(describedServices(app.client_id))
  const keys = useQuery(request(operator, 'GET /admin/apps/{client_id}/keys', { path: { client_id: app.client_id } }))
  return (
    <QueryView query={services}>
      {(all) => (
        <QueryView query={keys}>
          {(set) => {
            const shown = matchingServices(all, set, q)
            // Services with keys come first; without any, nothing is chosen for the reader.
            const name = chosen ?? (set.length > 0 ? shown[0]?.[0] : undefined)
            const entry = name === undefined ? undefined : all[name]
            return (
              <div className="apps-keys">
                <section className="card stack" aria-label="Services">
                  <Field label="Search services">
                    <input
                      type="search"
                      value={q}
                      onChange={({ target }) => change({ q: target.value }, { replace: true })}
                    />
                  </Field>
                  <ul className="apps-services">
                    {shown.map(([each, { title, needs_keys: needsKeys }]) => (
                      <li key={each}>
                        <button
                          type="button"
                          aria-current={each === name ? 'true' : undefined}
                          onClick={() => change({ service: each })}
                        >
                          <span>{title}</span>
                          {keyBadge(set, each, needsKeys)}
                        </button>
                      </li>
                    ))}
                  </ul>
                  {shown.length === 0 && <p className="soft">No service has such a name.</p>}
                  <DemoServices clientId={app.client_id} />
                </section>
                {name !== undefined && entry !== undefined && (
                  <KeyEditor
                    key={name}
                    app={app}
                    name={name}
                    service={entry}
                    stored={set.find((each) => each.service === name)}
                  />
                )}
                {name === undefined && (
                  <section className="card stack" aria-label="No keys yet">
                    <h2>This app has no keys yet</h2>
                    <p>
                      Choose the service that people shall connect. Its page says which addresses to enter there, and
                      takes the key and the secret that the service gives you.
                    </p>
                  </section>
                )}
                {name !== undefined && entry === undefined && <p>There is no service {name}.</p>}
              </div>
            )
          }}
        </QueryView>
      )}
    </QueryView>
  )
}

const keyBadge = (keys: KeyOfService[], name: string, needsKeys: boolean) => {
  if (keys.some(({ service }) => service === name)) return <Badge tone="good">keys set</Badge>
  return needsKeys ? <span className="soft">no keys</span> : <span className="soft">no keys required</span>
}
