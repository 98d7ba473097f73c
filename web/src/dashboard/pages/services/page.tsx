import './page.css'
import { useQuery } from '@tanstack/react-query'
import type { Service } from '@tributary-hub/client/generated/api.ts'
import { describedServices } from '../../../api/services.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Field } from '../../../ui/field.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { useAddress } from '../../address.ts'
import { useCurrentApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { servicesSearch } from '../../search.ts'
import { matchingServices } from './matching-services.ts'
import { ServiceDetails } from './service-details.tsx'

/** Every service: what it has, how people sign in, and whether the app in view has keys. */
export default function ServicesPage() {
  const clientId = useCurrentApp()
  const services = useQuery({ ...describedServices(clientId ?? ''), enabled: clientId !== undefined })
  return (
    <div className="stack">
      <PageTitle title="Services" />
      <QueryView query={services}>{(all) => <Catalogue all={Object.entries(all)} />}</QueryView>
    </div>
  )
}

function Catalogue({ all }: { all: [name: string, service: Service][] }) {
  const [{ q = '', type, keys }, change] = useAddress(servicesSearch)
  const types = [...new Set(all.flatMap(([, service]) => service.types))].sort()
  const matches = matchingServices(all, { q, type, keys })
  return (
    <>
      <search className="card services-filters">
        <Field label="Search" hint="A name, an endpoint or a type">
          <input
            type="search"
            value={q}
            maxLength={200}
            onChange={({ target }) => change({ q: target.value }, { replace: true })}
          />
        </Field>
        <Field label="Type">
          <select value={type ?? ''} onChange={({ target }) => change({ type: target.value })}>
            <option value="">Any</option>
            {types.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
        <Field label="Keys of this app">
          <select
            value={keys ?? ''}
            onChange={({ target }) => change({ keys: servicesSearch({ keys: target.value }).keys })}
          >
            <option value="">Any</option>
            <option value="yes">can be connected</option>
            <option value="no">keys missing</option>
          </select>
        </Field>
      </search>
      <p className="soft" role="status">
        {matches.length === all.length ? `${all.length} services` : `${matches.length} of ${all.length} services`}
      </p>
      <ul className="services-list">
        {matches.map(([name, service]) => (
          <li key={name} className="card">
            <details open={matches.length === 1}>
              <summary>
                <span className="services-title">{service.title}</span>
                <code>{name}</code>
                <Keys service={service} />
                <span className="soft">{service.types.join(', ')}</span>
              </summary>
              <ServiceDetails name={name} service={service} />
            </details>
          </li>
        ))}
      </ul>
    </>
  )
}

function Keys({ service }: { service: Service }) {
  if (service.has_keys === true) return <Badge tone="good">has keys</Badge>
  return service.needs_keys ? <Badge>no keys</Badge> : <Badge tone="good">no keys required</Badge>
}
