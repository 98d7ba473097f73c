export const DESTINATION_KINDS = ['postgres', 'mysql', 'clickhouse', 'webhook', 'files', 'nats'] as const
export type DestinationKind = (typeof DESTINATION_KINDS)[number]

/** The feed of an app: a destination in our own store, which the app reads. It is not listed among the others. */
export const FEED_KIND = 'feed'

/** `parked`: failed for three days or ended three workers, until it is resumed. `disabled`: the receiver responded 410 Gone. */
export const DESTINATION_STATES = ['active', 'paused', 'failing', 'parked', 'disabled'] as const
export type DestinationState = (typeof DESTINATION_STATES)[number]

/** Where an app's data is delivered. */
export interface Destination {
  id: string
  appId: string
  name: string
  kind: DestinationKind | typeof FEED_KIND
  /** API paths with their parameters; `*` for all. */
  filter: string[]
  schedule: string
  options: Record<string, unknown>
  /** Its kind accepts events, and its options ask for them. */
  wantsEvents: boolean
  state: DestinationState
  lastError: string | undefined
  fails: number
  failingSince: number | undefined
  nextAttemptAt: number
  /** The app was notified that it fails. */
  alerted: boolean
  /** When its schedule is due next. */
  nextRunAt: number | undefined
  /** Worker deaths it caused since its last successful delivery. */
  deaths: number
  /** Until this time its deliveries run alone in a process. */
  aloneUntil: number
  createdAt: number
  updatedAt: number
}

/** Sealed at rest; never shown in full. */
export interface DestinationSecrets {
  url: string
  /** Signing secrets of a webhook; two while rotating. */
  signing?: string[]
}

/** One change to deliver. JSON values stay text. */
export interface PutRow {
  op: 'put'
  seq: number
  /** Global id. */
  id: string
  idr: string
  profile: string
  service: string
  endpoint: string
  nativeId: string
  at: number
  updatedAt: number
  types: string[]
  guid: string[]
  author: string | undefined
  participants: string[]
  lat: number | undefined
  lng: number | undefined
  oembed: string
  map: string
  data: string
}

export interface DeleteRow {
  op: 'delete'
  seq: number
  id: string
  profile: string
  endpoint: string
  nativeId: string
  deletedAt: number
}

export type DeliveryRow = PutRow | DeleteRow

/** The profile of delivered rows, as the destination stores it. */
export interface DeliveryProfile {
  id: string
  account: string
  service: string
  nativeId: string
  name: string | undefined
  handle: string | undefined
  state: string
  connectedAt: number
}
