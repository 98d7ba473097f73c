export const DESTINATION_KINDS = ['postgres', 'mysql', 'webhook', 'files', 'nats'] as const
export type DestinationKind = (typeof DESTINATION_KINDS)[number]

/** `parked`: failed for three days or ended three workers, waits for somebody. `disabled`: the receiver said that it is gone. */
export const DESTINATION_STATES = ['active', 'paused', 'failing', 'parked', 'disabled'] as const
export type DestinationState = (typeof DESTINATION_STATES)[number]

/** Where an app wants its data delivered. */
export interface Destination {
  id: string
  appId: string
  name: string
  kind: DestinationKind
  /** API paths with their parameters; `*` for all. */
  filter: string[]
  schedule: string
  options: Record<string, unknown>
  /** Its kind can be told of events, and somebody asked for them. */
  wantsEvents: boolean
  state: DestinationState
  lastError: string | undefined
  fails: number
  failingSince: number | undefined
  nextAttemptAt: number
  /** Somebody was told that it fails. */
  alerted: boolean
  /** When its schedule is due next. */
  nextRunAt: number | undefined
  /** Workers that died of it since it last worked. */
  deaths: number
  /** Until then it runs alone in a process. */
  aloneUntil: number
  createdAt: number
  updatedAt: number
}

/** What is sealed: never shown again in full. */
export interface DestinationSecrets {
  url: string
  /** Signing secrets of a webhook; two while rotating. */
  signing?: string[]
}

/** One change on its way to a destination. JSON stays text. */
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

/** The profile that rows belong to, as the destination keeps it. */
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
