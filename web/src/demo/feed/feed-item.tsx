import type { Item } from '@tributary-hub/client/generated/api.ts'
import { Time } from '../../ui/time.tsx'
import { openItem } from '../item/item-dialog.tsx'
import { figuresOf, kindOf, measureOf, serviceOf, textOf, titleOf } from '../item/item-words.ts'
import { Picture } from '../picture.tsx'
import { ServiceMark } from '../service-mark.tsx'

/** One item of the feed, as a button that opens it. */
export function FeedItem({ item }: { item: Item }) {
  const { oembed = {} } = item
  const service = serviceOf(item)
  const title = titleOf(item)
  const isPhoto = oembed.type === 'photo'
  const isMeasure = oembed.type === 'measure'
  const text = isMeasure ? undefined : textOf(item)
  return (
    <li>
      <button type="button" className="feed-item" onClick={() => openItem(item.id)}>
        <ServiceMark service={service} isSmall={isMeasure} />
        <span className="feed-main">
          <span className="feed-facts">
            {isMeasure ? (
              <>
                {title} <strong>{measureOf(item)}</strong>
              </>
            ) : (
              kindOf(item)
            )}
            {' · '}
            <Time at={item.at} />
            {oembed.author_name !== undefined && <> · {oembed.author_name}</>}
          </span>
          {!isMeasure && <span className="feed-title">{title}</span>}
          {text !== undefined && text !== title && !text.startsWith(title) && <span className="feed-text">{text}</span>}
          {figuresOf(item) !== undefined && <span className="feed-figures">{figuresOf(item)}</span>}
        </span>
        {isPhoto && <Picture src={oembed.thumbnail_url ?? oembed.url} alt="" className="feed-picture" />}
      </button>
    </li>
  )
}
