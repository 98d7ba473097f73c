/** One person for one app: the parent of all profiles authenticated to it. */
export interface Account {
  part: number
  id: string
  appId: string
  /** The parts its profiles live in. */
  parts: number[]
  createdAt: number
  /** Its profiles as they were when a token opened it, also those that only keep items; absent when it was found otherwise. */
  holds?: Held[]
}

/** A profile by its names alone. */
export interface Held {
  part: number
  profileId: string
  service: string
  /** Native id of the service user. */
  owner: string
}
