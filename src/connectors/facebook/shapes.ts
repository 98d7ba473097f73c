import type { Edge } from './graph.ts'

/** Only the fields that are read; the whole record is stored as received. */
export interface Person {
  id: string
  name?: string
}

export interface GraphPlace {
  id?: string
  name?: string
  location?: { latitude?: number; longitude?: number; city?: string; country?: string }
}

interface Image {
  src?: string
  width?: number
  height?: number
}

export interface Attachment {
  title?: string
  description?: string
  /** `photo`, `album`, `video`, `link`, `event` … */
  media_type?: string
  /** More specific: `share`, `video_inline`, `cover_photo`, `map` … */
  type?: string
  url?: string
  /** Without Facebook's redirect. */
  unshimmed_url?: string
  media?: { image?: Image; source?: string }
  target?: { id?: string; url?: string }
  subattachments?: Edge<Attachment>
}

interface Tag {
  id?: string
  name?: string
  type?: string
}

interface Comment {
  id?: string
  from?: Person
  message?: string
}

export interface Post {
  /** `<whose timeline>_<number>` */
  id: string
  created_time?: string
  updated_time?: string
  from?: Person
  to?: Edge<Person>
  message?: string
  message_tags?: Tag[]
  story?: string
  place?: GraphPlace
  permalink_url?: string
  full_picture?: string
  status_type?: string
  application?: { id?: string; name?: string }
  attachments?: Edge<Attachment>
  comments?: Edge<Comment>
  reactions?: Edge<Person>
  shares?: { count?: number }
}

interface Counted {
  comments?: Edge<Comment>
  reactions?: Edge<Person>
  likes?: Edge<Person>
}

export interface Photo extends Counted {
  id: string
  created_time?: string
  updated_time?: string
  from?: Person
  name?: string
  alt_text?: string
  link?: string
  picture?: string
  width?: number
  height?: number
  images?: { source?: string; width?: number; height?: number }[]
  place?: GraphPlace
  album?: { id?: string; name?: string }
  tags?: Edge<{ id?: string; name?: string }>
}

export interface Video extends Counted {
  id: string
  created_time?: string
  updated_time?: string
  from?: Person
  title?: string
  description?: string
  permalink_url?: string
  picture?: string
  source?: string
  /** In seconds. */
  length?: number
  place?: GraphPlace
}

export interface Album {
  id: string
  created_time?: string
  updated_time?: string
  from?: Person
  name?: string
  description?: string
  link?: string
  count?: number
  cover_photo?: { id?: string; picture?: string }
  place?: GraphPlace
}

export interface Friend extends Person {
  picture?: { data?: { url?: string } }
}

export interface LikedPage {
  id: string
  name?: string
  created_time?: string
}

export interface Event {
  id: string
  name?: string
  description?: string
  start_time?: string
  end_time?: string
  updated_time?: string
  place?: GraphPlace
  owner?: Person
  cover?: { source?: string }
  rsvp_status?: string
}
