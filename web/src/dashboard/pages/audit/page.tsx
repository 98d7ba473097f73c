import { useInfiniteQuery } from '@tanstack/react-query'
import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { asOperator } from '../../../api/core.ts'
import { keyOf, OPERATOR } from '../../../api/keys.ts'
import { Field } from '../../../ui/field.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAddress } from '../../address.ts'
import { useApps } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { auditSearch } from '../../search.ts'
import { type AuditAddress, filtersOf } from './audit-filters.ts'

type Entry = ResponseOf<'GET /admin/audit'>['entries'][number]

/** Who did what, newest first. */
export default function AuditPage() {
  const [address, change] = useAddress(auditSearch)
  const query = filtersOf(address)
  const log = useInfiniteQuery({
    queryKey: keyOf('GET /admin/audit', OPERATOR, {}, query),
    queryFn: ({ pageParam, signal }) =>
      call(asOperator, 'GET /admin/audit', {
        query: { ...query, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        options: { signal },
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
  })
  return (
    <div className="stack">
      <PageTitle title="Audit" />
      <Filters address={address} change={change} />
      <section className="card" aria-label="Entries">
        <QueryView query={log}>{({ pages }) => <Entries rows={pages.flatMap(({ entries }) => entries)} />}</QueryView>
        {log.hasNextPage && (
          <button type="button" className="quiet" disabled={log.isFetching} onClick={() => void log.fetchNextPage()}>
            Show older entries
          </button>
        )}
      </section>
    </div>
  )
}

function Filters({ address, change }: { address: AuditAddress; change: (changes: AuditAddress) => void }) {
  const { data: apps = [] } = useApps()
  return (
    <form
      className="card columns"
      // What is typed is part of the address when it is finished, not with each letter. Back changes the fields by their keys.
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const text = (name: string) => {
          const value = given.get(name)
          return typeof value === 'string' ? value : ''
        }
        change({
          of: text('of'),
          actor: text('actor'),
          action: text('action'),
          account: text('account'),
          from: text('from'),
          to: text('to'),
        })
      }}
    >
      <Field label="App">
        <select name="of" key={address.of} defaultValue={address.of ?? ''}>
          <option value="">Every app</option>
          {apps.map(({ client_id: id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Actor">
        <input name="actor" key={address.actor} defaultValue={address.actor} placeholder="admin" />
      </Field>
      <Field label="Action">
        <input name="action" key={address.action} defaultValue={address.action} placeholder="app.create" />
      </Field>
      <Field label="Account">
        <input name="account" key={address.account} defaultValue={address.account} />
      </Field>
      <Field label="From">
        <input name="from" key={address.from} type="date" defaultValue={address.from} />
      </Field>
      <Field label="To">
        <input name="to" key={address.to} type="date" defaultValue={address.to} />
      </Field>
      <div className="row">
        <button type="submit">Filter</button>
      </div>
    </form>
  )
}

function Entries({ rows }: { rows: Entry[] }) {
  return (
    <Table
      label="Entries"
      rows={rows}
      rowKey={({ id }) => id}
      empty="No entries match."
      columns={[
        { title: 'When', cell: ({ at }) => <Time at={at} /> },
        {
          title: 'Who',
          cell: ({ actor, actor_name: name }) =>
            name === undefined ? <code>{actor}</code> : <span title={actor}>{name}</span>,
        },
        { title: 'What', cell: ({ action }) => <code>{action}</code> },
        { title: 'App or account', cell: ({ app, account }) => <code>{account ?? app}</code> },
        {
          title: 'Details',
          cell: ({ detail }) => (Object.keys(detail).length === 0 ? null : <code>{JSON.stringify(detail)}</code>),
        },
      ]}
    />
  )
}
