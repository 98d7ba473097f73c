import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'

/** Renders the API's JSON. URLs are built per request because the service learns its port only when it listens. */
export function presentPost(url: string, author: Acquaintance, item: StoredItem) {
  return {
    id: item.id,
    ...common(url, author, item),
    ...item.fields,
    url: `${url}/${author.username}/posts/${item.id}`,
  }
}

export function presentPhoto(url: string, author: Acquaintance, item: StoredItem) {
  const { hue, width, height, ...rest } = item.fields as { hue: number; width: number; height: number }
  const image = (share: number) => {
    const [w, h] = [Math.round(width * share), Math.round(height * share)]
    return { width: w, height: h, url: `${url}/media/${w}x${h}-${hue}.svg` }
  }
  return {
    id: item.id,
    type: 'photo',
    ...common(url, author, item),
    ...rest,
    width,
    height,
    images: [image(1), image(0.5), image(0.1)],
    url: `${url}/${author.username}/photos/${item.id}`,
  }
}

export const presentPerson = (url: string, person: Acquaintance) => ({
  id: person.id,
  username: person.username,
  name: person.name,
  url: `${url}/${person.username}`,
  avatar_url: `${url}/media/200x200-${(person.username.length * 47 + person.name.length * 13) % 360}.svg`,
})

export const tombstone = (item: StoredItem) => ({
  id: item.id,
  deleted: true,
  deleted_at: new Date(item.deletedAtMs ?? item.updatedAtMs).toISOString(),
})

function common(url: string, author: Acquaintance, item: StoredItem) {
  const edited = item.updatedAtMs > item.createdAtMs
  return {
    author: presentPerson(url, author),
    created_at: new Date(item.createdAtMs).toISOString(),
    edited_at: edited ? new Date(item.updatedAtMs).toISOString() : null,
  }
}
