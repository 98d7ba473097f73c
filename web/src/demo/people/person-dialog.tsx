import type { PersonDetail } from '@tributary-hub/client/generated/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Table } from '../../ui/table.tsx'
import { closeStep, useAddress } from '../address.ts'
import { FeedItem } from '../feed/feed-item.tsx'
import { Picture } from '../picture.tsx'
import { RequestBar } from '../requests/request-bar.tsx'
import { getPerson } from '../requests/sdk-calls.ts'
import { useCall, useRecorder } from '../requests/use-call.ts'

/** Limit: items that are shown of a person. */
const MAX_ITEMS = 8

/** The person that the address names: who they are at each service, and where they appear. */
export function PersonDialog() {
  const [id] = useAddress('person')
  return id === undefined ? null : <OpenPerson id={id} />
}

function OpenPerson({ id }: { id: string }) {
  const recorder = useRecorder()
  const query = useCall(recorder, 'person', getPerson(id))
  return (
    <Dialog title={query.data?.name ?? 'Person'} onClose={() => closeStep('person')}>
      <QueryView query={query}>{(person) => <PersonView person={person} />}</QueryView>
      <RequestBar recorder={recorder} of="this person" />
    </Dialog>
  )
}

function PersonView({ person }: { person: PersonDetail }) {
  const appearances = Object.entries(person.appearances).flatMap(([service, types]) =>
    Object.entries(types).map(([type, count]) => ({ service, type, count })),
  )
  const contacts = Object.entries(person.services).flatMap(([service, list]) =>
    list.map((each) => ({ service, ...each })),
  )
  return (
    <div className="stack">
      <div className="row">
        <Picture src={person.thumbnail_url} alt="" letter={person.name} className="avatar avatar-large" />
        <ul className="person-contacts">
          {contacts.map(({ service, id, handle }) => (
            <li key={id}>
              @{handle} <span className="soft">at {service}</span>
            </li>
          ))}
        </ul>
      </div>
      {person.joined.length > 0 && (
        <div>
          <h3>Why this is one person</h3>
          <ul className="person-contacts">
            {person.joined.map(({ by, strength, value, users }) => (
              <li key={`${by} ${strength} ${value} ${users.map(({ user }) => user).join(' ')}`}>
                {by.replaceAll('_', ' ')} {value}{' '}
                <span className="soft">{users.map(({ service }) => service).join(', ')}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div>
        <h3>Where {person.name ?? 'this person'} appears</h3>
        <Table
          label="Appearances"
          rows={appearances}
          rowKey={({ service, type }) => `${service} ${type}`}
          empty="In no item yet."
          columns={[
            { title: 'Service', cell: ({ service }) => service },
            { title: 'Type', cell: ({ type }) => type.replace('_feed', ' of others') },
            { title: 'Items', cell: ({ count }) => count, isNumber: true },
          ]}
        />
      </div>
      {person.items.length > 0 && (
        <div>
          <h3>Newest</h3>
          <ul className="feed-items">
            {person.items.slice(0, MAX_ITEMS).map((item) => (
              <FeedItem key={item.id} item={item} />
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
