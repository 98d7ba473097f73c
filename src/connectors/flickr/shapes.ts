/** Texts are objects with one field where the XML format has an element. */
export interface Text {
  _content?: string | null
}

/** A photo or video in a list, with the requested extras. Numbers are sometimes text. */
export interface Photo {
  id: string
  owner?: string
  ownername?: string
  realname?: string
  pathalias?: string | null
  iconserver?: string | number
  iconfarm?: number
  title?: string
  description?: Text
  tags?: string
  media?: 'photo' | 'video'
  dateupload?: string
  datetaken?: string
  lastupdate?: string
  /** Only in favourites. */
  date_faved?: string
  latitude?: string | number
  longitude?: string | number
  /** 0 where the photo has no place. */
  accuracy?: string | number
  url_m?: string
  url_l?: string
  url_o?: string
  width_m?: number | string
  height_m?: number | string
  width_l?: number | string
  height_l?: number | string
}

export interface Album {
  id: string
  owner?: string
  username?: string
  title?: Text
  description?: Text
  photos?: number | string
  videos?: number | string
  date_create?: string
  date_update?: string
  primary_photo_extras?: { url_m?: string }
}

export interface Contact {
  nsid: string
  username?: string
  realname?: string
  path_alias?: string | null
  location?: string
  iconserver?: string | number
  iconfarm?: number
}

/** Something that happened to a photo of the person. */
export interface Event {
  type?: string
  commentid?: string
  user?: string
  username?: string
  realname?: string
  dateadded?: string
  _content?: string
}

export interface ActivityItem {
  type?: string
  id?: string
  owner?: string
  title?: Text
  activity?: { event?: Event[] }
}

/** A comment with the photo that it is about. */
export interface Comment extends Event {
  photo: { id?: string | undefined; owner?: string | undefined; title?: string | undefined }
}
