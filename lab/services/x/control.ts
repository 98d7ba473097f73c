import type { DataControl, ServiceContext } from '../../base/service-parts.ts'
import { InvalidSetting } from '../../base/settings.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { storeControl } from '../../data/store-control.ts'
import type { XData } from './data.ts'
import { blankPost, type PostFields } from './model.ts'

const kinds = ['posts', 'likes', 'bookmarks', 'messages']

/** Lets tests change the stored data. Like at the vendor, editing a post creates a new post with a new id. */
export function xControl(context: ServiceContext, data: XData): DataControl {
  const { store } = data
  const control = storeControl({ store, clock: context.clock, kinds, nextId: data.nextId })
  const authorId = (username: string) => {
    const user = data.byName(username)
    if (!user) throw new InvalidSetting(`unknown person: ${username}`)
    return user.id
  }
  const putPost = (username: string, fields: PostFields): Record<string, unknown> => {
    const now = context.clock.now()
    const id = data.nextId()
    const whole = { ...fields, history: [...fields.history, id], conversationId: fields.conversationId ?? id }
    data.remember(store.put(username, 'posts', { id, createdAtMs: now, updatedAtMs: now, fields: whole }))
    return { id, ...whole }
  }
  return {
    add(username, kind, fields) {
      if (kind === 'posts') return putPost(username, { ...blankPost(authorId(username), 'A new post'), ...fields })
      if (kind === 'messages') {
        const blank = { type: 'MessageCreate', conversationId: '', senderId: authorId(username), text: 'Hello' }
        return control.add(username, kind, { ...blank, ...fields })
      }
      const now = context.clock.now()
      const id = typeof fields['id'] === 'string' ? fields['id'] : ''
      if (!data.post(id)) throw new InvalidSetting('id must be the id of a post')
      store.put(username, kind, { id, createdAtMs: now, updatedAtMs: now, fields: {} })
      return { id }
    },
    edit(username, kind, id, fields) {
      if (kind !== 'posts') return control.edit(username, kind, id, fields)
      const old: StoredItem | undefined = store.list(username, 'posts').find((item) => item.id === id && !item.hidden)
      if (!old || !data.post(id)) throw new InvalidSetting(`${username} has no post ${id}`)
      old.hidden = true
      return putPost(username, { ...(old.fields as PostFields), ...fields })
    },
    remove: (username, kind, id) => control.remove(username, kind, id),
  }
}
