import { sentences, titles } from '../../data/vocabulary.ts'

/** The stored form of a photo, from which the API's JSON is rendered. */
export interface PhotoFields extends Record<string, unknown> {
  title: string
  description: string
  tags: string
  media: 'photo' | 'video'
  secret: string
  server: string
  takenAtMs: number
  place?: { lat: number; lng: number; accuracy: number }
  /** An original is shown only where the owner allows it. */
  hasOriginal: boolean
}

export interface AlbumFields extends Record<string, unknown> {
  title: string
  description: string
  primary: string
  photos: string[]
}

export interface CommentFields extends Record<string, unknown> {
  photoId: string
  authorId: string
  text: string
}

export const blankPhoto = (takenAtMs: number): PhotoFields => ({
  title: titles[0] ?? '',
  description: sentences[0] ?? '',
  tags: '',
  media: 'photo',
  secret: 'abcdef0123',
  server: '65535',
  takenAtMs,
  hasOriginal: true,
})
