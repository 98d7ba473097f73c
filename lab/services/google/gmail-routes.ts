import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type ApiParts, apiEndpoint, type Call, paged, sizeOf } from './api-endpoint.ts'
import { SCOPES } from './login.ts'
import { failure, invalid } from './respond.ts'
import type { Change } from './tracked-store.ts'

const HIDDEN = new Set(['TRASH', 'SPAM'])
const FIRST_HISTORY = 1000

const labelsOf = ({ fields }: StoredItem) => (fields['labelIds'] ?? []) as string[]
const named = (item: StoredItem) => ({ id: item.id, threadId: item.fields['threadId'], labelIds: labelsOf(item) })

/** Mail for a token with the scope `gmail.metadata`: headers and labels, no bodies, no searches. */
export function gmailRoutes(parts: ApiParts): Routes {
  const { tracked, positions } = parts
  const mailOf = ({ person }: Call) => tracked.store.list(person.username, 'mail').filter(isShown)
  const historyId = (number: number) => String(FIRST_HISTORY + number)
  const latest = ({ person }: Call) => historyId(tracked.latest(person.username, 'mail'))
  const oldest = () => positions.generationOf('mail') * 1_000_000

  const messages = (call: Call) => {
    if (call.get('q') !== undefined)
      throw failure(403, 'forbidden', "Metadata scope does not support 'q' parameter", { status: 'PERMISSION_DENIED' })
    const all = mailOf(call).filter((item) => !labelsOf(item).some((label) => HIDDEN.has(label)))
    const { page, nextPageToken } = paged(call, all, sizeOf(call, 'maxResults', 100, 500))
    return {
      ...(page.length > 0 && { messages: page.map((item) => ({ id: item.id, threadId: item.fields['threadId'] })) }),
      ...(nextPageToken && { nextPageToken }),
      resultSizeEstimate: all.length,
    }
  }

  const message = (call: Call) => {
    const format = call.get('format') ?? 'full'
    if (format !== 'metadata' && format !== 'minimal')
      throw failure(403, 'forbidden', `Metadata scope doesn't allow format ${format.toUpperCase()}`, {
        status: 'PERMISSION_DENIED',
      })
    const item = mailOf(call).find(({ id }) => id === call.params['id'])
    if (item === undefined) throw missing()
    return {
      ...named(item),
      snippet: 'The beginning of the text, which nobody may store',
      sizeEstimate: item.fields['size'],
      historyId: historyId(tracked.numberOf(item)),
      internalDate: String(item.createdAtMs),
      ...(format === 'metadata' && { payload: { mimeType: 'text/plain', headers: item.fields['headers'] } }),
    }
  }

  const history = (call: Call) => {
    const start = Number(call.get('startHistoryId'))
    if (!Number.isInteger(start) || start < 1) throw invalid('startHistoryId')
    if (start - FIRST_HISTORY < oldest()) throw missing()
    const all = tracked.changes.filter(
      ({ owner, kind, number }) => owner === call.person.username && kind === 'mail' && number > start - FIRST_HISTORY,
    )
    const { page, nextPageToken } = paged(call, all, sizeOf(call, 'maxResults', 100, 500))
    return {
      ...(page.length > 0 && { history: page.map(entry) }),
      ...(nextPageToken && { nextPageToken }),
      historyId: latest(call),
    }
  }

  const entry = (change: Change) => ({
    id: historyId(change.number),
    messages: [{ id: change.item.id, threadId: change.item.fields['threadId'] }],
    ...effects(change),
  })

  return {
    'GET /gmail/v1/users/me/profile': apiEndpoint(parts, SCOPES.mail, (call) => ({
      emailAddress: call.person.email ?? `${call.person.username}@gmail.test`,
      messagesTotal: mailOf(call).length,
      threadsTotal: mailOf(call).length,
      historyId: latest(call),
    })),
    'GET /gmail/v1/users/me/messages': apiEndpoint(parts, SCOPES.mail, messages),
    'GET /gmail/v1/users/me/messages/:id': apiEndpoint(parts, SCOPES.mail, message),
    'GET /gmail/v1/users/me/history': apiEndpoint(parts, SCOPES.mail, history),
  }
}

function effects({ item, what, labelsBefore }: Change) {
  if (what === 'added') return { messagesAdded: [{ message: named(item) }] }
  if (what === 'removed') return { messagesDeleted: [{ message: named(item) }] }
  const now = labelsOf(item)
  const added = now.filter((label) => !labelsBefore.includes(label))
  const gone = labelsBefore.filter((label) => !now.includes(label))
  return {
    ...(added.length > 0 && { labelsAdded: [{ message: named(item), labelIds: added }] }),
    ...(gone.length > 0 && { labelsRemoved: [{ message: named(item), labelIds: gone }] }),
  }
}

const missing = () => failure(404, 'notFound', 'Requested entity was not found.', { status: 'NOT_FOUND' })
