import type { Person } from '@tributary-hub/client/generated/api.ts'
import { useState } from 'react'
import { QueryView } from '../../ui/query-view.tsx'
import { useTyped } from '../../ui/use-typed.ts'
import { setAddress } from '../address.ts'
import { Panel } from '../panel.tsx'
import { Picture } from '../picture.tsx'
import { listPeople } from '../requests/sdk-calls.ts'
import { usePages, useRecorder } from '../requests/use-call.ts'
import { ServiceMark } from '../service-mark.tsx'
import { ShowMore } from '../show-more.tsx'
import './people.css'

/** Whom the person knows: contacts of all services, joined where they are one person. */
export function People() {
  const recorder = useRecorder()
  const [q, setQ] = useState('')
  const [text, setText] = useTyped(q, setQ)
  const pages = usePages<Person>(recorder, 'people', { limit: 24, q: q === '' ? undefined : q }, listPeople)
  return (
    <Panel title="People" name="people" note="contacts of all services, joined" recorder={recorder}>
      <input
        type="search"
        aria-label="Search the people"
        placeholder="Name or handle"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <QueryView query={pages}>
        {({ pages: loaded }) => {
          const people = loaded.flatMap((page) => page.items)
          if (people.length === 0)
            return <p className="soft">{q === '' ? 'Nobody has arrived yet.' : 'Nobody matches.'}</p>
          return (
            <div className="people-list" role="region" aria-label="People list" tabIndex={0}>
              <ul className="people">
                {people.map((person) => (
                  <li key={person.id}>
                    <button
                      type="button"
                      className="person-button"
                      onClick={() => setAddress({ person: person.id }, true)}
                    >
                      <Picture src={person.thumbnail_url} alt="" letter={person.name} className="avatar" />
                      <span className="person-name">
                        {person.name ?? person.handles[0]}
                        <span className="soft">@{person.handles[0]}</span>
                      </span>
                      <span className="person-marks">
                        {Object.keys(person.services).map((service) => (
                          <ServiceMark key={service} service={service} isSmall />
                        ))}
                        <span className="hidden-text">{Object.keys(person.services).join(', ')}</span>
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
              <ShowMore pages={pages} what="people" />
            </div>
          )
        }}
      </QueryView>
    </Panel>
  )
}
