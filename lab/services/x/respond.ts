import { json, type Reply } from '../../base/reply.ts'
import { type FieldSelection, withPostNames } from './field-selection.ts'

export interface Parts {
  data?: unknown
  includes?: Record<string, unknown[]>
  errors?: unknown[]
  meta?: Record<string, unknown>
}

/** Empty parts are omitted: a page without items has no `data`. */
export function respond(selection: FieldSelection, { data, includes, errors, meta }: Parts): Reply {
  const isEmpty = data === undefined || (Array.isArray(data) && data.length === 0)
  const whole = {
    ...(isEmpty ? {} : { data }),
    ...(includes && Object.keys(includes).length > 0 ? { includes } : {}),
    ...(errors && errors.length > 0 ? { errors } : {}),
    ...(meta ? { meta } : {}),
  }
  return json(200, selection.usesPostNames ? withPostNames(whole) : whole)
}
