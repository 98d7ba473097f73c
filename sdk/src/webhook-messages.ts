/** The profile that the changes of a message belong to. */
export interface WebhookProfile {
  id: string
  account: string
  service: string
  native_id: string
  state: string
  [field: string]: unknown
}

/** One changed item. Ignore a change whose `seq` is not higher than that of the item you have. */
export type WebhookChange =
  | {
      op: 'put'
      seq: number
      id: string
      idr: string
      profile: string
      service: string
      endpoint: string
      native_id: string
      at: number
      updated: number
      types: string[]
      oembed: Record<string, unknown>
      map: Record<string, unknown>
      data: unknown
      [field: string]: unknown
    }
  | {
      op: 'delete'
      seq: number
      id: string
      profile: string
      endpoint: string
      native_id: string
      at: number
      [field: string]: unknown
    }

interface Message<Type extends string, Data> {
  type: Type
  /** When it was written, in ISO 8601. */
  timestamp: string
  data: Data
}

/** What a webhook receives. */
export type WebhookMessage =
  | Message<'items.changed', { profile: WebhookProfile; run: number; changes: WebhookChange[] }>
  | Message<'profile.changed', { profile: WebhookProfile; run: number }>
  | Message<'profile.erased', { profile: string; run: number }>
  | Message<'test', Record<string, never>>
  | Message<WebhookEvent, Record<string, unknown>>

/** Events, for destinations with the option `events`. */
export type WebhookEvent =
  | `destination.${string}`
  | `delivery.${string}`
  | `quota.${string}`
  | `spending.${string}`
  | `account.${string}`
  | `sync.${string}`
  | 'profile.connected'
  | 'profile.disconnected'
  | 'profile.needs_auth'
