import type { DataControl, ServiceContext } from '../../base/service-parts.ts'
import { InvalidSetting } from '../../base/settings.ts'
import { storeControl } from '../../data/store-control.ts'
import type { XData } from './data.ts'
import { blankPost, type PostFields } from './model.ts'

const kinds = ['posts', 'likes', 'bookmarks', 'messages']

/** Lets tests change the stored data. Like at the vendor, editing a post creates a new post with a new id. */
export function xControl({ clock }: ServiceContext, data: XData): DataControl {
  const authorId = (username: string) => {
    const user = data.byName(username)
    if (!user) throw new InvalidSetting(`unknown person: ${username}`)
    return user.id
  }
  const control = storeControl({
    store: data.store,
    clock,
    kinds,
    nextId: ({ kind, fields: { id } }) => {
      if (kind === 'messages') return data.nextId()
      if (typeof id !== 'string' || !data.post(id)) throw new InvalidSetting('id must be the id of a post')
      return id
    },
    blank: (kind, { owner }) =>
      kind === 'messages'
        ? { type: 'MessageCreate', conversationId: '', senderId: authorId(owner), text: 'Hello' }
        : {},
  })
  const publish = (username: string, fields: PostFields): Record<string, unknown> => {
    const item = data.publish(username, clock.now(), fields)
    return { id: item.id, ...item.fields }
  }
  return {
    ...control,
    add: (username, kind, fields) =>
      kind === 'posts'
        ? publish(username, { ...blankPost(authorId(username), 'A new post'), ...fields })
        : control.add(username, kind, fields),
    edit(username, kind, id, fields) {
      if (kind !== 'posts') return control.edit(username, kind, id, fields)
      const old = data.posts.list(username).find((item) => item.id === id && !item.hidden)
      if (!old || !data.post(id)) throw new InvalidSetting(`${username} has no post ${id}`)
      old.hidden = true
      return publish(username, { ...old.fields, ...fields })
    },
  }
}
