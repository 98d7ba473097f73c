import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import { cursorEdge, type GraphNode, graphTime, node } from '../../graph/node.ts'
import type { AlbumFields, PhotoFields, VideoFields } from './generate-media.ts'
import { personNode, placeNode, reactionEdges, type View } from './node-kit.ts'

export function imageOf(view: View, photo: StoredItem, share: number) {
  const { width, height, hue } = photo.fields as PhotoFields
  const [w, h] = [Math.round(width * share), Math.round(height * share)]
  return { height: h, source: `${view.url}/media/${w}x${h}-${hue}.svg`, width: w }
}

export function photoNode(view: View, item: StoredItem): GraphNode {
  const photo = item.fields as PhotoFields
  const images = () => [1, 0.5, 0.25, 0.1].map((share) => imageOf(view, item, share))
  return node('Photo', item.id, ['created_time', 'name'], {
    created_time: () => graphTime(item.createdAtMs),
    updated_time: () => graphTime(item.updatedAtMs),
    name: () => photo.name,
    alt_text: () => photo.altText,
    from: () => personNode(view, photo.from),
    album: () => {
      const found = view.data.store.find('albums', photo.albumId ?? '')
      return found && albumNode(view, { id: '', username: found.owner, name: '' }, found.item)
    },
    place: () => placeNode(photo.place),
    height: () => photo.height,
    width: () => photo.width,
    images,
    webp_images: images,
    picture: () => imageOf(view, item, 0.1).source,
    icon: () => `${view.url}/media/16x16-210.svg`,
    link: () => `https://www.facebook.com/photo.php?fbid=${item.id}`,
    tags: () =>
      cursorEdge(
        photo.tags.map(({ person, x, y, atMs }) =>
          node('TaggableSubject', person.id, ['name', 'created_time', 'x', 'y'], {
            name: () => person.name,
            created_time: () => graphTime(atMs),
            x: () => x,
            y: () => y,
          }),
        ),
      ),
    ...reactionEdges(view, item),
  })
}

export function albumNode(view: View, owner: Acquaintance, item: StoredItem): GraphNode {
  const album = item.fields as AlbumFields
  const photos = () =>
    view.data.store
      .list(owner.username, 'photos')
      .filter((photo) => isShown(photo) && (photo.fields as PhotoFields).albumId === item.id)
  return node('Album', item.id, ['created_time', 'name'], {
    created_time: () => graphTime(item.createdAtMs),
    updated_time: () => graphTime(photos()[0]?.createdAtMs ?? item.updatedAtMs),
    name: () => album.name,
    description: () => album.description,
    count: () => photos().length,
    cover_photo: () =>
      photos()
        .slice(0, 1)
        .map((photo) => photoNode(view, photo))[0],
    from: () => (owner.id === '' ? undefined : personNode(view, owner)),
    link: () => `https://www.facebook.com/album.php?fbid=${item.id}`,
    place: () => placeNode(album.place),
    location: () => album.place?.name,
    privacy: () => 'friends',
    type: () => album.type,
    photos: () => cursorEdge(photos().map((photo) => photoNode(view, photo))),
  })
}

export function videoNode(view: View, item: StoredItem): GraphNode {
  const video = item.fields as VideoFields
  return node('Video', item.id, ['updated_time', 'description'], {
    created_time: () => graphTime(item.createdAtMs),
    updated_time: () => graphTime(item.updatedAtMs),
    title: () => video.title,
    description: () => video.description,
    from: () => personNode(view, video.from),
    length: () => video.seconds,
    picture: () => `${view.url}/media/640x360-${video.hue}.svg`,
    icon: () => `${view.url}/media/16x16-210.svg`,
    source: () => `${view.url}/media/1280x720-${video.hue}.svg`,
    permalink_url: () => `/${video.from.id}/videos/${item.id}/`,
    place: () => placeNode(video.place),
    published: () => true,
    ...reactionEdges(view, item),
  })
}
