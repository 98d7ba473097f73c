/** Records of the REST API, with the fields that are read. Any of them may be missing: plugins remove and rename fields. */
export interface Rendered {
  rendered?: string
  raw?: string
}

export interface User {
  id: number
  username?: string
  name?: string
  slug?: string
  email?: string
  url?: string
  link?: string
  description?: string
  avatar_urls?: Record<string, string>
}

export interface Media {
  id: number
  date_gmt?: string
  modified_gmt?: string
  status?: string
  link?: string
  author?: number
  title?: Rendered
  caption?: Rendered
  description?: Rendered
  alt_text?: string
  media_type?: string
  mime_type?: string
  source_url?: string
  media_details?: {
    width?: number
    height?: number
    filesize?: number
    sizes?: Record<string, { source_url?: string }>
  }
}

export interface Post {
  id: number
  date_gmt?: string | null
  modified_gmt?: string
  status?: string
  link?: string
  author?: number
  title?: Rendered
  content?: Rendered
  excerpt?: Rendered
  _embedded?: { 'wp:featuredmedia'?: Media[] }
}

export interface Comment {
  id: number
  post?: number
  author?: number
  author_name?: string
  author_url?: string
  author_avatar_urls?: Record<string, string>
  date_gmt?: string
  content?: Rendered
  link?: string
  status?: string
}
