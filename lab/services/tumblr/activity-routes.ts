import { first } from '../../base/pairs.ts'
import type { LabRequest } from '../../base/request.ts'
import { type Activity, activityOf, activityTypes } from './activity.ts'
import { type ApiParts, type Call, ownedBlog, type TumblrApi } from './endpoint.ts'
import { refused } from './envelope.ts'
import { nextLink, numberParam } from './params.ts'

const perPage = 20

export function activityResources({ context, data }: ApiParts, { one }: TumblrApi) {
  const startMs = context.clock.now()

  function notifications(call: Call) {
    const { request } = call
    const blog = ownedBlog(call, 'Only the owner may see what happened')
    const types = listParam(request, 'types')
    const unknown = types.find((type) => !activityTypes.some((known) => known === type))
    if (unknown !== undefined) throw refused(400, `There is no activity type ${unknown}`)
    const omitted = listParam(request, 'omit_post_ids')
    const before = numberParam(request, 'before') ?? Number.POSITIVE_INFINITY
    const matching = activityOf(data, blog, startMs).filter(
      (one) =>
        one.timestamp < before &&
        (types.length === 0 || types.includes(one.type)) &&
        !omitted.includes(one.target_post_id ?? ''),
    )
    const shown = firstPage(rolledUp(request) ? roll(matching) : matching)
    const last = shown.at(-1)
    const more = last !== undefined && matching.some(({ timestamp }) => timestamp < last.timestamp)
    return { notifications: shown, ...(more ? { _links: nextLink(request, { before: last.timestamp }) } : {}) }
  }
  return { 'GET /v2/blog/:blog/notifications': one({ level: 'person' }, notifications) }
}

/** `types[]=like&types[]=reply`, `types[0]=like`, or one value alone. */
const listParam = (request: LabRequest, name: string): string[] =>
  request.query.filter(([key]) => key.replace(/\[\d*\]$/, '') === name).map(([, value]) => value)

const rolledUp = (request: LabRequest): boolean => !['false', '0'].includes(first(request.query, 'rollups') ?? 'true')

/** Merges adjacent notifications of the same type and post into the newest one. */
const roll = (all: readonly Activity[]): Activity[] =>
  all.filter(({ type, target_post_id }, at) => {
    const newer = all[at - 1]
    return type === 'follow' || newer?.type !== type || newer.target_post_id !== target_post_id
  })

/** The next page starts at a whole second, so a page includes all notifications of its last second. */
function firstPage(all: readonly Activity[]): Activity[] {
  const last = all[perPage - 1]
  return last === undefined ? [...all] : all.filter(({ timestamp }) => timestamp >= last.timestamp)
}
