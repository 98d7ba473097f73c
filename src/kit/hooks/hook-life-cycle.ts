/** What the functions of a subscription know. */
export interface HookContext {
  /** The address to which the service sends webhooks: that of this app at this service. */
  hookUrl: string
  /** The key (client id) that the service issued to the app. */
  key: string
  /** The id of the webhook that the app registered at the service by hand (`hook_id` of its keys). */
  hookId: string | undefined
  /** The native id of the person. Empty for a subscription of the whole app. */
  person: string
  /** The scopes that the person granted; undefined where the service does not say. */
  granted: readonly string[] | undefined
  /** A secret that only this hook has and that services may repeat in their calls: derived from the hook's secret. */
  token: string
}

/**
 * One request about a subscription, below the API's address. Those of a profile are signed like its other calls. Those of a
 * whole app carry no credential; `{key}` and `{secret}` in values of `query` and `form` become the key and its secret.
 */
export interface HookRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string>
  /** Sent as JSON … */
  json?: unknown
  /** … or as a form. */
  form?: Record<string, string>
}

/** What a service says about a subscription. */
export interface Subscribed {
  id?: string | undefined
  /** When it ends unless it is renewed, in milliseconds. */
  expiresAt?: number | undefined
}

interface HookResponse {
  status: number
  body: unknown
  headers: Record<string, string>
}

/**
 * A subscription that the service needs before it sends webhooks. Tributary sends the requests, repeats failed ones, renews it in
 * time and ends it with the profile. A request may be repeated after a crash, so a service that refuses a second subscription
 * must be recognised (`isDuplicate`).
 */
export interface HookSubscription {
  /** `app`: one for all people of the app. Default: one for each profile. */
  of?: 'app'
  /** Scopes without which the service refuses it. */
  scope?: readonly string[]
  /** Undefined: it cannot be requested, e.g. without `hookId`. */
  subscribe: (context: HookContext) => HookRequest | undefined
  /** Reads the response to `subscribe` or `renew`. */
  read?: (response: HookResponse) => Subscribed
  /** Whether a refused `subscribe` means that the subscription exists. Default: status 409. */
  isDuplicate?: (response: HookResponse) => boolean
  /** Finds the id of a subscription that exists. Without it, a duplicate counts as active without an id. */
  find?: {
    request: (context: HookContext) => HookRequest
    read: (body: unknown, context: HookContext) => Subscribed | undefined
  }
  /** Extends it. Default: `subscribe` again. */
  renew?: (context: HookContext, id: string) => HookRequest
  /** Seconds after which it is renewed where the service names no end. Default: never. */
  renewEveryS?: number
  /** Ends it. Undefined: the service ends it with the grant. */
  unsubscribe?: (context: HookContext, id: string | undefined) => HookRequest | undefined
}

/** A record in the body of a webhook, for an endpoint of the connector. */
export type HookItem = {
  /** The native id of the person whose record it is. */
  person: string
  endpoint: string
} & (
  | { record: object }
  /** The native id of a deleted record, and when it was deleted; without `at`, the id never comes back. */
  | { deleted: string; at?: number | undefined }
)

/** A person who took back the app's access, and when. */
export interface EndedGrant {
  person: string
  at: number
}

/** A request of the service, as it arrived. */
export interface HookRequestInput {
  method: string
  query: Record<string, string>
  headers: Record<string, string>
  /** The raw text. */
  body: string
}
