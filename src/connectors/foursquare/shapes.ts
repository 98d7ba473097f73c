/** Only the fields that are read; the whole record is stored as received. Times are in seconds. */
export interface User {
  id: string
  firstName?: string
  lastName?: string
  handle?: string
  relationship?: string
  photo?: { prefix?: string; suffix?: string }
  homeCity?: string
  bio?: string
  canonicalUrl?: string
  contact?: { email?: string; phone?: string; twitter?: string; facebook?: string }
}

export interface Venue {
  id: string
  name?: string
  url?: string
  canonicalUrl?: string
  location?: Location
}

export interface Location {
  name?: string
  lat?: number
  lng?: number
}

export interface Photo {
  id: string
  createdAt?: number
  prefix?: string
  suffix?: string
  width?: number
  height?: number
  user?: User
  venue?: Venue
  checkin?: { id?: string }
  tip?: { text?: string }
}

interface Likes {
  count?: number
  groups?: { items?: User[] }[]
}

export interface Checkin {
  id: string
  createdAt?: number
  /** `venueless` and `shout` have no venue. */
  type?: string
  shout?: string
  canonicalUrl?: string
  checkinShortUrl?: string
  user?: User
  venue?: Venue
  location?: Location
  source?: { name?: string; url?: string }
  with?: User[]
  entities?: { type?: string; id?: string }[]
  photos?: { count?: number; items?: Photo[] }
  likes?: Likes
  comments?: { count?: number; items?: { user?: User; text?: string }[] }
}

/** An entry of the list of a person's tips. */
export interface TipEntry {
  id: string
  createdAt?: number
  venue?: Venue
  tip?: {
    id: string
    createdAt?: number
    text?: string
    url?: string
    canonicalUrl?: string
    user?: User
    likes?: Likes
    photo?: Photo
  }
}

export interface Visit {
  beenHere?: number
  lastHereAt?: number
  venue: Venue
}

export interface List {
  id: string
  name?: string
  description?: string
  url?: string
  canonicalUrl?: string
  createdAt?: number
  updatedAt?: number
  user?: User
  photo?: Photo
  followers?: { count?: number }
}
