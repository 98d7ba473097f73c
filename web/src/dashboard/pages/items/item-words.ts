import type { Item } from '@tributary-hub/client/generated/api.ts'

/** An item, or with `fields` a flat object with any of its parts. */
export type Shown = Partial<Item>

const MAX_CHARS = 90

/** What an item is called, in a line. */
export function titleOf({ oembed, idr, id = '' }: Shown): string {
  const text = oembed?.title ?? oembed?.text ?? oembed?.description ?? idr ?? id
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 2)}…` : text
}

/** Its service and endpoint. */
export const serviceOf = ({ idr = '' }: Shown): string => /@([^@/]+\/[^#]+)/.exec(idr)?.[1] ?? ''
