import { type BaseType, baseOf, type ItemType } from '#model/items/types.ts'

/** A column of a typed view: which field of which normalised document it shows, and as which type. */
export interface ViewColumn {
  name: string
  document: 'map' | 'oembed'
  field: string
  as: 'text' | 'number' | 'time'
}

const of = (as: ViewColumn['as'], document: ViewColumn['document'], ...fields: string[]): ViewColumn[] =>
  fields.map((each) => {
    const [field = '', name = field] = each.split(' as ')
    return { name, document, field, as }
  })

/** The columns of each type, in addition to those that all types have. */
const COLUMNS_BY_TYPE: Record<BaseType, ViewColumn[]> = {
  photos: [...of('text', 'map', 'image'), ...of('number', 'oembed', 'width', 'height')],
  videos: [...of('text', 'map', 'media'), ...of('number', 'oembed', 'width', 'height')],
  statuses: of('text', 'map', 'lang'),
  news: of('text', 'map', 'lang'),
  checkins: of('text', 'map', 'place'),
  events: [...of('time', 'map', 'starts', 'ends'), ...of('text', 'map', 'place')],
  messages: of('text', 'map', 'subject', 'from as from_address', 'to as to_addresses'),
  files: [...of('text', 'map', 'path', 'mime'), ...of('number', 'map', 'bytes')],
  tracks: [...of('text', 'map', 'artist', 'album'), ...of('number', 'map', 'seconds')],
  activities: [...of('text', 'map', 'sport'), ...of('number', 'map', 'seconds', 'meters', 'calories', 'heart_rate')],
  measures: [...of('text', 'map', 'metric'), ...of('number', 'map', 'value'), ...of('text', 'map', 'unit')],
  contacts: of('text', 'map', 'name', 'nickname', 'email', 'phone', 'photo'),
}

export function columnsOf(type: ItemType): ViewColumn[] {
  return COLUMNS_BY_TYPE[baseOf(type)]
}

/** The columns of all types, each once. */
export function allColumns(): ViewColumn[] {
  const byName = new Map(Object.values(COLUMNS_BY_TYPE).flatMap((each) => each.map((column) => [column.name, column])))
  return [...byName.values()]
}
