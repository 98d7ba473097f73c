import type { Item } from '@tributary-hub/client/generated/api.ts'
import { useEffect } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Time } from '../../ui/time.tsx'
import { closeStep, setAddress, useAddress } from '../address.ts'
import { Picture } from '../picture.tsx'
import { RequestBar } from '../requests/request-bar.tsx'
import { getItem } from '../requests/sdk-calls.ts'
import { useCall, useRecorder } from '../requests/use-call.ts'
import { endpointOf, figuresOf, kindOf, measureOf, serviceOf, textOf, titleOf } from './item-words.ts'
import './item.css'

/** The list that an item was opened from, to go to its neighbours. Lost by a reload, which shows the item alone. */
let neighbours: readonly string[] = []

export function openItem(id: string, list: readonly string[] = []): void {
  neighbours = list
  setAddress({ item: id }, true)
}

/** The item that the address names: the picture or text, where it is from, and the record as the service sent it. */
export function ItemDialog() {
  const [id] = useAddress('item')
  return id === undefined ? null : <OpenItem id={id} />
}

function OpenItem({ id }: { id: string }) {
  const recorder = useRecorder()
  const query = useCall(recorder, 'item', getItem(id))
  const place = neighbours.indexOf(id)
  const go = (next: string | undefined) => next !== undefined && setAddress({ item: next }, false)
  const [before, after] = [place > 0 ? neighbours[place - 1] : undefined, neighbours[place + 1]]
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => (key === 'ArrowLeft' ? go(before) : key === 'ArrowRight' && go(after))
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return (
    <Dialog title={query.data === undefined ? 'Item' : kindOf(query.data)} onClose={() => closeStep('item')}>
      <QueryView query={query}>{(item) => <ItemView item={item} />}</QueryView>
      {place >= 0 && (
        <div className="row apart">
          <button type="button" className="quiet" disabled={before === undefined} onClick={() => go(before)}>
            Previous
          </button>
          <span className="soft">
            {place + 1} of {neighbours.length}
          </span>
          <button type="button" className="quiet" disabled={after === undefined} onClick={() => go(after)}>
            Next
          </button>
        </div>
      )}
      <RequestBar recorder={recorder} of="this item" />
    </Dialog>
  )
}

function ItemView({ item }: { item: Item }) {
  const { oembed = {} } = item
  const isPhoto = oembed.type === 'photo'
  const text = oembed.type === 'measure' ? measureOf(item) : textOf(item)
  return (
    <div className="stack">
      {isPhoto && (
        <Picture src={oembed.url} alt={oembed.title ?? oembed.description ?? 'Photo'} className="item-picture" />
      )}
      <div>
        <h3>{titleOf(item)}</h3>
        {text !== undefined && <p className="item-text">{text}</p>}
        {figuresOf(item) !== undefined && <p>{figuresOf(item)}</p>}
        <p className="soft">
          {oembed.author_name !== undefined && <>{oembed.author_name} · </>}
          <Time at={item.at} /> · {oembed.provider_name ?? serviceOf(item)}, <code>{endpointOf(item)}</code>
          {oembed.lat !== undefined && oembed.lng !== undefined && (
            <>
              {' '}
              · {oembed.lat.toFixed(3)}, {oembed.lng.toFixed(3)}
            </>
          )}
        </p>
      </div>
      <details>
        <summary>The same as JSON: normalised in oembed and map, as the service sent it in data</summary>
        <CodeBlock text={JSON.stringify(item, undefined, 2)} label="The item as JSON" />
      </details>
    </div>
  )
}
