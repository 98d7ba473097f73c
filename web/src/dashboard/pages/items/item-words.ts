import type { Item } from '@tributary-hub/client/generated/api.ts'

/** An item, or with `fields` a flat object with any of its parts. */
export type Shown = Partial<Item>

const MAX_CHARS = 90

/** What an item is called, in a line. */
export function titleOf({ oembed, idr, id = '' }: Shown): string {
  const text = oembed?.title ?? oembed?.text ?? oembed?.description ?? kindOf(idr) ?? id
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 2)}…` : text
}

/** `photo:1576860000@demo-social/photos#1` without the numbers: what it is, for an item without a title. */
const kindOf = (idr = ''): string | undefined => {
  const [, kind, place] = /^([a-z_]+):[^@]*@([^#]+)/.exec(idr) ?? []
  return kind === undefined || place === undefined ? undefined : `${kind} of ${place}`
}

/** Its service and endpoint. */
export const serviceOf = ({ idr = '' }: Shown): string => /@([^@/]+\/[^#]+)/.exec(idr)?.[1] ?? ''
