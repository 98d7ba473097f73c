import type { Item } from '@tributary-hub/client/generated/api.ts'
import { useContext } from 'react'
import { QueryView } from '../../ui/query-view.tsx'
import { openItem } from '../item/item-dialog.tsx'
import { titleOf } from '../item/item-words.ts'
import { Panel } from '../panel.tsx'
import { Picture } from '../picture.tsx'
import { listItems } from '../requests/sdk-calls.ts'
import { usePages, useRecorder } from '../requests/use-call.ts'
import { SessionContext } from '../session-context.ts'
import { ShowMore } from '../show-more.tsx'
import './photos.css'

/** Photos of all services as a grid. */
export function Photos() {
  const recorder = useRecorder()
  const { until } = useContext(SessionContext)
  const query = { limit: 40, dedup: true, until }
  const pages = usePages<Item>(recorder, 'photos', query, (page) => listItems('photos', page))
  return (
    <Panel title="Photos" name="photos" recorder={recorder}>
      <QueryView query={pages}>
        {({ pages: loaded }) => {
          const items = loaded.flatMap((page) => page.items)
          if (items.length === 0) return <p className="soft">No photo has arrived yet.</p>
          return (
            <div className="photos" role="region" aria-label="Photo grid" tabIndex={0}>
              <ul className="photos-grid">
                {items.map((item) => (
                  <li key={item.id}>
                    <button
                      type="button"
                      className="photo"
                      onClick={() =>
                        openItem(
                          item.id,
                          items.map(({ id }) => id),
                        )
                      }
                    >
                      <Picture src={item.oembed?.thumbnail_url ?? item.oembed?.url} alt={titleOf(item)} />
                    </button>
                  </li>
                ))}
              </ul>
              <ShowMore pages={pages} what="photos" />
            </div>
          )
        }}
      </QueryView>
    </Panel>
  )
}
