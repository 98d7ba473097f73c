import { Link } from '@tanstack/react-router'
import type { Service } from '@tributary-hub/client/generated/api.ts'
import type { ReactNode } from 'react'
import { formatCount, formatDuration } from '../../../ui/amounts.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Table } from '../../../ui/table.tsx'
import { useNamedApp } from '../../current-app.ts'

const ADDRESSES: Record<string, string> = {
  callback: 'Callback',
  hook: 'Webhook',
  deletion: 'Data deletion',
  deauthorize: 'Deauthorization',
}

const AUTH: Record<string, string> = {
  oauth2: 'OAuth 2',
  oauth1: 'OAuth 1',
  password: 'typed password',
  archive: 'uploaded archive',
}

/** Everything about a service: addresses to enter there, sign-in, scopes, limits, endpoints. */
export function ServiceDetails({ name, service }: { name: string; service: Service }) {
  const app = useNamedApp()
  const questions = [...Object.values(service.asks), ...Object.values(service.fields ?? {})].map(({ title }) => title)
  return (
    <div className="stack services-details">
      <dl>
        {Object.entries(service.addresses ?? {}).map(([kind, address = '']) => (
          <Row key={kind} label={`${ADDRESSES[kind] ?? kind} address`}>
            <code>{address}</code>{' '}
            <CopyButton text={address} label={`Copy ${(ADDRESSES[kind] ?? kind).toLowerCase()} address`} />
          </Row>
        ))}
        <Row label="Sign-in">
          {AUTH[service.auth] ?? service.auth}
          {questions.length > 0 && `; the person is asked: ${questions.join(', ')}`}
        </Row>
        <Row label="Requested scopes">
          {service.scope.length === 0 ? 'none' : service.scope.map((scope) => <code key={scope}>{scope} </code>)}
        </Row>
        {service.settings.length > 0 && (
          <Row label="Settings with the keys">
            {service.settings.map(({ name: setting, title, required }) => (
              <span key={setting}>
                {title} (<code>{setting}</code>
                {required ? ', required' : ''}){' '}
              </span>
            ))}
          </Row>
        )}
        <Row label="Rate limits">
          {service.limits.length === 0
            ? 'none documented'
            : service.limits
                .map(
                  ({ of, calls, per_seconds: seconds, group }) =>
                    `${formatCount(calls)} calls in ${formatDuration(seconds * 1000)} per ${of}${group === undefined ? '' : ` (${group})`}`,
                )
                .join(', ')}
        </Row>
        {service.aliases.length > 0 && <Row label="Other names">{service.aliases.join(', ')}</Row>}
      </dl>
      <Table
        label={`Endpoints of ${service.title}`}
        rows={Object.entries(service.endpoints)}
        rowKey={([endpoint]) => endpoint}
        columns={[
          { title: 'Endpoint', cell: ([endpoint]) => <code>{endpoint}</code> },
          { title: 'Types', cell: ([, { types }]) => types.join(', ') },
          { title: 'Read every', cell: ([, { every_seconds: seconds }]) => formatDuration(seconds * 1000) },
          {
            title: 'Scopes',
            cell: ([, { scope }]) => (scope.length === 0 ? '–' : scope.map((each) => <code key={each}>{each} </code>)),
          },
        ]}
      />
      <div className="row">
        <a href={service.docs} rel="noreferrer" target="_blank">
          Documentation of the service
        </a>
        <Link to="/accounts" search={{ app, service: name }}>
          Accounts with it
        </Link>
      </div>
    </div>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
