import type { Item } from '@tributary-hub/client/generated/api.ts'
import type { ItemTypes } from '@tributary-hub/client/item-types.ts'
import { useContext } from 'react'
import { QueryView } from '../../ui/query-view.tsx'
import { useTyped } from '../../ui/use-typed.ts'
import { useAddress } from '../address.ts'
import { Panel } from '../panel.tsx'
import { type ListQuery, listItems } from '../requests/sdk-calls.ts'
import { usePages, useRecorder } from '../requests/use-call.ts'
import { SessionContext } from '../session-context.ts'
import { ShowMore } from '../show-more.tsx'
import { FeedItem } from './feed-item.tsx'
import { searchOf } from './search-of.ts'
import './feed.css'

const TYPES: [keyof ItemTypes, string][] = [
  ['all', 'Everything'],
  ['statuses', 'Posts'],
  ['photos', 'Photos'],
  ['checkins', 'Check-ins'],
  ['activities', 'Activities'],
  ['measures', 'Measures'],
  ['all_feed', 'By friends'],
]

/** Items of all services, newest first, with search as one types. */
export function Feed() {
  const recorder = useRecorder()
  const { until } = useContext(SessionContext)
  const [chosen, setChosen] = useAddress('type')
  const [q, setQ] = useAddress('q')
  const [text, setText] = useTyped(q ?? '', setQ)
  const type = TYPES.find(([name]) => name === chosen)?.[0] ?? 'all'
  const query: ListQuery = { limit: 25, dedup: true, map: true, q: searchOf(q), until }
  const pages = usePages<Item>(recorder, 'feed', query, (page) => listItems(type, page))
  return (
    <Panel title="Feed" name="feed" note="all services, newest first" recorder={recorder}>
      <div className="feed-filters">
        <input
          type="search"
          aria-label="Search the items"
          placeholder="Search as you type: coffee, train, piano …"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <fieldset className="feed-types">
          <legend className="hidden-text">Types</legend>
          {TYPES.map(([name, label]) => (
            <button
              type="button"
              key={name}
              className="quiet"
              aria-pressed={name === type}
              onClick={() => setChosen(name === 'all' ? undefined : name)}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      <div className="feed-list" role="region" aria-label="Items" tabIndex={0}>
        <QueryView query={pages}>
          {({ pages: loaded }) => {
            const items = loaded.flatMap((page) => page.items)
            if (items.length === 0)
              return <p className="soft">{q === undefined ? 'Nothing has arrived yet.' : `Nothing matches “${q}”.`}</p>
            return (
              <>
                <ul className="feed-items">
                  {items.map((item) => (
                    <FeedItem key={item.id} item={item} />
                  ))}
                </ul>
                <ShowMore pages={pages} what="items" />
              </>
            )
          }}
        </QueryView>
      </div>
    </Panel>
  )
}
