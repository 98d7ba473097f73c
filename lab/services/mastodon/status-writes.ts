import type { ServiceClock } from '../../base/clock.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { formOf, hasForm, jsonOf, type LabRequest } from '../../base/request.ts'
import { isShown } from '../../data/item-store.ts'
import { blankStatus, fieldsOf, type MastodonData, VISIBILITIES, type Visibility } from './data.ts'
import type { Uploads } from './media.ts'

const HOUR_MS = 3_600_000
const MAX_TEXT = 500

interface Parts {
  clock: ServiceClock
  data: MastodonData
  uploads: Uploads
  /** A status as this person sees it. */
  show: (username: string, id: string) => Record<string, unknown> | undefined
}

const invalid = (text: string): Reply => json(422, { error: `Validation failed: ${text}` })
const missing = (): Reply => json(404, { error: 'Record not found' })

/** Posts and deletes statuses, and marks them. */
export function statusWrites({ clock, data, uploads, show }: Parts) {
  /** By person and `Idempotency-Key`, for an hour. */
  const posted = new Map<string, { id: string; atMs: number }>()

  function create(username: string, request: LabRequest): Reply {
    const key = `${username} ${String(request.headers['idempotency-key'])}`
    const before = request.headers['idempotency-key'] === undefined ? undefined : posted.get(key)
    if (before !== undefined && clock.now() - before.atMs < HOUR_MS) return json(200, show(username, before.id) ?? {})
    const { text, mediaIds, spoiler, visibility, language, replyTo } = readStatus(request)
    if (text === '' && mediaIds.length === 0) return invalid("Text can't be blank")
    if (text.length > MAX_TEXT) return invalid(`Text character limit of ${MAX_TEXT} exceeded`)
    if (visibility === undefined) return invalid('Visibility is not included in the list')
    const parent = replyTo === undefined ? undefined : data.store.find('statuses', replyTo)
    if (replyTo !== undefined && parent === undefined) return missing()
    const media = uploads.attach(username, mediaIds)
    const now = clock.now()
    const account = parent && data.account(parent.owner)?.id
    const item = data.store.put(username, 'statuses', {
      id: data.nextId(),
      createdAtMs: now,
      updatedAtMs: now,
      fields: {
        ...blankStatus(text),
        spoiler,
        media,
        visibility,
        language,
        ...(parent && account ? { replyTo: { id: parent.item.id, account } } : {}),
      },
    })
    posted.set(key, { id: item.id, atMs: now })
    return json(200, show(username, item.id))
  }

  /** The deleted status has its text, to be written anew. */
  function remove(username: string, id: string): Reply {
    const found = data.store.find('statuses', id)
    if (found?.owner !== username) return missing()
    const shown = show(username, id)
    data.store.remove(username, 'statuses', id, clock.now())
    return json(200, { ...shown, text: fieldsOf(found.item).text })
  }

  function favourite(username: string, id: string, on: boolean): Reply {
    const found = data.store.find('statuses', id)
    if (found === undefined || show(username, id) === undefined) return missing()
    const isMarked = data.store.list(username, 'favourites').some((each) => each.id === id && isShown(each))
    const now = clock.now()
    const fields = { owner: found.owner, id }
    if (on && !isMarked) data.store.put(username, 'favourites', { id, createdAtMs: now, updatedAtMs: now, fields })
    if (!on && isMarked) data.store.remove(username, 'favourites', id, now)
    return json(200, show(username, id))
  }

  return { create, remove, favourite }
}

/** By form or JSON. */
function readStatus(request: LabRequest) {
  const fields: Record<string, unknown> = hasForm(request) ? Object.fromEntries(formOf(request)) : bodyOf(request)
  const listed = formOf(request).flatMap(([name, value]) => (name === 'media_ids[]' ? [value] : []))
  const textOf = (name: string) => (typeof fields[name] === 'string' ? fields[name].trim() : '')
  const ids = fields['media_ids']
  const visibility = textOf('visibility') || 'public'
  return {
    text: textOf('status'),
    mediaIds: Array.isArray(ids) ? ids.map(String) : listed,
    spoiler: textOf('spoiler_text'),
    language: textOf('language') || 'en',
    visibility: VISIBILITIES.find((each): each is Visibility => each === visibility),
    replyTo: textOf('in_reply_to_id') || undefined,
  }
}

function bodyOf(request: LabRequest): Record<string, unknown> {
  try {
    return jsonOf(request)
  } catch (error) {
    if (error instanceof Refusal) return {}
    throw error
  }
}
