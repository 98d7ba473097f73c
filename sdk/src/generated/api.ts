// Written from the OpenAPI document (npm run docs). Do not edit.

/** The access token of an account. */
export type AccessToken = {
  access_token: string
  account: string
  token_type: "bearer"
  /** With `profile`. */
  profile?: Profiles | undefined
}

/** An account of the app. */
export type Account = {
  id: string
  created_at: number
  profiles: AccountProfile[]
}

/** An account of the app, with its sync state and its usage. */
export type AccountDetail = {
  id: string
  created_at: number
  profiles: AccountProfile[]
  sync: {
    /** `first_sync` until every endpoint was read to its end once; then `complete`, unless something is wrong. `off`: nothing is read, and `off` says why. */
    state: "first_sync" | "complete" | "failing" | "paused" | "needs_auth" | "off"
    /** When everything that can be read had been read to its end for the first time. */
    first_completed_at?: number | undefined
    /** Items so far. */
    items: number
    /** Endpoints that were read to their end once, and all. */
    endpoints: {
      done: number
      of: number
    }
    /** Endpoints that are off and do not count, by the reason. */
    off?: {
      [field: string]: number
    } | undefined
    profiles: ({
      /** `first_sync` until every endpoint was read to its end once; then `complete`, unless something is wrong. `off`: nothing is read, and `off` says why. */
      state: "first_sync" | "complete" | "failing" | "paused" | "needs_auth" | "off"
      /** When everything that can be read had been read to its end for the first time. */
      first_completed_at?: number | undefined
      /** Items so far. */
      items: number
      /** Endpoints that were read to their end once, and all. */
      endpoints: {
        done: number
        of: number
      }
      /** Endpoints that are off and do not count, by the reason. */
      off?: {
        [field: string]: number
      } | undefined
      profile: string
      service: string
    })[]
  }
  usage: {
    /** The totals of an app may be up to a minute old. */
    counted_at: number
    quotas: {
      /** Items of one profile. */
      profile_items?: QuotaUse | undefined
      /** Bytes of the records of one profile. */
      profile_bytes?: QuotaUse | undefined
      /** Items of one account, over all its profiles. */
      account_items?: QuotaUse | undefined
      /** Bytes of the records of one account. */
      account_bytes?: QuotaUse | undefined
      /** Items of the app, over all its accounts. */
      app_items?: QuotaUse | undefined
      /** Bytes of the records of the app, over all its accounts. */
      app_bytes?: QuotaUse | undefined
      /** Own items that the app stored. */
      own_items?: QuotaUse | undefined
      /** Bytes of the records of own items. */
      own_bytes?: QuotaUse | undefined
      /** Unfinished sign-ins to the app. */
      app_sign_ins?: QuotaUse | undefined
    }
    /** For an account: its profiles, including merged ones and the app's own items (`self`). */
    profiles?: ({
      profile: string
      id: string
      items: number
      bytes: number
      quotas: {
        /** Items of one profile. */
        profile_items?: QuotaUse | undefined
        /** Bytes of the records of one profile. */
        profile_bytes?: QuotaUse | undefined
        /** Items of one account, over all its profiles. */
        account_items?: QuotaUse | undefined
        /** Bytes of the records of one account. */
        account_bytes?: QuotaUse | undefined
        /** Items of the app, over all its accounts. */
        app_items?: QuotaUse | undefined
        /** Bytes of the records of the app, over all its accounts. */
        app_bytes?: QuotaUse | undefined
        /** Own items that the app stored. */
        own_items?: QuotaUse | undefined
        /** Bytes of the records of own items. */
        own_bytes?: QuotaUse | undefined
        /** Unfinished sign-ins to the app. */
        app_sign_ins?: QuotaUse | undefined
      }
    })[] | undefined
  }
}

/** A profile of an account, as its app sees it. */
export type AccountProfile = {
  profile: string
  service: string
  name?: string | undefined
  handle?: string | undefined
  email?: string | undefined
  photo?: string | undefined
  /** The scope that the person granted. */
  scope?: string | undefined
  state: ProfileState
  connected_at: number
  synced_at?: number | undefined
  error?: string | undefined
  /** In the state `needs_auth`: POST here for a link to sign in again. */
  reconnect?: string | undefined
}

/** The card of an item of the type `activities`; its `type` is `activity`. */
export type ActivityCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  [field: string]: unknown
}

/** An item of the type `activities`. */
export type ActivityItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    activity: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: ActivityCard | undefined
  map?: ActivityMap | undefined
}

/** Normalised values of an item of the type `activities`. */
export type ActivityMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Kind of activity. */
  sport: string | null
  /** Duration in seconds. */
  seconds: number | null
  /** Distance in metres. */
  meters: number | null
  /** Title. */
  title?: string | null | undefined
  /** The text, without markup. */
  text?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
  /** Energy in kilocalories. */
  calories?: number | undefined
  /** Beats per minute, on average. */
  heart_rate?: number | undefined
  /** When it begins. Epoch milliseconds. */
  starts?: number | null | undefined
  /** When it ends. Epoch milliseconds. */
  ends?: number | null | undefined
}

/** An app that uses this installation. */
export type App = {
  client_id: string
  name: string
  redirect_uris: string[]
  token_flow: boolean
  public: boolean
  apply: "proven" | "any"
  /** What agents may do over MCP; absent: agents are off. */
  agents?: {
    /** Addresses that agents receive people at; compared exactly. */
    redirect_uris: string[]
    /** Services that an agent may write to, if the person allows it too. Default none. */
    write_services: string[]
  } | undefined
  branding: Branding
  /** The services that people may connect; absent: all that the app has keys for. */
  services?: string[] | undefined
  created_at: number
  deleting_at?: number | undefined
}

/** The progress of the deletion of an app with its accounts. */
export type AppDeletion = {
  client_id: string
  name: string
  state: "erasing" | "waiting_for_destinations" | "deleted"
  started_at: number
  finished_at?: number | undefined
  accounts: number
  erased: number
  /** What was done with the tokens at their services. */
  service_tokens: {
    revoked: number
    refused: number
    unreachable: number
    not_offered: number
  }
  /** Erasures that destinations have not confirmed yet. */
  destinations_waiting?: number | undefined
  /** Destinations that ended without having confirmed. */
  destinations_untold?: number | undefined
  error?: string | undefined
}

/** An app, with the age of its secrets. */
export type AppDetail = {
  client_id: string
  name: string
  redirect_uris: string[]
  token_flow: boolean
  public: boolean
  apply: "proven" | "any"
  /** What agents may do over MCP; absent: agents are off. */
  agents?: {
    /** Addresses that agents receive people at; compared exactly. */
    redirect_uris: string[]
    /** Services that an agent may write to, if the person allows it too. Default none. */
    write_services: string[]
  } | undefined
  branding: Branding
  /** The services that people may connect; absent: all that the app has keys for. */
  services?: string[] | undefined
  created_at: number
  deleting_at?: number | undefined
  secrets: ({
    id: string
    created_at: number
    expires_at?: number | undefined
  })[]
  deletion?: AppDeletion | undefined
}

/** The account to which a profile was attached. */
export type AppliedProfile = {
  access_token: string
  account: string
  profile: string
  /** Whether the service confirmed that the token was issued to this app; false if it cannot. */
  app_verified: boolean
}

/** Something that somebody should look at. */
export type Attention = {
  kind: "not_ready" | "worker_down" | "destination_stopped" | "spending_stopped" | "quota_reached" | "destination_failing" | "sync_late" | "backup_old" | "dead_letters" | "endpoints_failing" | "endpoints_parked" | "needs_auth" | "records_quarantined" | "fields_unreadable" | "quota_near"
  level: "bad" | "warn"
  app?: string | undefined
  /** A destination's id, a service, a check, a lane or a quota. */
  subject?: string | undefined
  /** Of `endpoints_failing`. */
  reason?: "access_denied" | "address_invalid" | "address_refused" | "address_wrong" | "answer_too_large" | "answer_unreadable" | "capacity" | "capacity_here" | "callback_unusable" | "callback_unconfirmed" | "checkpoint_stuck" | "code_missing" | "connector_fault" | "credential_damaged" | "discovery_failed" | "grant_refused" | "handle_unresolved" | "home_mismatch" | "issuer_mismatch" | "keys_refused" | "no_credential" | "no_refresh_token" | "not_found" | "not_supported" | "page_too_large" | "parameter_repeated" | "person_changed" | "position_lost" | "rate_limited" | "rate_limited_here" | "redirect_refused" | "refresh_busy" | "request_invalid" | "request_refused" | "request_token_mismatch" | "scope_missing" | "self_without_id" | "priced" | "service_failed" | "service_refused" | "service_timeout" | "service_unreachable" | "spending_limit_reached" | "subject_changed" | "subject_mismatch" | "subject_missing" | "token_unbound" | "unpaid" | "unexpected_answer" | "verifier_missing" | "walk_broken" | "walk_repeats" | "quota_reached" | "worker_died" | undefined
  n: number
  text: string
}

/** What happened, when, and who did it. */
export type AuditEntry = {
  id: string
  at: number
  actor: string
  /** The name of an operator who still exists. */
  actor_name?: string | undefined
  action: string
  app?: string | undefined
  account?: string | undefined
  detail: {
    [field: string]: unknown
  }
}

/** Who made an item, as they appear on it. */
export type Author = {
  /** The native id of the service user; null where it is unknown. */
  id: string | null
  name?: string | undefined
  url?: string | undefined
  photo?: string | undefined
  handle?: string | undefined
}

/** The metadata of this authorization server (RFC 8414). */
export type AuthorizationServer = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  revocation_endpoint: string
  response_types_supported: string[]
  response_modes_supported: string[]
  grant_types_supported: string[]
  token_endpoint_auth_methods_supported: string[]
  revocation_endpoint_auth_methods_supported: string[]
  code_challenge_methods_supported: string[]
  authorization_response_iss_parameter_supported: boolean
  service_documentation: string
}

/** What became of one entry of a batch. */
export type BatchResult = {
  account: string
  access_token: string
  profiles: string[]
  app_verified: boolean
  /** By service, why its token was not accepted. */
  errors?: {
    [field: string]: Reason
  } | undefined
} | {
  /** By service, why its token was not accepted. */
  error: {
    [field: string]: Reason
  }
} | {
  error: string
  reason: Reason
}

/** How an app looks on the pages that people see. */
export type Branding = {
  color?: string | undefined
  /** The colour as pages show it, so that text in it is readable. */
  color_shown?: {
    light: string
    dark: string
  } | undefined
  privacy_url?: string | undefined
  /** Path of the logo on this server; it changes with the picture. */
  logo?: string | undefined
}

/** The normalised card of an item. */
export type Card = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Width of the picture in pixels. */
  width?: number | undefined
  /** Height of the picture in pixels. */
  height?: number | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  /** The id of the service user. */
  id?: string | undefined
  /** The handle of the service user. */
  handle?: string | undefined
  /** E-mail address. */
  email?: string | undefined
  /** Telephone number. */
  phone?: string | undefined
  /** Address of their own page. */
  website?: string | undefined
  /** Where they work. */
  work?: string | undefined
  /** Where they live, or where it takes place. */
  location?: string | undefined
}

/** A new or changed item, a deleted one, or a profile all of whose items must be dropped. */
export type Change = {
  change: "upsert"
  item: Item | SelectedItem
} | {
  change: "delete"
  id: string
  idr: string
  deleted_at: number
} | {
  change: "profile_removed"
  profile: string
}

/** A page of changes. */
export type Changes = {
  changes: Change[]
  /** For the next request. */
  cursor: string
  /** Whether more changes follow right now. */
  more: boolean
}

/** The card of an item of the type `checkins`; its `type` is `checkin`. */
export type CheckinCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  [field: string]: unknown
}

/** An item of the type `checkins`. */
export type CheckinItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    checkin: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: CheckinCard | undefined
  map?: CheckinMap | undefined
}

/** Normalised values of an item of the type `checkins`. */
export type CheckinMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Name of the place. */
  place: string | null
  /** Latitude and longitude in degrees. */
  ll: [number, number] | null
  /** Title. */
  title?: string | null | undefined
  /** The text, without markup. */
  text?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
}

/** A description of an app for authorization servers. */
export type ClientDocument = {
  client_id: string
  client_name: string
  client_uri: string
  application_type: string
  grant_types: string[]
  response_types: string[]
  redirect_uris: string[]
  scope: string
  token_endpoint_auth_method: string
  token_endpoint_auth_signing_alg: string
  dpop_bound_access_tokens: boolean
  jwks: {
    keys: ({
      [field: string]: string
    })[]
  }
}

/** A link by which one person connects a service, and what became of it. */
export type ConnectSession = {
  id: string
  /** `open`: nobody began. `used`: a browser began, and only that one can go on. `done`: a profile is connected. */
  state: "open" | "used" | "done" | "expired" | "revoked"
  /** The account that the profile joins. */
  account?: string | undefined
  /** What was connected, once it is done. */
  service?: string | undefined
  services?: string[] | undefined
  label?: string | undefined
  created_at: number
  expires_at: number
  used_at?: number | undefined
  done_at?: number | undefined
}

/** A link to the page on which a person sees and ends their connections. */
export type ConnectionsLink = {
  /** For the person only. Works once, and until `expires_at`. */
  url: string
  expires_at: number
}

/** The card of an item of the type `contacts`; its `type` is `contact`. */
export type ContactCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  /** The id of the service user. */
  id?: string | undefined
  /** The handle of the service user. */
  handle?: string | undefined
  /** E-mail address. */
  email?: string | undefined
  /** Telephone number. */
  phone?: string | undefined
  /** Address of their own page. */
  website?: string | undefined
  /** Where they work. */
  work?: string | undefined
  /** Where they live, or where it takes place. */
  location?: string | undefined
  [field: string]: unknown
}

/** An item of the type `contacts`. */
export type ContactItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    contact: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: ContactCard | undefined
  map?: ContactMap | undefined
}

/** Normalised values of an item of the type `contacts`. */
export type ContactMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** The handle of a contact. */
  nickname: string | null
  /** E-mail address. */
  email: string | null
  /** Telephone number. */
  phone: string | null
  /** Title. */
  title?: string | null | undefined
  /** The text, without markup. */
  text?: string | null | undefined
  /** Who made an item, as they appear on it. */
  author?: Author | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
}

/** With `rich=true`. */
export type CountSummary = {
  count: number
  oldest?: number | undefined
  newest?: number | undefined
  /** Of an endpoint: when it was last read. */
  last_sync?: number | undefined
}

/** How often others responded to an item, as the service counts. */
export type Counts = {
  likes?: number | undefined
  comments?: number | undefined
  shares?: number | undefined
}

/** A new app, with its secret. */
export type CreatedApp = {
  client_id: string
  name: string
  redirect_uris: string[]
  token_flow: boolean
  public: boolean
  apply: "proven" | "any"
  /** What agents may do over MCP; absent: agents are off. */
  agents?: {
    /** Addresses that agents receive people at; compared exactly. */
    redirect_uris: string[]
    /** Services that an agent may write to, if the person allows it too. Default none. */
    write_services: string[]
  } | undefined
  branding: Branding
  /** The services that people may connect; absent: all that the app has keys for. */
  services?: string[] | undefined
  created_at: number
  deleting_at?: number | undefined
  client_secret: string
}

/** A new destination. */
export type CreatedDestination = {
  id: string
  name: string
  kind: "postgres" | "mysql" | "clickhouse" | "webhook" | "files" | "nats"
  /** Without its secrets. */
  url: string
  filter: string[]
  schedule: string
  options: {
    [field: string]: unknown
  }
  /** `parked`: failed for three days, until it is resumed. `disabled`: the receiver responded 410. */
  state: "active" | "paused" | "failing" | "parked" | "disabled"
  last_error?: string | undefined
  failing_since?: number | undefined
  next_attempt_at?: number | undefined
  next_run_at?: number | undefined
  worker_deaths?: number | undefined
  /** Profiles that the filter matches. */
  profiles: number
  /** Rows that are delivered. */
  rows: number
  profiles_behind: number
  profiles_failing: number
  /** Changes that are not delivered yet. */
  changes_behind: number
  behind_since?: number | undefined
  /** Age of the oldest change that is not delivered yet. */
  lag_ms: number
  last_5_minutes: {
    rows: number
    batches: number
    /** Failed attempts. */
    failed: number
  }
  delivered_at?: number | undefined
  dead_letters: number
  /** The oldest ones that were dropped, because a destination keeps a limited number. */
  dead_letters_dropped?: number | undefined
  created_at: number
  /** The signing secret of a webhook; shown only once. */
  secret?: string | undefined
}

/** Who is signed in to the dashboard in this browser. */
export type DashboardSession = {
  operator: {
    id: string
    name: string
    /** `operator`: everything. `developer`: certain apps with their accounts. */
    role: "operator" | "developer"
    /** A developer's apps (`client_id`). */
    apps: string[]
  }
  session: string
  /** Until then dangerous actions do not ask for the password or passkey again. */
  confirmed_until: number
  /** Whether this address allows passkeys. */
  passkeys: boolean
}

/** A row that the destination rejected. */
export type DeadLetter = {
  /** The id of the profile. */
  profile: string
  /** The first part of the global id of the item. */
  item: string
  seq: number
  reason: string
  at: number
}

/** How many rows a destination rejected for one reason. */
export type DeadLetterReason = {
  reason: string
  dead_letters: number
  profiles: number
  first_at: number
  last_at: number
}

/** What was deleted. */
export type Deleted = {
  /** Its id. */
  deleted: string
}

/** One attempt to write a batch of rows. */
export type Delivery = {
  id: string
  /** The id of the profile. */
  profile: string
  at: number
  ms: number
  /** 1 for the first attempt to write these rows. */
  attempt: number
  rows: number
  first_seq?: number | undefined
  last_seq?: number | undefined
  ok: boolean
  error?: string | undefined
}

/** The deliveries of one period. Periods without any are missing. */
export type DeliveryPeriod = {
  /** Beginning of the period. */
  at: number
  /** Rows delivered. */
  rows: number
  batches: number
  /** Attempts that failed. */
  failed: number
  /** Age of the oldest change when it was delivered, the greatest of the period. */
  lag_ms?: number | undefined
}

/** A demo service: whether it is down or throttled, and its time. */
export type DemoControls = {
  service: string
  down: boolean
  throttled: boolean
  /** The time at the service, in milliseconds: `week_later` moves it. */
  now: number
}

/** The demo services that an app may use now. */
export type DemoServicesOfApp = {
  services: ({
    service: string
    key: string
    /** Where browsers reach the demo service. */
    url: string
  })[]
}

/** The demo services, and the browser's account at the demo app. */
export type DemoSession = {
  client_id: string
  services: ({
    service: string
    title: string
    summary: string
    connected: boolean
  })[]
  /** Whether others can reach this demo. Its controls are off then. */
  exposed: boolean
  account?: string | undefined
  /** For this browser only: it has the cookie with the account's token. */
  access_token?: string | undefined
}

/** Where an app's data is delivered, with its progress. */
export type Destination = {
  id: string
  name: string
  kind: "postgres" | "mysql" | "clickhouse" | "webhook" | "files" | "nats"
  /** Without its secrets. */
  url: string
  filter: string[]
  schedule: string
  options: {
    [field: string]: unknown
  }
  /** `parked`: failed for three days, until it is resumed. `disabled`: the receiver responded 410. */
  state: "active" | "paused" | "failing" | "parked" | "disabled"
  last_error?: string | undefined
  failing_since?: number | undefined
  next_attempt_at?: number | undefined
  next_run_at?: number | undefined
  worker_deaths?: number | undefined
  /** Profiles that the filter matches. */
  profiles: number
  /** Rows that are delivered. */
  rows: number
  profiles_behind: number
  profiles_failing: number
  /** Changes that are not delivered yet. */
  changes_behind: number
  behind_since?: number | undefined
  /** Age of the oldest change that is not delivered yet. */
  lag_ms: number
  last_5_minutes: {
    rows: number
    batches: number
    /** Failed attempts. */
    failed: number
  }
  delivered_at?: number | undefined
  dead_letters: number
  /** The oldest ones that were dropped, because a destination keeps a limited number. */
  dead_letters_dropped?: number | undefined
  created_at: number
}

/** A kind of destination, with its options. */
export type DestinationKind = {
  kind: "postgres" | "mysql" | "clickhouse" | "webhook" | "files" | "nats"
  /** Whether it has a signing secret. */
  signed: boolean
  options: ({
    name: string
    /** `lines`: a text of several lines. `json`: any other value, as JSON. */
    type: "text" | "lines" | "choice" | "flag" | "json"
    description: string
    choices?: string[] | undefined
    default?: unknown
    example?: unknown
  })[]
}

/** What a destination would get. */
export type DestinationPreview = {
  /** Tables that Tributary creates; empty for kinds without tables. */
  tables: ({
    name: string
    columns: ({
      name: string
      type: string
    })[]
  })[]
  /** One view for each type of items. */
  views: string[]
  /** Rows of `tributary_items`, or messages where there are no tables. */
  examples: ({
    [field: string]: unknown
  })[]
  matches: {
    profiles: number
    items: number
    /** False if counting took too long and there are more. */
    exact: boolean
  }
}

/** What a test of a destination found. */
export type DestinationTest = {
  ok: boolean
  checks: ({
    check: string
    ok: boolean
    detail: string
    /** What to do about it. */
    hint?: string | undefined
  })[]
  matches: {
    profiles: number
    items: number
    /** False if counting took too long and there are more. */
    exact: boolean
  }
}

/** The profiles that were erased. */
export type Disconnected = {
  deleted: ({
    profile: string
    erased: true
    /** What was done with the token at the service. */
    service_token: "revoked" | "token_ended" | "kept" | "refused" | "unreachable" | "not_offered"
  })[]
}

/** The progress of one endpoint of a profile. */
export type EndpointProgress = {
  state: "waiting" | "running" | "done" | "failing" | "parked" | "off" | "paused"
  /** 1 when the first walk has ended; before that an estimate. */
  progress: number
  /** Items that are stored. */
  items: number
  /** While it runs: pages read so far. */
  pages?: number | undefined
  /** While an endpoint is read for each record of another one: how many are done. */
  parents?: {
    done: number
    of: number
  } | undefined
  last_run?: number | undefined
  /** 8e15 or later: it is not scheduled. */
  next_run: number
  /** Why it was not read to its end. */
  last_reason?: "access_denied" | "address_invalid" | "address_refused" | "address_wrong" | "answer_too_large" | "answer_unreadable" | "capacity" | "capacity_here" | "callback_unusable" | "callback_unconfirmed" | "checkpoint_stuck" | "code_missing" | "connector_fault" | "credential_damaged" | "discovery_failed" | "grant_refused" | "handle_unresolved" | "home_mismatch" | "issuer_mismatch" | "keys_refused" | "no_credential" | "no_refresh_token" | "not_found" | "not_supported" | "page_too_large" | "parameter_repeated" | "person_changed" | "position_lost" | "rate_limited" | "rate_limited_here" | "redirect_refused" | "refresh_busy" | "request_invalid" | "request_refused" | "request_token_mismatch" | "scope_missing" | "self_without_id" | "priced" | "service_failed" | "service_refused" | "service_timeout" | "service_unreachable" | "spending_limit_reached" | "subject_changed" | "subject_mismatch" | "subject_missing" | "token_unbound" | "unpaid" | "unexpected_answer" | "verifier_missing" | "walk_broken" | "walk_repeats" | "quota_reached" | "worker_died" | undefined
  /** The same as a sentence. */
  last_error?: string | undefined
  /** More missing items than is plausible; kept until confirmed. */
  suspect_deletes?: number | undefined
  /** Fields that the connector could not read. */
  faults?: {
    count: number
    latest: ({
      field: string
      message: string
      kind: string
      /** The record's id at the service. */
      record: string
      at: number
      times: number
    })[]
  } | undefined
  /** Records that could not be stored. */
  quarantined?: number | undefined
  /** The newest of them. */
  quarantine?: ({
    reason: string
    sample: string
    at: number
    times: number
  })[] | undefined
  worker_deaths?: number | undefined
  /** In the state `needs_auth`: POST here for a link to sign in again. */
  reconnect?: string | undefined
}

/** Why a request was refused. */
export type ErrorBody = {
  /** A sentence for developers; it names what was wrong. */
  error: string
  /** The number of the reason. */
  code: 40001 | 40002 | 40003 | 40004 | 40005 | 40006 | 40011 | 40110 | 40012 | 40007 | 40008 | 40009 | 40010 | 40101 | 40102 | 40103 | 40104 | 40105 | 40106 | 40107 | 40108 | 40109 | 40301 | 40302 | 40303 | 40304 | 40305 | 40306 | 40307 | 40308 | 40309 | 40310 | 41303 | 40401 | 40402 | 40403 | 40405 | 40404 | 40501 | 40801 | 40901 | 40902 | 40903 | 40904 | 40905 | 40906 | 40907 | 41001 | 41002 | 41301 | 41304 | 41302 | 41501 | 42201 | 43101 | 42901 | 42902 | 42903 | 42904 | 42905 | 42906 | 50001 | 50002 | 50201 | 50202 | 50203 | 50204 | 50301 | 50401 | 50701
  reason: Reason
  /** The parameter or field at fault, with its path: `accounts.3.id`. */
  param?: string | undefined
  /** Address of a page that explains the reason. */
  see: string
  /** The id of the request, as in the log. */
  request_id: string
  /** At `/oauth/*` and `/auth/*`: the word of RFC 6749. */
  error_code?: "access_denied" | "invalid_client" | "invalid_grant" | "invalid_request" | "invalid_scope" | "invalid_target" | "invalid_token" | "server_error" | "temporarily_unavailable" | "unauthorized_client" | "unsupported_grant_type" | "unsupported_response_type" | undefined
  /** At `/oauth/*` and `/auth/*`: the sentence in ASCII. */
  error_description?: string | undefined
  /** For standard requests to the token endpoints, where `error` is the word: the same as `see`. */
  error_uri?: string | undefined
}

/** The card of an item of the type `events`; its `type` is `event`. */
export type EventCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  /** Where they live, or where it takes place. */
  location?: string | undefined
  [field: string]: unknown
}

/** An item of the type `events`. */
export type EventItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    event: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: EventCard | undefined
  map?: EventMap | undefined
}

/** Normalised values of an item of the type `events`. */
export type EventMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Title. */
  title: string | null
  /** When it begins. Epoch milliseconds. */
  starts: number | null
  /** When it ends. Epoch milliseconds. */
  ends: number | null
  /** Name of the place. */
  place: string | null
  /** The text, without markup. */
  text?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
  /** Native ids or names of those who attend. */
  attendees?: string[] | undefined
  /** Of an occurrence of a repeated event: the id of that event at the service. */
  series?: string | undefined
}

/** Where this browser downloads an export. */
export type ExportLink = {
  /** A path of this server. */
  url: string
  expires_at: number
}

/** The card of an item of the type `files`; its `type` is `file`. */
export type FileCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  [field: string]: unknown
}

/** An item of the type `files`. */
export type FileItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    file: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: FileCard | undefined
  map?: FileMap | undefined
}

/** Normalised values of an item of the type `files`. */
export type FileMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Title. */
  title: string | null
  /** Path of the file. */
  path: string | null
  /** Media type of the file. */
  mime: string | null
  /** Size of the file. */
  bytes: number | null
  /** The text, without markup. */
  text?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
}

/** A service in a list. `names` of `GET /services` describes it completely. */
export type FoundService = {
  service: string
  title: string
  /** Address of the vendor's documentation. */
  docs: string
  aliases: string[]
  /** How people sign in: `oauth2`, `oauth1` … */
  auth: string
  /** What the service is for. */
  category?: "business" | "communication" | "data" | "development" | "education" | "files" | "finance" | "games" | "health" | "identity" | "media" | "music" | "people" | "shops" | "travel" | "work" | "writing" | undefined
  /** Whether items are read; otherwise there are the sign-in, the person and the proxy. */
  synced: boolean
  /** Whether the app must have keys of its own. */
  needs_keys: boolean
  /** Of the catalogue: `declared` by one source, `agreed` by two, or `tried` by somebody. */
  certainty?: "declared" | "agreed" | "tried" | undefined
  /** When it was compared with its sources. */
  checked?: string | undefined
  /** With an app: whether it has keys. */
  has_keys?: boolean | undefined
  /** With an app: whether its people can choose it. */
  offered?: boolean | undefined
}

/** Services that were searched for, the best match first, then by title. */
export type FoundServices = FoundService[]

/** A step inside another one, as a call to a service is. */
export type InnerStep = {
  name: string
  at: number
  ms: number
  outcome: "ok" | "failed" | "refused" | "open"
  /** Without secrets. */
  detail: {
    [field: string]: string | number | boolean
  }
}

/** An operation with its steps. */
export type InspectedOperation = {
  id: string
  kind: "sign_in" | "sync" | "proxy" | "delivery"
  /** When it began. */
  at: number
  /** From its beginning to its last step. */
  ms: number
  /** `failed`: something did not work. `refused`: a request was wrong, or the person declined or did not come back. `open`: a sign-in that is under way. */
  outcome: "ok" | "failed" | "refused" | "open"
  reason?: string | undefined
  service?: string | undefined
  /** The id of the profile. */
  profile?: string | undefined
  account?: string | undefined
  /** Of the last request. */
  request_id?: string | undefined
  summary: string
  steps: OperationStep[]
}

/** One record of a service, in the format that all services share. */
export type Item = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  /** Singular names of its types; for items of a feed also the name of the feed type. */
  types: {
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  /** The normalised card; where items are listed by type. */
  oembed?: Card | undefined
  /** With `map=true`. */
  map?: ItemMap | undefined
}

/** How many items there are, by endpoint or type. */
export type ItemCounts = {
  [field: string]: number | CountSummary
}

/** Normalised values. Which of them an item always has depends on its types; null where unknown. */
export type ItemMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** The text, without markup. */
  text?: string | null | undefined
  /** Who made an item, as they appear on it. */
  author?: Author | null | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** The handle of a contact. */
  nickname?: string | null | undefined
  /** E-mail address. */
  email?: string | null | undefined
  /** Telephone number. */
  phone?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** When it begins. Epoch milliseconds. */
  starts?: number | null | undefined
  /** When it ends. Epoch milliseconds. */
  ends?: number | null | undefined
  /** Of an occurrence of a repeated event: the id of that event at the service. */
  series?: string | undefined
  /** Native ids or names of those who attend. */
  attendees?: string[] | undefined
  /** Kind of activity. */
  sport?: string | null | undefined
  /** Duration in seconds. */
  seconds?: number | null | undefined
  /** Distance in metres. */
  meters?: number | null | undefined
  /** Energy in kilocalories. */
  calories?: number | undefined
  /** Beats per minute, on average. */
  heart_rate?: number | undefined
  /** What was measured. */
  metric?: string | null | undefined
  /** The measured value. */
  value?: number | null | undefined
  /** Unit of the value. */
  unit?: string | null | undefined
  /** Title. */
  title?: string | null | undefined
  /** Artist. */
  artist?: string | null | undefined
  /** Album. */
  album?: string | null | undefined
  /** Path of the file. */
  path?: string | null | undefined
  /** Media type of the file. */
  mime?: string | null | undefined
  /** Size of the file. */
  bytes?: number | null | undefined
  /** Subject. */
  subject?: string | null | undefined
  /** Sender. */
  from?: string | null | undefined
  /** Receivers. */
  to?: string[] | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** The card. */
  oembed?: Card | undefined
}

/** What a test of an app's keys found, step by step. */
export type KeyTest = {
  service: string
  /** The address to enter at the service. */
  callback: string
  /** What the vendor demands on the first day, with the page that says so, and when it was read. */
  conditions: ({
    says: string
    source: string
    checked?: string | undefined
  })[]
  /** `unknown`: the service does not tell without a person who signs in. */
  result: "ok" | "failed" | "unknown"
  steps: ({
    step: "callback" | "addresses" | "sign_in_page" | "keys"
    result: "ok" | "failed" | "unknown"
    reason: "ok" | "unknown" | "not_required" | "callback_refused" | "access_denied" | "address_invalid" | "address_refused" | "address_wrong" | "answer_too_large" | "answer_unreadable" | "capacity" | "capacity_here" | "callback_unusable" | "callback_unconfirmed" | "checkpoint_stuck" | "code_missing" | "connector_fault" | "credential_damaged" | "discovery_failed" | "grant_refused" | "handle_unresolved" | "home_mismatch" | "issuer_mismatch" | "keys_refused" | "no_credential" | "no_refresh_token" | "not_found" | "not_supported" | "page_too_large" | "parameter_repeated" | "person_changed" | "position_lost" | "rate_limited" | "rate_limited_here" | "redirect_refused" | "refresh_busy" | "request_invalid" | "request_refused" | "request_token_mismatch" | "scope_missing" | "self_without_id" | "priced" | "service_failed" | "service_refused" | "service_timeout" | "service_unreachable" | "spending_limit_reached" | "subject_changed" | "subject_mismatch" | "subject_missing" | "token_unbound" | "unpaid" | "unexpected_answer" | "verifier_missing" | "walk_broken" | "walk_repeats"
    detail: string
  })[]
}

/** The process is alive. */
export type Liveness = {
  alive: true
  version: string
}

/** A part of the log of an app. */
export type Log = {
  operations: LoggedOperation[]
  /** Continues with older operations. A rare match may need several requests: each examines a limited number. */
  next?: string | undefined
}

/** A sign-in, a sync, a proxied call or a delivery. */
export type LoggedOperation = {
  id: string
  kind: "sign_in" | "sync" | "proxy" | "delivery"
  /** When it began. */
  at: number
  /** From its beginning to its last step. */
  ms: number
  /** `failed`: something did not work. `refused`: a request was wrong, or the person declined or did not come back. `open`: a sign-in that is under way. */
  outcome: "ok" | "failed" | "refused" | "open"
  reason?: string | undefined
  service?: string | undefined
  /** The id of the profile. */
  profile?: string | undefined
  account?: string | undefined
  /** Of the last request. */
  request_id?: string | undefined
  summary: string
}

/** The card of an item of the type `measures`; its `type` is `measure`. */
export type MeasureCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  [field: string]: unknown
}

/** An item of the type `measures`. */
export type MeasureItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    measure: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: MeasureCard | undefined
  map?: MeasureMap | undefined
}

/** Normalised values of an item of the type `measures`. */
export type MeasureMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** What was measured. */
  metric: string | null
  /** The measured value. */
  value: number | null
  /** Unit of the value. */
  unit: string | null
  /** Title. */
  title?: string | null | undefined
  /** The text, without markup. */
  text?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
  /** Distance in metres. */
  meters?: number | null | undefined
  /** Energy in kilocalories. */
  calories?: number | undefined
  /** Beats per minute, on average. */
  heart_rate?: number | undefined
  /** When it begins. Epoch milliseconds. */
  starts?: number | null | undefined
  /** When it ends. Epoch milliseconds. */
  ends?: number | null | undefined
}

/** The card of an item of the type `messages`; its `type` is `message`. */
export type MessageCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  [field: string]: unknown
}

/** An item of the type `messages`. */
export type MessageItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    message: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: MessageCard | undefined
  map?: MessageMap | undefined
}

/** Normalised values of an item of the type `messages`. */
export type MessageMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Subject. */
  subject: string | null
  /** The text, without markup. */
  text: string | null
  /** Sender. */
  from: string | null
  /** Receivers. */
  to: string[] | null
  /** Title. */
  title?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
}

/** A new connect session, with its link. */
export type NewConnectSession = {
  id: string
  /** For the person. It is shown only once. */
  url: string
  expires_at: number
}

/** A new token for one service. */
export type NewProxyToken = {
  /** Names it in the log of calls too. */
  id: string
  /** `service`, or `id@service` if it is for one profile. */
  service: string
  methods?: string[] | undefined
  paths?: string[] | undefined
  label?: string | undefined
  /** Who made it, as in the audit log. One made with an access token ends with that. */
  made_by: string
  created_at: number
  expires_at?: number | undefined
  /** About when it was used last, to the minute; absent: never. */
  used_at?: number | undefined
  /** Shown only here. */
  token: string
}

/** The card of an item of the type `news`; its `type` is `link`. */
export type NewsCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  [field: string]: unknown
}

/** An item of the type `news`. */
export type NewsItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    news: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: NewsCard | undefined
  map?: NewsMap | undefined
}

/** Normalised values of an item of the type `news`. */
export type NewsMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Title. */
  title: string | null
  /** Address of its page at the service. */
  url: string | null
  /** The text, without markup. */
  text?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
  /** Path of the file. */
  path?: string | null | undefined
  /** Media type of the file. */
  mime?: string | null | undefined
  /** Size of the file. */
  bytes?: number | null | undefined
  /** Artist. */
  artist?: string | null | undefined
  /** Album. */
  album?: string | null | undefined
  /** Duration in seconds. */
  seconds?: number | null | undefined
}

/** A link that nobody used yet. */
export type OpenOperatorLink = {
  id: string
  /** Who sets a new password or passkey with it; absent: a new operator. */
  operator?: string | undefined
  name?: string | undefined
  /** `operator`: everything. `developer`: certain apps with their accounts. */
  role: "operator" | "developer"
  /** A developer's apps (`client_id`). */
  apps: string[]
  created_by: string
  created_at: number
  expires_at: number
}

/** A step of an operation, with the steps inside it. */
export type OperationStep = {
  name: string
  at: number
  ms: number
  outcome: "ok" | "failed" | "refused" | "open"
  /** Without secrets. */
  detail: {
    [field: string]: string | number | boolean
  }
  steps: InnerStep[]
}

/** A named operator or developer. */
export type Operator = {
  id: string
  name: string
  /** `operator`: everything. `developer`: certain apps with their accounts. */
  role: "operator" | "developer"
  /** A developer's apps (`client_id`). */
  apps: string[]
  /** Whether they can sign in with a password. */
  password: boolean
  passkeys: number
  /** Browsers in which they are signed in. */
  sessions: number
  created_at: number
  seen_at?: number | undefined
}

/** A link with which a person becomes an operator, or signs in anew. */
export type OperatorLink = {
  id: string
  /** Works once. The secret is behind `#`. */
  url: string
  expires_at: number
}

/** A browser in which an operator is signed in. */
export type OperatorSession = {
  id: string
  operator: string
  name: string
  method: "password" | "passkey" | "link"
  browser: string
  address: string
  created_at: number
  seen_at: number
  expires_at: number
  /** The session of this request. */
  current: boolean
}

/** The state of an installation, or of one of its apps, at a glance. */
export type Overview = {
  /** When the figures were read: seconds ago, in large installations up to a minute. */
  at: number
  app?: string | undefined
  /** The most urgent first; at most 30. */
  attention: Attention[]
  profiles: ({
    service: string
    state: ProfileState
    n: number
  })[]
  /** The last seven days, with the current hour as the last. */
  items_per_hour: ({
    at: number
    added: number
    updated: number
  })[]
  sync: {
    /** Profiles that wait for a run. */
    due: number
    /** How long the first of them waits. */
    lag_ms: number
    /** Endpoints that fail now: whose last run failed or was held back. */
    endpoints: ({
      service: string
      reason: "access_denied" | "address_invalid" | "address_refused" | "address_wrong" | "answer_too_large" | "answer_unreadable" | "capacity" | "capacity_here" | "callback_unusable" | "callback_unconfirmed" | "checkpoint_stuck" | "code_missing" | "connector_fault" | "credential_damaged" | "discovery_failed" | "grant_refused" | "handle_unresolved" | "home_mismatch" | "issuer_mismatch" | "keys_refused" | "no_credential" | "no_refresh_token" | "not_found" | "not_supported" | "page_too_large" | "parameter_repeated" | "person_changed" | "position_lost" | "rate_limited" | "rate_limited_here" | "redirect_refused" | "refresh_busy" | "request_invalid" | "request_refused" | "request_token_mismatch" | "scope_missing" | "self_without_id" | "priced" | "service_failed" | "service_refused" | "service_timeout" | "service_unreachable" | "spending_limit_reached" | "subject_changed" | "subject_mismatch" | "subject_missing" | "token_unbound" | "unpaid" | "unexpected_answer" | "verifier_missing" | "walk_broken" | "walk_repeats" | "quota_reached" | "worker_died"
      failing: boolean
      n: number
    })[]
  }
  /** Sign-ins and syncs of the last 24 hours that did not work, from the log; at most 20, the most frequent first. */
  failures_24h: ({
    kind: "sign_in" | "sync"
    service?: string | undefined
    outcome: "failed" | "refused"
    reason?: string | undefined
    n: number
  })[]
  /** Destinations, the most conspicuous first; at most 20. */
  push: ({
    id: string
    app: string
    name: string
    kind: string
    state: string
    /** Undelivered changes. */
    behind: number
    /** Age of the oldest of them. */
    lag_ms: number
    dead_letters: number
    /** Failed deliveries of the last 24 hours. */
    failed_24h: number
    error?: string | undefined
  })[]
  /** The quotas that are used most; at most 20. */
  quotas: ({
    app: string
    quota: string
    /** 1: the limit is reached. */
    share: number
  })[]
  /** What endpoints that cost money have cost this month. */
  spending: ({
    app: string
    service: string
    currency: string
    spent: number
    limit?: number | undefined
  })[]
  /** Those that received most in the last 24 hours; at most 20. */
  apps: ({
    app: string
    profiles: number
    added_24h: number
    updated_24h: number
  })[]
  /** Of the process that answers; not for a single app. */
  health?: {
    ready: boolean
    checks: {
      [field: string]: {
        ok: boolean
        detail: string
      }
    }
    version: string
    workers: ({
      lane: string
      /** `idle`: it starts when there is work for it. */
      state: "running" | "starting" | "idle" | "down"
      jobs: number
      memory_bytes: number
      /** Unexpected ends since this process started. */
      deaths: number
    })[]
  } | undefined
}

/** The person of an account, merged from all profiles. */
export type OwnPerson = {
  /** The account. */
  id: string
  name?: string | undefined
  email?: string | undefined
  handle?: string | undefined
  url?: string | undefined
  thumbnail_url?: string | undefined
  description?: string | undefined
  location?: string | undefined
  /** By profile name: `service` for the one connected last, `id@service` for others. */
  services: {
    [field: string]: OwnProfile
  }
}

/** A profile in short. */
export type OwnProfile = {
  /** The native id of the service user, percent-encoded. */
  id: string
  /** `id@service`. */
  profile: string
  name?: string | undefined
  handle?: string | undefined
  url?: string | undefined
  thumbnail_url?: string | undefined
  state: ProfileState
}

/** What `navigator.credentials.create` is called with; bytes as base64url. */
export type PasskeyCreation = {
  challenge: string
  rp: {
    id: string
    name: string
  }
  user: {
    id: string
    name: string
  }
  algorithms: number[]
  exclude: string[]
}

/** What the app decided about people. It counts more than what contacts say. */
export type PeopleDecision = {
  id: string
  kind: "join" | "split"
  decided_at: number
  /** They are one person. */
  users: ServiceUser[]
  /** Of a split: they are not that person. */
  others?: ServiceUser[] | undefined
}

/** A person whom the account knows: contacts that belong together. */
export type Person = {
  /** The global id of the first contact. */
  id: string
  name?: string | undefined
  /** It is the person of the account. */
  self?: true | undefined
  emails: string[]
  handles: string[]
  phones: string[]
  urls: string[]
  thumbnail_url?: string | undefined
  /** Their contacts, by service. */
  services: {
    [field: string]: PersonContact[]
  }
  /** Why these contacts are one person, the strongest reason first; empty for one service user. */
  joined: PersonJoin[]
}

/** A contact at one service. */
export type PersonContact = {
  id: string
  idr: string
  /** The profile whose contact it is. */
  profile: string
  /** The native id of the service user. */
  user: string
  name?: string | undefined
  handle?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  url?: string | undefined
  website?: string | undefined
  thumbnail_url?: string | undefined
  description?: string | undefined
  location?: string | undefined
}

/** A person, with items in which they appear. */
export type PersonDetail = {
  /** The global id of the first contact. */
  id: string
  name?: string | undefined
  /** It is the person of the account. */
  self?: true | undefined
  emails: string[]
  handles: string[]
  phones: string[]
  urls: string[]
  thumbnail_url?: string | undefined
  /** Their contacts, by service. */
  services: {
    [field: string]: PersonContact[]
  }
  /** Why these contacts are one person, the strongest reason first; empty for one service user. */
  joined: PersonJoin[]
  /** How many items they appear in, by service and type. */
  appearances: {
    [field: string]: {
      [field: string]: number
    }
  }
  /** The newest of these items. */
  items: Item[]
}

/** Why service users are one person. */
export type PersonJoin = {
  /** What they have in common: an e-mail address, a link, handle and name, or a decision of the app. */
  by: "app" | "handle_and_name" | "email" | "link"
  /** `certain`: the app decided. `strong`: the name as well. `good`: an e-mail address. `fair`: a link. */
  strength: "certain" | "strong" | "good" | "fair"
  /** The value, as it is compared. */
  value?: string | undefined
  /** The id of the decision, which can be undone. */
  decision?: string | undefined
  /** Those who have it in common. */
  users: ServiceUser[]
}

/** The card of an item of the type `photos`; its `type` is `photo`. */
export type PhotoCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  /** Width of the picture in pixels. */
  width?: number | undefined
  /** Height of the picture in pixels. */
  height?: number | undefined
  [field: string]: unknown
}

/** An item of the type `photos`. */
export type PhotoItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    photo: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: PhotoCard | undefined
  map?: PhotoMap | undefined
}

/** Normalised values of an item of the type `photos`. */
export type PhotoMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Title. */
  title: string | null
  /** Address of its picture in the best size. */
  image: string | null
  /** The text, without markup. */
  text?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
  /** Path of the file. */
  path?: string | null | undefined
  /** Media type of the file. */
  mime?: string | null | undefined
  /** Size of the file. */
  bytes?: number | null | undefined
  /** Artist. */
  artist?: string | null | undefined
  /** Album. */
  album?: string | null | undefined
  /** Duration in seconds. */
  seconds?: number | null | undefined
}

/** One service user of an account. */
export type Profile = {
  /** The native id of the service user, percent-encoded. */
  id: string
  service: string
  /** `id@service`, as paths take it. */
  profile: string
  name?: string | undefined
  handle?: string | undefined
  email?: string | undefined
  url?: string | undefined
  photo?: string | undefined
  state: ProfileState
  /** The scope that the person granted. */
  scope?: string | undefined
  connected_at: number
  synced_at?: number | undefined
  error?: string | undefined
  /** In the state `needs_auth`: POST here for a link to sign in again. */
  reconnect?: string | undefined
  /** With `full=true`: the service's own record of the person. */
  data?: unknown
  /** With `auth=true`. */
  auth?: ServiceTokens | undefined
}

/** `needs_auth`: the person has to sign in at the service again. */
export type ProfileState = "connecting" | "active" | "needs_auth" | "limited" | "paused"

/** A profile and its state. */
export type ProfileWithState = {
  profile: string
  state: ProfileState
}

/** The account and, by service, its profiles: native ids; with `full` or `auth` objects. The one connected last is last. */
export type Profiles = {
  /** The account. */
  id: string
  [field: string]: (string | Profile)[] | string
}

/** A call through the proxy. */
export type ProxyCall = {
  id: string
  at: number
  account: string
  method: string
  service: string
  /** Without the query. */
  path: string
  /** 499: the app disconnected early; 502: the service’s response broke off. */
  status: number
  ms: number
  bytes: number
  refreshed: boolean
  retried: boolean
  request_id: string
  /** The id of the token that made it; absent if an operator or an agent did. */
  token_id?: string | undefined
}

/** A token for one service of an account, without the token itself. */
export type ProxyToken = {
  /** Names it in the log of calls too. */
  id: string
  /** `service`, or `id@service` if it is for one profile. */
  service: string
  methods?: string[] | undefined
  paths?: string[] | undefined
  label?: string | undefined
  /** Who made it, as in the audit log. One made with an access token ends with that. */
  made_by: string
  created_at: number
  expires_at?: number | undefined
  /** About when it was used last, to the minute; absent: never. */
  used_at?: number | undefined
}

/** The quotas of an app. */
export type QuotaLimits = {
  /** Items of one profile. */
  profile_items: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
  /** Bytes of the records of one profile. */
  profile_bytes: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
  /** Items of one account, over all its profiles. */
  account_items: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
  /** Bytes of the records of one account. */
  account_bytes: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
  /** Items of the app, over all its accounts. */
  app_items: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
  /** Bytes of the records of the app, over all its accounts. */
  app_bytes: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
  /** Own items that the app stored. */
  own_items: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
  /** Bytes of the records of own items. */
  own_bytes: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
  /** Unfinished sign-ins to the app. */
  app_sign_ins: {
    /** `null`: no limit. */
    limit: number | null
    /** Whether it was set for this app. */
    own: boolean
  }
}

/** How much of a quota is used. */
export type QuotaUse = {
  used: number
  /** `null`: no limit. */
  limit: number | null
  /** `near`: from 80 %. */
  state: "ok" | "near" | "reached"
}

/** Whether the service is ready, and what each check found. */
export type Readiness = {
  ready: boolean
  checks: {
    [field: string]: {
      ok: boolean
      detail: string
    }
  }
}

/** Why a request was refused. */
export type Reason = "bad_request" | "bad_parameter" | "bad_body" | "client_unknown" | "redirect_unregistered" | "session_expired" | "link_invalid" | "connections_closed" | "file_refused" | "code_invalid" | "same_account" | "token_conflict" | "parameter_unknown" | "token_missing" | "token_invalid" | "app_secret_invalid" | "service_refused" | "hook_refused" | "admin_token_invalid" | "signed_out" | "password_wrong" | "passkey_refused" | "needs_auth" | "other_app" | "app_unproven" | "scope_missing" | "origin_refused" | "role_refused" | "sign_in_again" | "demo_exposed" | "token_restricted" | "service_not_offered" | "quota_reached" | "no_profile" | "service_unknown" | "no_service_keys" | "no_media" | "not_found" | "method_not_allowed" | "request_timeout" | "already_exists" | "profile_paused" | "app_has_accounts" | "idempotency_in_progress" | "demo_not_running" | "last_operator" | "too_many_tokens" | "endpoint_retired" | "cursor_expired" | "body_too_large" | "too_many_decisions" | "too_many_contacts" | "media_type_unsupported" | "idempotency_conflict" | "headers_too_large" | "too_many_attempts" | "too_many_sign_ins" | "service_limited" | "too_many_readers" | "agent_limited" | "too_many_sessions" | "internal" | "key_missing" | "service_unreachable" | "destination_failed" | "address_refused" | "connector_failed" | "database_unavailable" | "service_timeout" | "storage_full"

/** A link by which a person signs in again. */
export type ReconnectLink = {
  /** For the person. Works once, and until `expires_at`. */
  url: string
  expires_at: number
}

/** Statements for an administrator of the database to run once. */
export type RightsScript = {
  kind: string
  sql: string
}

/** An app, with its new secret. */
export type RotatedApp = {
  client_id: string
  name: string
  redirect_uris: string[]
  token_flow: boolean
  public: boolean
  apply: "proven" | "any"
  /** What agents may do over MCP; absent: agents are off. */
  agents?: {
    /** Addresses that agents receive people at; compared exactly. */
    redirect_uris: string[]
    /** Services that an agent may write to, if the person allows it too. Default none. */
    write_services: string[]
  } | undefined
  branding: Branding
  /** The services that people may connect; absent: all that the app has keys for. */
  services?: string[] | undefined
  created_at: number
  deleting_at?: number | undefined
  client_secret: string
  previous_ends_at: number
}

/** With `fields`: a flat object by path, and null for a missing field. With `select`: an item with only these fields. */
export type SelectedItem = {
  [field: string]: unknown
}

/** A service that people can connect. */
export type Service = {
  title: string
  /** Address of the vendor's documentation. */
  docs: string
  /** How people sign in: `oauth2`, `oauth1` … */
  auth: string
  /** What the service is for. */
  category?: "business" | "communication" | "data" | "development" | "education" | "files" | "finance" | "games" | "health" | "identity" | "media" | "music" | "people" | "shops" | "travel" | "work" | "writing" | undefined
  /** What the vendor demands on the first day, with the page that says so, and when it was read. */
  conditions: ({
    says: string
    source: string
    checked?: string | undefined
  })[]
  aliases: string[]
  endpoints: {
    [field: string]: {
      types: string[]
      class: string
      /** 0: read only when a file is uploaded. */
      every_seconds: number
      /** Scopes that the person must grant for it; empty: none of its own. */
      scope: string[]
    }
  }
  types: string[]
  /** What a sign-in requests unless the app or its key says otherwise. */
  scope: string[]
  /** The documented rate limits of the service, which are never exceeded. */
  limits: ({
    /** Whose calls are counted together. */
    of: "app" | "person" | "service"
    calls: number
    per_seconds: number
    /** Only calls to this group of endpoints. */
    group?: string | undefined
    /** Only calls that read. */
    reads?: true | undefined
  })[]
  /** Whether the service confirms to `apply` that it issued a token to this app. */
  apply: "proven" | "unproven"
  /** Whether `force_login` has an effect. */
  force_login: boolean
  /** Values of `flag` that have an effect. */
  flags: string[]
  /** Values that an app sets with its keys. */
  settings: ({
    name: string
    title: string
    required: boolean
    secret: boolean
  })[]
  /** Whether the app must have keys of its own. */
  needs_keys: boolean
  /** What the person is asked before the sign-in, by the parameter with which the app may answer. */
  asks: {
    [field: string]: {
      title: string
      example: string
      required: boolean
    }
  }
  /** What the person types, for services without a login page. */
  fields?: {
    [field: string]: {
      title: string
      format: string
      secret: boolean
      optional: boolean
      help?: string | undefined
    }
  } | undefined
  /** Where an app calls the service's own API: the origin of the service here, or an address below `/proxy`. */
  proxy: string
  /** With an app: whether it has keys. */
  has_keys?: boolean | undefined
  /** With an app: the addresses to enter at the service. */
  addresses?: {
    callback: string
    hook?: string | undefined
    deletion?: string | undefined
    deauthorize?: string | undefined
  } | undefined
  /** With an app: why the service refuses the callback address, where that can be foreseen. */
  callback_fault?: string | undefined
}

/** An app's key for a service, without its secret. */
export type ServiceKey = {
  service: string
  key: string
  scope?: string | undefined
  overrides: {
    [field: string]: string
  }
  /** The redirect address to enter at the service. A key with overrides has one of its own. */
  callback: string
  updated_at: number
}

/** The service's own tokens; only for a caller with the app's secret. */
export type ServiceTokens = {
  token?: string | undefined
  token_secret?: string | undefined
  refresh_token?: string | undefined
  expires_at?: number | undefined
  scope?: string | undefined
}

/** A user at a service, whom contacts name. */
export type ServiceUser = {
  service: string
  /** The native id. */
  user: string
}

/** All services, by name. */
export type Services = {
  [field: string]: Service
}

/** How this installation is set up. */
export type Settings = {
  version: string
  base_url: string
  /** Addresses and networks of proxies that are trusted. */
  trusted_proxies: number
  database: {
    kind: "embedded" | "external"
    version: string
    sharded: boolean
    replica: boolean
    pending_migrations: number
  }
  keys: {
    source: "file" | "TRIBUTARY_KEY"
    /** The public id of the key that seals. */
    newest: string
    /** Older keys, which still open values. */
    old: number
    commands: string[]
  }
  backups: {
    commands: string[]
    /** The newest of `tributary backup create`; copies that the database server makes are not known. */
    last?: {
      created_at: number
      bytes: number
      tables: number
      /** Whether the sealing keys are in it. */
      keys_included: boolean
      /** When it was read again and found intact. */
      verified_at?: number | undefined
      /** Whether there should be a newer one. */
      old: boolean
    } | undefined
    old_after_days: number
  }
  retention: ({
    what: string
    days: number
  })[]
  /** What runs every few minutes, each task independently of the others. */
  maintenance: ({
    task: string
    /** The end of its last run without a failure. */
    succeeded_at?: number | undefined
    failed_at?: number | undefined
    /** Of the last run, if it failed. */
    error?: string | undefined
    /** Failed runs since the last success. */
    fails: number
    /** What the last run changed. */
    rows: number
    /** Whether it has not succeeded for an hour; it runs every ten minutes. */
    late: boolean
  })[]
  quotas: ({
    name: string
    meaning: string
    limit: number | null
  })[]
  sessions: {
    idle_hours: number
    days: number
  }
  workers: ({
    lane: string
    pid?: number | undefined
    ready: boolean
    /** `idle`: it starts when there is work for it. */
    state: "running" | "starting" | "idle" | "down"
    memory_bytes: number
    deaths: number
  })[]
}

/** The new signing secret; shown only once. */
export type SigningSecret = {
  secret: string
}

/** What endpoints that cost money have cost this month, by service. */
export type Spending = {
  [field: string]: {
    currency: string
    month: string
    /** Before a call its highest possible cost is counted, so this may be more than the bill, not less. */
    spent: string
    /** `null`: no limit. */
    limit: string | null
    resets_at: number
    /** `reached`: the limit stops the endpoints until `resets_at`; `unpaid`: the service refuses for want of credit. */
    state: "ok" | "reached" | "unpaid"
    /** When a service that wants to be paid first is called again. */
    retry_at?: number | undefined
    endpoints: {
      [field: string]: {
        on: boolean
        price: {
          currency: string
          per_record?: string | undefined
          per_call?: string | undefined
        }
      }
    }
  }
}

/** How many profiles are delivered now. */
export type StartedDelivery = {
  /** Profiles that are delivered. */
  profiles: number
}

/** The card of an item of the type `statuses`; its `type` is `text`. */
export type StatusCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  [field: string]: unknown
}

/** An item of the type `statuses`. */
export type StatusItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    status: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: StatusCard | undefined
  map?: StatusMap | undefined
}

/** Normalised values of an item of the type `statuses`. */
export type StatusMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** The text, without markup. */
  text: string | null
  /** Title. */
  title?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
  /** Path of the file. */
  path?: string | null | undefined
  /** Media type of the file. */
  mime?: string | null | undefined
  /** Size of the file. */
  bytes?: number | null | undefined
  /** Artist. */
  artist?: string | null | undefined
  /** Album. */
  album?: string | null | undefined
  /** Duration in seconds. */
  seconds?: number | null | undefined
}

/** How many of the given items are new, changed or unchanged. */
export type StoredItems = {
  added: number
  changed: number
  unchanged: number
}

/** The progress of a sync, by endpoint. */
export type SyncProgress = {
  [field: string]: EndpointProgress
}

/** Which endpoints of an app are synced, and how often. */
export type SyncRules = {
  /** Classes of endpoints that are not synced; `core` always is. */
  off?: ("personal" | "social")[] | undefined
  /** `{"service/endpoint": "15m" | "<cron> [zone]"}`; `service/*` for all of a service. */
  pace?: {
    [field: string]: string
  } | undefined
}

/** The card of an item of the type `tracks`; its `type` is `track`. */
export type TrackCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  [field: string]: unknown
}

/** An item of the type `tracks`. */
export type TrackItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    track: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: TrackCard | undefined
  map?: TrackMap | undefined
}

/** Normalised values of an item of the type `tracks`. */
export type TrackMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Title. */
  title: string | null
  /** Artist. */
  artist: string | null
  /** Album. */
  album: string | null
  /** Duration in seconds. */
  seconds: number | null
  /** The text, without markup. */
  text?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Address of its picture in the best size. */
  image?: string | null | undefined
  /** Address of its file: a video, a sound, a document. */
  media?: string | null | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
  /** Path of the file. */
  path?: string | null | undefined
  /** Media type of the file. */
  mime?: string | null | undefined
  /** Size of the file. */
  bytes?: number | null | undefined
}

/** What was found in a file. Its records are stored by a sync that begins at once. */
export type UploadedFile = {
  /** The profile of the files, `id@service`. */
  profile: string
  /** How many records the file has, by endpoint. */
  records: {
    [field: string]: number
  }
  /** Events and contacts that were left out, because they are too large or cut off. */
  skipped: number
}

/** How much of its quotas an app or account uses. */
export type Usage = {
  app: string
  account?: string | undefined
  /** The totals of an app may be up to a minute old. */
  counted_at: number
  quotas: {
    /** Items of one profile. */
    profile_items?: QuotaUse | undefined
    /** Bytes of the records of one profile. */
    profile_bytes?: QuotaUse | undefined
    /** Items of one account, over all its profiles. */
    account_items?: QuotaUse | undefined
    /** Bytes of the records of one account. */
    account_bytes?: QuotaUse | undefined
    /** Items of the app, over all its accounts. */
    app_items?: QuotaUse | undefined
    /** Bytes of the records of the app, over all its accounts. */
    app_bytes?: QuotaUse | undefined
    /** Own items that the app stored. */
    own_items?: QuotaUse | undefined
    /** Bytes of the records of own items. */
    own_bytes?: QuotaUse | undefined
    /** Unfinished sign-ins to the app. */
    app_sign_ins?: QuotaUse | undefined
  }
  /** For an account: its profiles, including merged ones and the app's own items (`self`). */
  profiles?: ({
    profile: string
    id: string
    items: number
    bytes: number
    quotas: {
      /** Items of one profile. */
      profile_items?: QuotaUse | undefined
      /** Bytes of the records of one profile. */
      profile_bytes?: QuotaUse | undefined
      /** Items of one account, over all its profiles. */
      account_items?: QuotaUse | undefined
      /** Bytes of the records of one account. */
      account_bytes?: QuotaUse | undefined
      /** Items of the app, over all its accounts. */
      app_items?: QuotaUse | undefined
      /** Bytes of the records of the app, over all its accounts. */
      app_bytes?: QuotaUse | undefined
      /** Own items that the app stored. */
      own_items?: QuotaUse | undefined
      /** Bytes of the records of own items. */
      own_bytes?: QuotaUse | undefined
      /** Unfinished sign-ins to the app. */
      app_sign_ins?: QuotaUse | undefined
    }
  })[] | undefined
  /** For an app: quotas of the app, its accounts and their profiles that are near or reached; at most 100. */
  notices?: ({
    quota: string
    state: "near" | "reached"
    account?: string | undefined
    profile?: string | undefined
    since: number
  })[] | undefined
}

/** How the tables of a destination differ from the store. */
export type Verification = {
  profiles: number
  /** Rows compared. */
  rows: number
  missing: number
  different: number
  /** Rows that should not be there. */
  extra: number
  /** Profiles that are delivered again from their first differing row. */
  repaired: number
  /** Set when time ran out: pass it as `after` to continue. */
  next?: string | undefined
}

/** The card of an item of the type `videos`; its `type` is `video`. */
export type VideoCard = {
  /** The type of the card: `photo`, `video`, `link`, `text`, `checkin`, `contact` … */
  type?: string | undefined
  /** Title. */
  title?: string | undefined
  /** Address: of the picture of a photo, of the target of a link, else of the page at the service. */
  url?: string | undefined
  /** A longer text. */
  description?: string | undefined
  /** Address of a small picture. */
  thumbnail_url?: string | undefined
  /** Name of the service. */
  provider_name?: string | undefined
  /** Address of the service. */
  provider_url?: string | undefined
  /** Name of the author. */
  author_name?: string | undefined
  /** Degrees north. */
  lat?: number | undefined
  /** Degrees east. */
  lng?: number | undefined
  /** The text of a status or message. */
  text?: string | undefined
  /** Width of the picture in pixels. */
  width?: number | undefined
  /** Height of the picture in pixels. */
  height?: number | undefined
  [field: string]: unknown
}

/** An item of the type `videos`. */
export type VideoItem = {
  /** The global id. It never changes. */
  id: string
  /** The IDR: `type:owner@service/endpoint#id`. */
  idr: string
  /** When it happened, in epoch milliseconds. */
  at: number
  /** When its content last changed, in epoch milliseconds. */
  updated: number
  /** The record as the service sent it, unchanged. */
  data: unknown
  types: {
    video: true
    [field: string]: true
  }
  /** Dedupe keys, separated by spaces, by which copies are found. */
  guid?: string | undefined
  /** With `copy_of=true`, of a copy: the global id of the original. */
  copy_of?: string | undefined
  oembed?: VideoCard | undefined
  map?: VideoMap | undefined
}

/** Normalised values of an item of the type `videos`. */
export type VideoMap = {
  /** The id of the record at the service. */
  id: string
  /** Name, title or subject. */
  name: string | null
  /** When it happened, in epoch milliseconds; `at` of the item. */
  at: number
  /** Who made an item, as they appear on it. */
  author: Author | null
  /** Title. */
  title: string | null
  /** Address of its picture in the best size. */
  image: string | null
  /** Address of its file: a video, a sound, a document. */
  media: string | null
  /** The text, without markup. */
  text?: string | null | undefined
  /** Address of its page at the service. */
  url?: string | null | undefined
  /** Addresses that it contains or belongs to. */
  urls?: string[] | undefined
  /** Address of a small picture. */
  photo?: string | undefined
  /** Name of the place. */
  place?: string | null | undefined
  /** Latitude and longitude in degrees. */
  ll?: [number, number] | null | undefined
  /** Service users who took part, by native id; the author is marked. */
  participants?: {
    [field: string]: {
      author?: true | undefined
    }
  } | undefined
  /** Language of the text. */
  lang?: string | undefined
  /** The earliest time that is known of it. Epoch milliseconds. */
  earliest?: number | undefined
  /** How often others responded. */
  counts?: Counts | undefined
  /** The card. */
  oembed?: Card | undefined
  /** Path of the file. */
  path?: string | null | undefined
  /** Media type of the file. */
  mime?: string | null | undefined
  /** Size of the file. */
  bytes?: number | null | undefined
  /** Artist. */
  artist?: string | null | undefined
  /** Album. */
  album?: string | null | undefined
  /** Duration in seconds. */
  seconds?: number | null | undefined
}

/** Every operation, by method and path. */
export interface Operations {
  /** Show the home page */
  'GET /': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get the icon of the pages */
  'GET /favicon.svg': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get the icon in the format that browsers ask for by themselves */
  'GET /favicon.ico': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Show the API reference; with `Accept: text/markdown` as markdown */
  'GET /docs': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get the API reference as markdown */
  'GET /docs.md': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get the script of the API reference */
  'GET /docs/try-it.js': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get a page of the documentation as markdown, or its limits as JSON */
  'GET /docs/{page}': {
    query: undefined
    body: undefined
    response: string
  }
  /** Get a guide or a decision as markdown, or a picture of the documentation */
  'GET /docs/{folder}/{file}': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Show how to install the JavaScript client */
  'GET /client': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get the npm package of the JavaScript client of this version */
  'GET /client.tgz': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get an index of the documentation for agents (llmstxt.org) */
  'GET /llms.txt': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get this API as an OpenAPI 3.1 document */
  'GET /openapi.json': {
    query: undefined
    body: undefined
    response: {
      openapi: string
      info: {
        [field: string]: unknown
      }
      paths: {
        [field: string]: unknown
      }
      [field: string]: unknown
    }
  }
  /** Check that the process is alive */
  'GET /healthz': {
    query: undefined
    body: undefined
    response: Liveness
  }
  /** Check that the service is ready; 503 with the failed checks otherwise */
  'GET /readyz': {
    query: undefined
    body: undefined
    response: Readiness
  }
  /** Get Prometheus metrics; from this machine, or with the admin token */
  'GET /metrics': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Show a page with the app's services; choosing one starts the sign-in */
  'GET /connect': {
    query: {
      /** The app's client id. */
      client_id?: string | number | readonly (string | number)[] | undefined
      /** Where to redirect the person. */
      redirect_uri?: string | number | readonly (string | number)[] | undefined
      /** Names with commas between them: show only these, also ones that need no keys. */
      services?: string | number | readonly (string | number)[] | undefined
      /** Returned unchanged in the redirect. */
      state?: string | number | readonly (string | number)[] | undefined
      /** Overrides the service's default scope. */
      scope?: string | number | readonly (string | number)[] | undefined
      /** `code` (default) or `token`. */
      response_type?: string | number | readonly (string | number)[] | undefined
      /** A variant of the sign-in that some services have, e.g. `dm`. */
      flag?: string | number | readonly (string | number)[] | undefined
      /** Request a new login at the service. */
      force_login?: string | number | readonly (string | number)[] | undefined
      /** PKCE. */
      code_challenge?: string | number | readonly (string | number)[] | undefined
      /** `S256`. */
      code_challenge_method?: string | number | readonly (string | number)[] | undefined
      /** Language of the pages, e.g. `de`; otherwise that of the browser. */
      locale?: string | number | readonly (string | number)[] | undefined
      /** Show only services whose name contains this. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Page of the list. */
      page?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Get the script of the search on pages of services */
  'GET /connect/search.js': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Show the services of a connect session, or what became of it; opening it does not use it up */
  'GET /connect/link': {
    query: {
      /** From the link. */
      ticket: string | number | readonly (string | number)[] | undefined
      /** Show only services whose name contains this. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Page of the list. */
      page?: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Choose a service of a connect session: the link then belongs to this browser */
  'POST /connect/link': {
    query: undefined
    body: {
      /** From the link. */
      ticket: string
      /** The service. */
      service: string
    }
    response: unknown
  }
  /** Create a link by which one person connects a service; it works once, in one browser */
  'POST /connect/sessions': {
    query: undefined
    body: {
      /** Where the person returns to, with a `code`; must be registered. */
      redirect_uri: string
      /** Add the profile to this account, after the person confirms. Default: their own, or a new one. */
      account?: string | undefined
      /** Offer only these. Default: all services of the app. */
      services?: string[] | undefined
      /** Language of the pages: en, de, fr, es, pt, ja or ar. Default: that of the browser. */
      locale?: string | undefined
      /** Returned unchanged in the redirect. */
      state?: string | undefined
      /** Overrides the service's default scope. */
      scope?: string | undefined
      /** What the person is called in the app, shown to them: a name or an email address. */
      label?: string | undefined
      /** Seconds for which the link works. */
      expires_in?: number | undefined
      /** PKCE with `S256`; required for a public client. */
      code_challenge?: string | undefined
    }
    response: NewConnectSession
  }
  /** Get a connect session: whether its link was used, and what was connected */
  'GET /connect/sessions/{id}': {
    query: undefined
    body: undefined
    response: ConnectSession
  }
  /** Revoke a connect session; its link and a sign-in that began with it end */
  'DELETE /connect/sessions/{id}': {
    query: undefined
    body: undefined
    response: ConnectSession
  }
  /** Get an app's logo; the address changes with the picture */
  'GET /apps/{client_id}/logo/{hash}': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get the picture of a service, 40 by 40: its mark, or the first letter of its title */
  'GET /marks/{file}': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Show the demo */
  'GET /demo': {
    query: {
      /** The page without scripts. */
      plain?: boolean | undefined
      /** Why the last sign-in failed. */
      error?: string | number | readonly (string | number)[] | undefined
      /** The same in a sentence. */
      error_description?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Demo app: connect Ada at every demo service */
  'POST /demo/start': {
    query: undefined
    body: Record<string, never>
    response: unknown
  }
  /** Demo app: begin a sign-in for this browser, which adds to its account */
  'GET /demo/connect': {
    query: {
      /** The demo service; without it, the page of the demo lists them. */
      service?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Demo app: redeem the code once and go back to the page of the demo */
  'GET /demo/callback': {
    query: {
      /** From the redirect. */
      code?: string | number | readonly (string | number)[] | undefined
      /** As the demo app created it. */
      state?: string | number | readonly (string | number)[] | undefined
      /** What went wrong. */
      error?: string | number | readonly (string | number)[] | undefined
      /** The same in a sentence. */
      error_description?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Demo app: get the demo services and this browser's account */
  'GET /demo/session': {
    query: undefined
    body: undefined
    response: DemoSession
  }
  /** Demo app: forget the account of this browser */
  'DELETE /demo/session': {
    query: undefined
    body: undefined
    response: {
      deleted: "session"
    }
  }
  /** Demo app: get the state of the demo services */
  'GET /demo/controls': {
    query: undefined
    body: undefined
    response: DemoControls[]
  }
  /** Demo app: change the demo services */
  'POST /demo/controls': {
    query: undefined
    body: {
      /** Only this service. Default: all. */
      service?: "demo-social" | "demo-micro" | "demo-health" | undefined
      /** `week_later`: a week passes in the data, with new, edited and deleted items. `down`, `up`: the service is unavailable, or available again. `revoke`: all access is revoked at the service. `throttle`, `unthrottle`: few calls are allowed, or the usual number. */
      action: "week_later" | "down" | "up" | "revoke" | "throttle" | "unthrottle"
    }
    response: DemoControls[]
  }
  /** Demo services: show a page or a picture */
  'GET /demo/services/{service}/{path}': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Demo services: submit the form of a page */
  'POST /demo/services/{service}/{path}': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Redirect a person to a service to sign in */
  'GET /oauth/authenticate': {
    query: {
      /** The app's client id. */
      client_id: string | number | readonly (string | number)[] | undefined
      /** Where to redirect the person; must equal a registered address. */
      redirect_uri: string | number | readonly (string | number)[] | undefined
      /** Another spelling of `redirect_uri`. */
      redirect_url?: string | number | readonly (string | number)[] | undefined
      /** The service to sign in to. */
      service: string | number | readonly (string | number)[] | undefined
      /** Overrides the service's default scope. */
      scope?: string | number | readonly (string | number)[] | undefined
      /** `code` (default) or `token`. */
      response_type?: string | number | readonly (string | number)[] | undefined
      /** A variant of the sign-in that some services have, e.g. `dm`. */
      flag?: string | number | readonly (string | number)[] | undefined
      /** Request a new login at the service. */
      force_login?: boolean | undefined
      /** Returned unchanged in the redirect. */
      state?: string | number | readonly (string | number)[] | undefined
      /** Language of the pages that people see here, e.g. `de`; otherwise that of the browser. */
      locale?: string | number | readonly (string | number)[] | undefined
      /** PKCE. */
      code_challenge?: string | number | readonly (string | number)[] | undefined
      /** `S256`. */
      code_challenge_method?: string | number | readonly (string | number)[] | undefined
      /** The person's server, for services with many; other questions of a service have their own names. */
      host?: string | number | readonly (string | number)[] | undefined
      /** The handle of the person, for services that find their server by it. */
      login_hint?: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Redirect a person to a service to sign in */
  'GET /oauth/authorize': {
    query: {
      /** The app's client id. */
      client_id: string | number | readonly (string | number)[] | undefined
      /** Where to redirect the person; must equal a registered address. */
      redirect_uri: string | number | readonly (string | number)[] | undefined
      /** Another spelling of `redirect_uri`. */
      redirect_url?: string | number | readonly (string | number)[] | undefined
      /** The service to sign in to. */
      service: string | number | readonly (string | number)[] | undefined
      /** Overrides the service's default scope. */
      scope?: string | number | readonly (string | number)[] | undefined
      /** `code` (default) or `token`. */
      response_type?: string | number | readonly (string | number)[] | undefined
      /** A variant of the sign-in that some services have, e.g. `dm`. */
      flag?: string | number | readonly (string | number)[] | undefined
      /** Request a new login at the service. */
      force_login?: boolean | undefined
      /** Returned unchanged in the redirect. */
      state?: string | number | readonly (string | number)[] | undefined
      /** Language of the pages that people see here, e.g. `de`; otherwise that of the browser. */
      locale?: string | number | readonly (string | number)[] | undefined
      /** PKCE. */
      code_challenge?: string | number | readonly (string | number)[] | undefined
      /** `S256`. */
      code_challenge_method?: string | number | readonly (string | number)[] | undefined
      /** The person's server, for services with many; other questions of a service have their own names. */
      host?: string | number | readonly (string | number)[] | undefined
      /** The handle of the person, for services that find their server by it. */
      login_hint?: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Receive the person from a service after the sign-in */
  'GET /auth/{service}/callback': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Receive the form of a service that posts the result of a sign-in */
  'POST /auth/{service}/callback': {
    query: undefined
    body: {
      [field: string]: unknown
    }
    response: unknown
  }
  /** Receive the person from a service after the sign-in */
  'GET /auth/{service}/callback/{registration}': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Receive the form of a service that posts the result of a sign-in */
  'POST /auth/{service}/callback/{registration}': {
    query: undefined
    body: {
      [field: string]: unknown
    }
    response: unknown
  }
  /** Ask the person what a service needs to know before the sign-in, such as the name of their server */
  'GET /oauth/ask': {
    query: {
      /** From the redirect that led here. */
      ticket: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Answer the questions before a sign-in; the fields of the page are named `field_` and the name of the question */
  'POST /oauth/ask': {
    query: undefined
    body: {
      /** From the page. */
      ticket: string
      answer?: "yes" | "no" | undefined
      [field: string]: unknown
    }
    response: unknown
  }
  /** Describe an app to services that identify apps by the address of such a document */
  'GET /oauth/clients/{client_id}/{document}': {
    query: undefined
    body: undefined
    response: ClientDocument
  }
  /** Ask the person which of their sites, companies or workspaces at a service they want to connect */
  'GET /oauth/choose': {
    query: {
      /** From the redirect that led here. */
      ticket: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Choose one of them; repeating the request returns the same result */
  'POST /oauth/choose': {
    query: undefined
    body: {
      /** From the page. */
      ticket: string
      /** The id of the one that was chosen. */
      tenant?: string | undefined
      answer?: "yes" | "no" | undefined
    }
    response: unknown
  }
  /** Ask the person for confirmation before a browser app gets a token or a profile joins an existing account */
  'GET /oauth/confirm': {
    query: {
      /** From the redirect that led here. */
      ticket: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Confirm or decline a sign-in; repeating the request returns the same result */
  'POST /oauth/confirm': {
    query: undefined
    body: {
      /** From the page. */
      ticket: string
      answer: "yes" | "no"
    }
    response: unknown
  }
  /** Ask the person for what a service requires: a key, a name and a password, an address */
  'GET /oauth/typed': {
    query: {
      /** From the redirect that led here. */
      state: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Sign in with what the person typed; a repeated request returns the same result */
  'POST /oauth/typed': {
    query: undefined
    body: {
      /** From the page. */
      state: string
      answer?: "yes" | "no" | undefined
      [field: string]: unknown
    }
    response: unknown
  }
  /** Sign in with a file that the person uploads on the page; a repeated request returns the same result */
  'POST /oauth/file': {
    query: {
      /** From the page. */
      state: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Redirect a person to a service to sign in again, by a link that the app created */
  'GET /oauth/reconnect': {
    query: {
      /** From the link. */
      ticket: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Exchange a code for an access token; this completes the sign-in */
  'POST /oauth/access_token': {
    query: undefined
    body: {
      /** The app's client id; or HTTP Basic. */
      client_id?: string | undefined
      /** The app's secret; or HTTP Basic. */
      client_secret?: string | undefined
      grant_type?: "authorization_code" | undefined
      /** From the redirect. */
      code: string
      /** If given, it must equal the address that the code was sent to. */
      redirect_uri?: string | undefined
      /** PKCE; required if the sign-in began with a challenge. */
      code_verifier?: string | undefined
      /** Add the `/profiles` object of all services, or of the one just used. */
      profile?: "all" | "last" | undefined
      /** With `profile`: add the services' tokens. */
      auth?: "0" | "1" | "true" | "yes" | "false" | "no" | undefined
      /** With `profile`: add the full profile records. */
      full?: "0" | "1" | "true" | "yes" | "false" | "no" | undefined
    }
    response: AccessToken
  }
  /** Revoke an access token (RFC 7009); without a secret, the token itself is the permission */
  'POST /oauth/revoke': {
    query: undefined
    body: {
      /** The app's client id; or HTTP Basic. */
      client_id?: string | undefined
      /** The app's secret; or HTTP Basic. */
      client_secret?: string | undefined
      /** The access token. */
      token: string
      /** Ignored. */
      token_type_hint?: string | undefined
    }
    response: Record<string, never>
  }
  /** Get the metadata of this authorization server (RFC 8414) */
  'GET /.well-known/oauth-authorization-server': {
    query: undefined
    body: undefined
    response: AuthorizationServer
  }
  /** Let a person sign in and decide what an agent may do */
  'GET /oauth/agents/authorize': {
    query: {
      /** The app's client id; the app must have agents turned on. */
      client_id?: string | number | readonly (string | number)[] | undefined
      /** Where the agent receives the person; must equal an address registered for agents. */
      redirect_uri?: string | number | readonly (string | number)[] | undefined
      /** `code`. */
      response_type?: string | number | readonly (string | number)[] | undefined
      /** PKCE, required. */
      code_challenge?: string | number | readonly (string | number)[] | undefined
      /** `S256`. */
      code_challenge_method?: string | number | readonly (string | number)[] | undefined
      /** With spaces between them. Default: all that read. */
      scope?: string | number | readonly (string | number)[] | undefined
      /** The address of the MCP endpoint (RFC 8707), required. */
      resource?: string | number | readonly (string | number)[] | undefined
      /** Returned unchanged in the redirect. */
      state?: string | number | readonly (string | number)[] | undefined
      /** The service to sign in at; without it the person chooses on a page. */
      service?: string | number | readonly (string | number)[] | undefined
      /** Language of the pages, e.g. `de`; otherwise that of the browser. */
      locale?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Receive a person who signed in for an agent, and go on to the consent */
  'GET /oauth/agents/signed-in': {
    query: {
      /** From the request. */
      state: string | number | readonly (string | number)[] | undefined
      /** Of the finished sign-in. */
      code?: string | number | readonly (string | number)[] | undefined
      /** Why it failed. */
      error?: string | number | readonly (string | number)[] | undefined
      /** Why it failed, as a sentence. */
      error_description?: string | number | readonly (string | number)[] | undefined
      /** Its description. */
      error_uri?: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Ask the person what an agent may do */
  'GET /oauth/agents/consent': {
    query: {
      /** From the redirect that led here. */
      ticket: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** Allow or decline what an agent asked for; repeating the request returns the same result */
  'POST /oauth/agents/consent': {
    query: undefined
    body: {
      /** From the page. */
      ticket: string
      answer: "yes" | "no"
      /** What the person allows. */
      scope?: string | string[] | undefined
    }
    response: unknown
  }
  /** Exchange the code or the refresh token of an agent for tokens for the MCP endpoint */
  'POST /oauth/agents/token': {
    query: undefined
    body: {
      /** Required. */
      grant_type?: "authorization_code" | "refresh_token" | undefined
      /** The app's client id. */
      client_id: string
      /** The address of the MCP endpoint (RFC 8707). */
      resource: string
      /** From the redirect. */
      code?: string | undefined
      /** The address that the code was sent to. */
      redirect_uri?: string | undefined
      /** PKCE. */
      code_verifier?: string | undefined
      /** Of the last response. */
      refresh_token?: string | undefined
      /** Ignored: the person decided. */
      scope?: string | undefined
    }
    response: {
      access_token: string
      token_type: "Bearer"
      expires_in: number
      refresh_token: string
      scope: string
    }
  }
  /** Revoke what a person allowed an agent (RFC 7009), by its access token or refresh token */
  'POST /oauth/agents/revoke': {
    query: undefined
    body: {
      /** The access token or the refresh token; the token itself is the permission. */
      token: string
      /** Ignored. */
      token_type_hint?: string | undefined
      /** Ignored. */
      client_id?: string | undefined
    }
    response: Record<string, never>
  }
  /** Get the metadata of the authorization server for agents (RFC 8414) */
  'GET /.well-known/oauth-authorization-server/mcp': {
    query: undefined
    body: undefined
    response: {
      issuer: string
      authorization_endpoint: string
      token_endpoint: string
      revocation_endpoint: string
      response_types_supported: string[]
      response_modes_supported: string[]
      grant_types_supported: string[]
      token_endpoint_auth_methods_supported: string[]
      revocation_endpoint_auth_methods_supported: string[]
      code_challenge_methods_supported: string[]
      authorization_response_iss_parameter_supported: boolean
      service_documentation: string
      scopes_supported: string[]
      client_id_metadata_document_supported: boolean
    }
  }
  /** Get the metadata of the MCP endpoint (RFC 9728) */
  'GET /.well-known/oauth-protected-resource/mcp': {
    query: undefined
    body: undefined
    response: {
      resource: string
      authorization_servers: string[]
      scopes_supported: string[]
      bearer_methods_supported: string[]
      resource_name: string
      resource_documentation: string
    }
  }
  /** Call the tools for agents (Model Context Protocol), with an access token for this address */
  'POST /mcp': {
    query: undefined
    body: undefined
    response: {
      jsonrpc: "2.0"
      id?: string | number | undefined
      result?: {
        [field: string]: unknown
      } | undefined
      error?: {
        code: number
        message: string
        data?: unknown
      } | undefined
    }
  }
  /** Create a link by which the person of one of the app's accounts sees and ends their connections */
  'POST /connections/sessions': {
    query: undefined
    body: {
      /** The account. */
      account: string
      /** A registered address of the app: the page leads back to its host. Default: the first one. */
      redirect_uri?: string | undefined
      /** Language of the page: en, de, fr, es, pt, ja or ar. Default: that of the browser. */
      locale?: string | undefined
    }
    response: ConnectionsLink
  }
  /** Create a link by which the person of the account sees and ends their connections */
  'POST /connections/link': {
    query: undefined
    body: {
      /** A registered address of the app: the page leads back to its host. Default: the first one. */
      redirect_uri?: string | undefined
      /** Language of the page: en, de, fr, es, pt, ja or ar. Default: that of the browser. */
      locale?: string | undefined
    }
    response: ConnectionsLink
  }
  /** Show a person their connections; with a link, ask whether to open the page in this browser */
  'GET /connections': {
    query: {
      /** From the link. */
      ticket?: string | number | readonly (string | number)[] | undefined
      /** Title of the service whose connection has ended. */
      ended?: string | number | readonly (string | number)[] | undefined
      /** Title of the service that was connected again. */
      reconnected?: string | number | readonly (string | number)[] | undefined
      /** What was just done: `reconnectFailed` or `agentEnded`. */
      notice?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Open the page of connections in this browser; the link is used up */
  'POST /connections/open': {
    query: undefined
    body: {
      /** From the link. */
      ticket: string
    }
    response: unknown
  }
  /** Ask a person whether to end a connection */
  'GET /connections/end': {
    query: {
      /** `id@service`. */
      profile: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: unknown
  }
  /** End a connection: erase the profile and revoke its token at the service; repeating it changes nothing */
  'POST /connections/end': {
    query: undefined
    body: {
      /** `id@service`. */
      profile: string
      /** From the page. */
      form: string
    }
    response: unknown
  }
  /** Let a person sign in again to a profile, and return to the page of connections */
  'POST /connections/reconnect': {
    query: undefined
    body: {
      /** `id@service`. */
      profile: string
      /** From the page. */
      form: string
    }
    response: unknown
  }
  /** Receive a person who signed in again, and go on to the page of connections */
  'GET /connections/reconnected': {
    query: {
      /** The profile. */
      reconnected?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** End the access of an agent; repeating it changes nothing */
  'POST /connections/agents/end': {
    query: undefined
    body: {
      /** From the page. */
      agent: string
      /** From the page. */
      form: string
    }
    response: unknown
  }
  /** Download everything that is stored about the person: profiles and items, one JSON document per line */
  'GET /connections/download': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Ask a person to type a word before everything is deleted */
  'GET /connections/delete': {
    query: {
      /** Another word was typed. */
      wrong?: boolean | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Delete the whole account after the person typed the word of the page */
  'POST /connections/delete': {
    query: undefined
    body: {
      /** As the page says. */
      word?: string | undefined
      /** From the page. */
      form: string
    }
    response: unknown
  }
  /** Tell a person that everything was deleted */
  'GET /connections/deleted': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** List what the person allowed agents to do */
  'GET /agents': {
    query: undefined
    body: undefined
    response: ({
      id: string
      scopes: string[]
      /** Where the agent received the person. */
      redirect_uri: string
      created_at: number
      /** When it ends, unless the agent refreshes it. */
      expires_at: number
    })[]
  }
  /** End the access of an agent at once */
  'DELETE /agents/{id}': {
    query: undefined
    body: undefined
    response: {
      deleted: string
    }
  }
  /** List the tokens for services */
  'GET /proxy-tokens': {
    query: undefined
    body: undefined
    response: ProxyToken[]
  }
  /** Create a token for one service; only the proxy accepts it */
  'POST /proxy-tokens': {
    query: undefined
    body: {
      /** `service`; or `id@service`, so that it is for this profile only, and ends with it. */
      service: string
      /** Only these methods; `GET` includes `HEAD`. Default: all. */
      methods?: string[] | undefined
      /** Only these paths, and what is below them. Default: all. */
      paths?: string[] | undefined
      /** What it is for, for those who read the list. */
      label?: string | undefined
      /** Seconds for which it is valid. Default: until it is revoked. */
      expires_in?: number | undefined
    }
    response: NewProxyToken
  }
  /** Revoke a token for a service; calls in progress end */
  'DELETE /proxy-tokens/{id}': {
    query: undefined
    body: undefined
    response: {
      deleted: string
    }
  }
  /** Attach a profile with a token that the app already has; prefer POST, which keeps secrets out of URLs */
  'GET /auth/{service}/apply': {
    query: {
      /** An access token of the service. May be missing if there is a `refresh_token`, or `fields`. */
      token?: string | number | readonly (string | number)[] | undefined
      /** For services based on OAuth 1; the password for HTTP Basic. */
      token_secret?: string | number | readonly (string | number)[] | undefined
      /** To renew the token. It is used at once if the token is missing, has expired or is refused. */
      refresh_token?: string | number | readonly (string | number)[] | undefined
      /** When the token expires, in epoch milliseconds. */
      expires_at?: string | number | readonly (string | number)[] | undefined
      /** The scope that was granted. */
      scope?: string | number | readonly (string | number)[] | undefined
      /** Addresses of the person’s own server by name: `api_url`, `base_url`, `token_url`. In a form as JSON. */
      instance?: string | number | readonly (string | number)[] | undefined
      /** What a person types, for a service without a login page; `GET /services` names the fields. In a form as JSON. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** The app's client id; or HTTP Basic. */
      client_id?: string | number | readonly (string | number)[] | undefined
      /** The app's secret; or HTTP Basic. */
      client_secret?: string | number | readonly (string | number)[] | undefined
      /** An existing account to attach the profile to. Default: a new account. */
      account?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: AppliedProfile
  }
  /** Attach a profile with a token that the app already has; prefer the body, which keeps secrets out of URLs */
  'POST /auth/{service}/apply': {
    query: {
      /** An access token of the service. May be missing if there is a `refresh_token`, or `fields`. */
      token?: string | number | readonly (string | number)[] | undefined
      /** For services based on OAuth 1; the password for HTTP Basic. */
      token_secret?: string | number | readonly (string | number)[] | undefined
      /** To renew the token. It is used at once if the token is missing, has expired or is refused. */
      refresh_token?: string | number | readonly (string | number)[] | undefined
      /** When the token expires, in epoch milliseconds. */
      expires_at?: string | number | readonly (string | number)[] | undefined
      /** The scope that was granted. */
      scope?: string | number | readonly (string | number)[] | undefined
      /** Addresses of the person’s own server by name: `api_url`, `base_url`, `token_url`. In a form as JSON. */
      instance?: string | number | readonly (string | number)[] | undefined
      /** What a person types, for a service without a login page; `GET /services` names the fields. In a form as JSON. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** The app's client id; or HTTP Basic. */
      client_id?: string | number | readonly (string | number)[] | undefined
      /** The app's secret; or HTTP Basic. */
      client_secret?: string | number | readonly (string | number)[] | undefined
      /** An existing account to attach the profile to. Default: a new account. */
      account?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: {
      /** An access token of the service. May be missing if there is a `refresh_token`, or `fields`. */
      token?: string | undefined
      /** For services based on OAuth 1; the password for HTTP Basic. */
      token_secret?: string | undefined
      /** To renew the token. It is used at once if the token is missing, has expired or is refused. */
      refresh_token?: string | undefined
      /** When the token expires, in epoch milliseconds. */
      expires_at?: number | undefined
      /** The scope that was granted. */
      scope?: string | undefined
      /** Addresses of the person’s own server by name: `api_url`, `base_url`, `token_url`. In a form as JSON. */
      instance?: {
        [field: string]: string
      } | string | undefined
      /** What a person types, for a service without a login page; `GET /services` names the fields. In a form as JSON. */
      fields?: {
        [field: string]: string
      } | string | undefined
      /** The app's client id; or HTTP Basic. */
      client_id?: string | undefined
      /** The app's secret; or HTTP Basic. */
      client_secret?: string | undefined
      /** An existing account to attach the profile to. Default: a new account. */
      account?: string | undefined
    }
    response: AppliedProfile
  }
  /** Attach profiles of up to 1000 people; results are keyed by the caller's own ids */
  'POST /auth/apply/batch': {
    query: undefined
    body: {
      /** The app's client id; or HTTP Basic. */
      client_id?: string | undefined
      /** The app's secret; or HTTP Basic. */
      client_secret?: string | undefined
      /** `{"id": "<your id>", "<service>": {"token", "token_secret"?, "refresh_token"?, "expires_at"?, "scope"?, "instance"?, "fields"?}}` */
      accounts: ({
        id: string
        [field: string]: unknown
      })[]
    }
    response: {
      [field: string]: BatchResult
    }
  }
  /** Move all profiles of one account into another; prefer POST */
  'GET /auth/merge': {
    query: {
      /** Access token of the account to merge; it ends. */
      source: string | number | readonly (string | number)[] | undefined
      /** Access token of the account to merge into. */
      dest: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: Profiles
  }
  /** Move all profiles of one account into another */
  'POST /auth/merge': {
    query: undefined
    body: {
      /** Access token of the account to merge; it ends. */
      source: string
      /** Access token of the account to merge into. */
      dest: string
    }
    response: Profiles
  }
  /** Get the person, merged from all profiles */
  'GET /profile': {
    query: undefined
    body: undefined
    response: OwnPerson
  }
  /** List all profiles of the account */
  'GET /profiles': {
    query: {
      /** Return objects with the full records instead of ids. */
      full?: boolean | undefined
      /** Return objects with the services' tokens; requires the app's secret. */
      auth?: boolean | undefined
      /** With `auth`; or HTTP Basic. */
      client_id?: string | number | readonly (string | number)[] | undefined
      /** With `auth`; or HTTP Basic. */
      client_secret?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Profiles
  }
  /** Delete the whole account, with its profiles and tokens */
  'DELETE /profiles': {
    query: undefined
    body: undefined
    response: Disconnected
  }
  /** Get the service's own record of a profile, as an item */
  'GET /profiles/{profile}': {
    query: {
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Item | SelectedItem
  }
  /** Disconnect profiles: erase them here and revoke their tokens at the service */
  'DELETE /profiles/{profile}': {
    query: undefined
    body: undefined
    response: Disconnected
  }
  /** Get whether the first sync is done, of the account and each profile; live with `Accept: text/event-stream` */
  'GET /sync': {
    query: undefined
    body: undefined
    response: {
      /** `first_sync` until every endpoint was read to its end once; then `complete`, unless something is wrong. `off`: nothing is read, and `off` says why. */
      state: "first_sync" | "complete" | "failing" | "paused" | "needs_auth" | "off"
      /** When everything that can be read had been read to its end for the first time. */
      first_completed_at?: number | undefined
      /** Items so far. */
      items: number
      /** Endpoints that were read to their end once, and all. */
      endpoints: {
        done: number
        of: number
      }
      /** Endpoints that are off and do not count, by the reason. */
      off?: {
        [field: string]: number
      } | undefined
      profiles: ({
        /** `first_sync` until every endpoint was read to its end once; then `complete`, unless something is wrong. `off`: nothing is read, and `off` says why. */
        state: "first_sync" | "complete" | "failing" | "paused" | "needs_auth" | "off"
        /** When everything that can be read had been read to its end for the first time. */
        first_completed_at?: number | undefined
        /** Items so far. */
        items: number
        /** Endpoints that were read to their end once, and all. */
        endpoints: {
          done: number
          of: number
        }
        /** Endpoints that are off and do not count, by the reason. */
        off?: {
          [field: string]: number
        } | undefined
        profile: string
        service: string
      })[]
    }
  }
  /** Export everything stored about the account: profiles and items, one JSON document per line */
  'GET /export': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Get the progress of a sync per endpoint; with `Accept: text/event-stream` follow it live */
  'GET /profiles/{profile}/sync': {
    query: undefined
    body: undefined
    response: SyncProgress
  }
  /** Request a sync now; `confirm_deletes=true` accepts all missing items as deleted */
  'POST /profiles/{profile}/sync': {
    query: {
      /** Accept what was reported as `suspect_deletes` as deleted. */
      confirm_deletes?: boolean | undefined
      /** Try parked endpoints again. */
      retry_parked?: boolean | undefined
      /** Read quarantined records again. */
      retry_quarantined?: boolean | undefined
    } | undefined
    body: {
      confirm_deletes?: boolean | undefined
      retry_parked?: boolean | undefined
      retry_quarantined?: boolean | undefined
    }
    response: SyncProgress
  }
  /** Forget all watermarks of a profile and read everything again */
  'POST /profiles/{profile}/reset': {
    query: undefined
    body: undefined
    response: SyncProgress
  }
  /** Pause the syncs of a profile; its items can still be read, and the proxy works */
  'POST /profiles/{profile}/pause': {
    query: undefined
    body: undefined
    response: ProfileWithState
  }
  /** Resume the syncs of a paused profile */
  'POST /profiles/{profile}/resume': {
    query: undefined
    body: undefined
    response: ProfileWithState
  }
  /** Create a link by which the person signs in again to a profile */
  'POST /profiles/{profile}/reconnect': {
    query: undefined
    body: {
      /** Where to redirect the person afterwards; may be missing if the app has only one. */
      redirect_uri?: string | undefined
      /** Overrides the service's default scope. */
      scope?: string | undefined
    }
    response: ReconnectLink
  }
  /** List the app's accounts with the states of their profiles, a page at a time */
  'GET /accounts': {
    query: {
      /** Maximum number of accounts. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** From the `Link` header of the previous page. */
      cursor?: string | number | readonly (string | number)[] | undefined
      /** Only accounts with a profile of this service. */
      service?: string | number | readonly (string | number)[] | undefined
      /** Only accounts with a profile in this state; with `service`, of this service. */
      state?: "connecting" | "active" | "needs_auth" | "limited" | "paused" | undefined
      /** The id of an account or a profile, or words of a name, a handle, an e-mail address or a native id; each may be the beginning. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Only accounts with a profile that has an endpoint whose last run failed. */
      failing?: boolean | undefined
      /** Only accounts with a profile that has an endpoint with this `last_reason`. */
      reason?: "access_denied" | "address_invalid" | "address_refused" | "address_wrong" | "answer_too_large" | "answer_unreadable" | "capacity" | "capacity_here" | "callback_unusable" | "callback_unconfirmed" | "checkpoint_stuck" | "code_missing" | "connector_fault" | "credential_damaged" | "discovery_failed" | "grant_refused" | "handle_unresolved" | "home_mismatch" | "issuer_mismatch" | "keys_refused" | "no_credential" | "no_refresh_token" | "not_found" | "not_supported" | "page_too_large" | "parameter_repeated" | "person_changed" | "position_lost" | "rate_limited" | "rate_limited_here" | "redirect_refused" | "refresh_busy" | "request_invalid" | "request_refused" | "request_token_mismatch" | "scope_missing" | "self_without_id" | "priced" | "service_failed" | "service_refused" | "service_timeout" | "service_unreachable" | "spending_limit_reached" | "subject_changed" | "subject_mismatch" | "subject_missing" | "token_unbound" | "unpaid" | "unexpected_answer" | "verifier_missing" | "walk_broken" | "walk_repeats" | "quota_reached" | "worker_died" | undefined
      /** Add `X-Total-Count`: the number of all accounts that match. */
      count?: boolean | undefined
    } | undefined
    body: undefined
    response: Account[]
  }
  /** Read what changed in all of the app's accounts after a cursor; waits with `wait`, or follows with `Accept: text/event-stream` */
  'GET /accounts/changes': {
    query: {
      /** `cursor` of the last response. Without one: everything there is. `now`: only what changes from now on. */
      cursor?: string | number | readonly (string | number)[] | undefined
      /** Maximum number of changes, up to 1000. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated list of types. A changed item without any of them is a `delete`. */
      types?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated list of `service` or `id@service`. */
      services?: string | number | readonly (string | number)[] | undefined
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
      /** If nothing changed, wait so many seconds for the next change, up to 30. */
      wait?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: {
      changes: ({
        change: "upsert"
        account: string
        profile: string
        item: {
          [field: string]: unknown
        }
      } | {
        change: "delete"
        account: string
        profile: string
        id: string
        idr: string
        deleted_at: number
      } | {
        change: "profile"
        profile: {
          id: string
          account: string
          profile: string
          service: string
          native_id: string
          name?: string | undefined
          handle?: string | undefined
          state: "connecting" | "active" | "needs_auth" | "limited" | "paused"
          connected_at: number
          merged_into?: string | undefined
        }
      } | {
        change: "profile_removed"
        profile: string
      } | {
        change: "event"
        event: {
          id: string
          type: string
          at: number
          data: {
            [field: string]: unknown
          }
        }
      })[]
      cursor: string
      more: boolean
    }
  }
  /** Stop recording changes for `GET /accounts/changes`; its cursors end */
  'DELETE /accounts/changes': {
    query: undefined
    body: undefined
    response: {
      deleted: boolean
    }
  }
  /** Get one of the app's accounts: its profiles, and how much of its quotas it uses */
  'GET /accounts/{id}': {
    query: undefined
    body: undefined
    response: AccountDetail
  }
  /** Erase one of the app's accounts: items, profiles, tokens, and rows at destinations; can be repeated */
  'DELETE /accounts/{id}': {
    query: undefined
    body: undefined
    response: {
      account: string
      /** `erasing` (202): repeat the request until it is `erased`. */
      state: "erased" | "erasing"
      erased_at?: number | undefined
      deleted: ({
        profile: string
        erased: true
        /** What was done with the token at the service. */
        service_token: "revoked" | "token_ended" | "kept" | "refused" | "unreachable" | "not_offered"
      })[]
    }
  }
  /** Export everything stored about one of the app's accounts: profiles and items, one JSON document per line */
  'GET /accounts/{id}/export': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** Create a link by which a person signs in again to a profile of one of the app's accounts */
  'POST /accounts/{id}/profiles/{profile}/reconnect': {
    query: undefined
    body: {
      /** Where to redirect the person afterwards; may be missing if the app has only one. */
      redirect_uri?: string | undefined
      /** Overrides the service's default scope. */
      scope?: string | undefined
    }
    response: ReconnectLink
  }
  /** Pause the syncs of a profile of one of the app's accounts */
  'POST /accounts/{id}/profiles/{profile}/pause': {
    query: undefined
    body: undefined
    response: ProfileWithState
  }
  /** Resume the syncs of a paused profile of one of the app's accounts */
  'POST /accounts/{id}/profiles/{profile}/resume': {
    query: undefined
    body: undefined
    response: ProfileWithState
  }
  /** List the tokens for services of one of the app's accounts */
  'GET /accounts/{id}/proxy-tokens': {
    query: undefined
    body: undefined
    response: ProxyToken[]
  }
  /** Create a token for one service of one of the app's accounts */
  'POST /accounts/{id}/proxy-tokens': {
    query: undefined
    body: {
      /** `service`; or `id@service`, so that it is for this profile only, and ends with it. */
      service: string
      /** Only these methods; `GET` includes `HEAD`. Default: all. */
      methods?: string[] | undefined
      /** Only these paths, and what is below them. Default: all. */
      paths?: string[] | undefined
      /** What it is for, for those who read the list. */
      label?: string | undefined
      /** Seconds for which it is valid. Default: until it is revoked. */
      expires_in?: number | undefined
    }
    response: NewProxyToken
  }
  /** Revoke a token for a service of one of the app's accounts */
  'DELETE /accounts/{id}/proxy-tokens/{token_id}': {
    query: undefined
    body: undefined
    response: {
      deleted: string
    }
  }
  /** Get how much of its quotas the app, or one of its accounts, uses */
  'GET /usage': {
    query: {
      /** Only this account. */
      account?: string | number | readonly (string | number)[] | undefined
      /** Only this profile of the account: `id@service`, a service, or its id. */
      profile?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Usage
  }
  /** Get what the endpoints that cost money have cost the app this month, by service */
  'GET /spending': {
    query: undefined
    body: undefined
    response: Spending
  }
  /** Switch endpoints that cost money on or off, and limit what the app spends in a month */
  'PATCH /spending': {
    query: undefined
    body: {
      /** `{"service/endpoint": true}` switches a priced endpoint on; `service/*` all of a service. */
      endpoints?: {
        [field: string]: boolean
      } | undefined
      /** `{"service": "25.00"}`: what may be spent in a month (UTC), in the currency of the service; `null`: no limit. */
      limits?: {
        [field: string]: string | null
      } | undefined
    }
    response: Spending
  }
  /** Confirm this address to a service that will send webhooks */
  'GET /hooks/{service}/{client_id}': {
    query: undefined
    body: undefined
    response: {
      [field: string]: unknown
    }
  }
  /** Receive a webhook of a service; the profiles it names are synced soon. A request that verifies the address gets its challenge back */
  'POST /hooks/{service}/{client_id}': {
    query: undefined
    body: undefined
    response: {
      /** Profiles that are synced soon. */
      woken: number
    } | {
      [field: string]: unknown
    }
  }
  /** Receive a service's request to delete everything that is stored of a person (Meta: data deletion callback) */
  'POST /hooks/{service}/{client_id}/deletion': {
    query: undefined
    body: undefined
    response: {
      /** A page with the status of the request, for the person. */
      url: string
      confirmation_code: string
    }
  }
  /** Receive the notice of a service that a person removed the app (Meta: deauthorize callback) */
  'POST /hooks/{service}/{client_id}/deauthorize': {
    query: undefined
    body: undefined
    response: {
      /** Profiles that need a new sign-in now. */
      ended: number
    }
  }
  /** Show a person the status of a deletion that was requested at a service */
  'GET /deletions/{code}': {
    query: {
      /** Language of the page, e.g. `de`; otherwise that of the browser. */
      locale?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Describe all services that sync, or those of `names`; with `client_id` or a token also whether the app has keys. With any other parameter: a list of services found, of the catalogue too */
  'GET /services': {
    query: {
      /** An app's client id. */
      client_id?: string | number | readonly (string | number)[] | undefined
      /** Names with commas between them: describe these, also services of the catalogue. */
      names?: string | number | readonly (string | number)[] | undefined
      /** Words, or beginnings of words, of a name, a title or a category; then the response is a list that may have any service. */
      q?: string | number | readonly (string | number)[] | undefined
      /** A list of the services that are for this. */
      category?: "business" | "communication" | "data" | "development" | "education" | "files" | "finance" | "games" | "health" | "identity" | "media" | "music" | "people" | "shops" | "travel" | "work" | "writing" | undefined
      /** A list of the services where people sign in like this. */
      auth?: "oauth2" | "oauth1" | "api_key" | "basic" | "typed" | "none" | "app_password" | "file" | undefined
      /** A list of the services whose items are read, or of the others. */
      synced?: boolean | undefined
      /** A list of the services that the app's people can choose, or of the others; with an app. */
      offered?: boolean | undefined
      /** Maximum number of services of a list; 50 without it. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** Of a list: from the `Link` header of the previous page. */
      cursor?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Services | FoundServices
  }
  /** Count the items of each endpoint of a service */
  'GET /services/{service}': {
    query: {
      /** Add oldest, newest and the last sync. */
      rich?: boolean | undefined
      /** Oldest time, inclusive. Default 0. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Newest time, inclusive. Default now. */
      until?: string | number | readonly (string | number)[] | undefined
      /** Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be. */
      max_staleness?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: ItemCounts
  }
  /** List items of one endpoint of a service */
  'GET /services/{service}/{endpoint}': {
    query: {
      /** Maximum number of items. Large responses are streamed. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** Oldest time, inclusive. Default 0. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Newest time, inclusive. Default now. */
      until?: string | number | readonly (string | number)[] | undefined
      /** Only items whose content changed at this time or later (their `updated`), inclusive. */
      updated_since?: string | number | readonly (string | number)[] | undefined
      /** Only items after this one: `<at>_<id>` of the last item read. */
      before?: string | number | readonly (string | number)[] | undefined
      /** `desc` newest first, `asc` oldest first. */
      sort?: "asc" | "desc" | undefined
      /** Full-text search: words and symbols, `"phrases"`, `-excluded`, `prefix*`. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated; all must match: `id`, `self`, `^id` (author), `^self`, `>n` (at least n). */
      participants?: string | number | readonly (string | number)[] | undefined
      /** `<latitude>,<longitude>`: only items with a place within `within` of it. */
      near?: string | number | readonly (string | number)[] | undefined
      /** Kilometres around `near`. */
      within?: string | number | readonly (string | number)[] | undefined
      /** Leave out copies: of one thing, only the earliest item that matches the query. */
      dedup?: boolean | undefined
      /** Add `copy_of` to copies: the id of the earliest item that they are copies of and that matches the query. */
      copy_of?: boolean | undefined
      /** Only items that link to this page, or are it. */
      link?: string | number | readonly (string | number)[] | undefined
      /** Add `X-Total-Count`: how many items match, on all pages. */
      count?: boolean | undefined
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
      /** Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be. */
      max_staleness?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: (Item | SelectedItem)[]
  }
  /** Get an item by its id at the service */
  'GET /services/{service}/{endpoint}/{id}': {
    query: {
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
      /** Redirect to the item's media: a file or a picture. */
      media?: boolean | undefined
      /** Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be. */
      max_staleness?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Item | SelectedItem
  }
  /** List the app's own items of one endpoint */
  'GET /services/self/{endpoint}': {
    query: {
      /** Maximum number of items. Large responses are streamed. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** Oldest time, inclusive. Default 0. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Newest time, inclusive. Default now. */
      until?: string | number | readonly (string | number)[] | undefined
      /** Only items whose content changed at this time or later (their `updated`), inclusive. */
      updated_since?: string | number | readonly (string | number)[] | undefined
      /** Only items after this one: `<at>_<id>` of the last item read. */
      before?: string | number | readonly (string | number)[] | undefined
      /** `desc` newest first, `asc` oldest first. */
      sort?: "asc" | "desc" | undefined
      /** Full-text search: words and symbols, `"phrases"`, `-excluded`, `prefix*`. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated; all must match: `id`, `self`, `^id` (author), `^self`, `>n` (at least n). */
      participants?: string | number | readonly (string | number)[] | undefined
      /** `<latitude>,<longitude>`: only items with a place within `within` of it. */
      near?: string | number | readonly (string | number)[] | undefined
      /** Kilometres around `near`. */
      within?: string | number | readonly (string | number)[] | undefined
      /** Leave out copies: of one thing, only the earliest item that matches the query. */
      dedup?: boolean | undefined
      /** Add `copy_of` to copies: the id of the earliest item that they are copies of and that matches the query. */
      copy_of?: boolean | undefined
      /** Only items that link to this page, or are it. */
      link?: string | number | readonly (string | number)[] | undefined
      /** Add `X-Total-Count`: how many items match, on all pages. */
      count?: boolean | undefined
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
      /** Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be. */
      max_staleness?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: (Item | SelectedItem)[]
  }
  /** Store the app's own items for the account; items with a known id are replaced */
  'POST /services/self/{endpoint}': {
    query: undefined
    body: ({
      /** Unique among the items of this endpoint. */
      id: string | number
      /** Epoch milliseconds. Default: now. */
      at?: number | undefined
      /** A type such as `photos`; the item is then also listed at `/types/*`. */
      type?: string | undefined
      /** Dedupe keys, separated by spaces: items that share one are copies of one thing. */
      guid?: unknown
      /** Degrees north. Only with `lng`. */
      lat?: number | undefined
      /** Degrees east. Only with `lat`. */
      lng?: number | undefined
      [field: string]: unknown
    })[]
    response: StoredItems
  }
  /** Get one of the app's own items by its id */
  'GET /services/self/{endpoint}/{id}': {
    query: {
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
      /** Redirect to the item's media: a file or a picture. */
      media?: boolean | undefined
      /** Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be. */
      max_staleness?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Item | SelectedItem
  }
  /** Delete one of the app's own items */
  'DELETE /services/self/{endpoint}/{id}': {
    query: undefined
    body: undefined
    response: Deleted
  }
  /** Upload a file of records for the account: calendars (.ics), contacts (.vcf) or a ZIP archive with such files */
  'POST /uploads/{service}': {
    query: undefined
    body: undefined
    response: UploadedFile
  }
  /** Count the items of each type */
  'GET /types': {
    query: {
      /** Add oldest and newest. */
      rich?: boolean | undefined
      /** Oldest time, inclusive. Default 0. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Newest time, inclusive. Default now. */
      until?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated list of `service` or `id@service`. */
      services?: string | number | readonly (string | number)[] | undefined
      /** Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be. */
      max_staleness?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: ItemCounts
  }
  /** List items of one type, of all services */
  'GET /types/{type}': {
    query: {
      /** Maximum number of items. Large responses are streamed. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** Oldest time, inclusive. Default 0. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Newest time, inclusive. Default now. */
      until?: string | number | readonly (string | number)[] | undefined
      /** Only items whose content changed at this time or later (their `updated`), inclusive. */
      updated_since?: string | number | readonly (string | number)[] | undefined
      /** Only items after this one: `<at>_<id>` of the last item read. */
      before?: string | number | readonly (string | number)[] | undefined
      /** `desc` newest first, `asc` oldest first. */
      sort?: "asc" | "desc" | undefined
      /** Full-text search: words and symbols, `"phrases"`, `-excluded`, `prefix*`. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated; all must match: `id`, `self`, `^id` (author), `^self`, `>n` (at least n). */
      participants?: string | number | readonly (string | number)[] | undefined
      /** `<latitude>,<longitude>`: only items with a place within `within` of it. */
      near?: string | number | readonly (string | number)[] | undefined
      /** Kilometres around `near`. */
      within?: string | number | readonly (string | number)[] | undefined
      /** Leave out copies: of one thing, only the earliest item that matches the query. */
      dedup?: boolean | undefined
      /** Add `copy_of` to copies: the id of the earliest item that they are copies of and that matches the query. */
      copy_of?: boolean | undefined
      /** Only items that link to this page, or are it. */
      link?: string | number | readonly (string | number)[] | undefined
      /** Add `X-Total-Count`: how many items match, on all pages. */
      count?: boolean | undefined
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
      /** Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be. */
      max_staleness?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated list of `service` or `id@service`. */
      services?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: (PhotoItem | VideoItem | StatusItem | NewsItem | CheckinItem | EventItem | MessageItem | FileItem | TrackItem | ActivityItem | MeasureItem | ContactItem | SelectedItem)[]
  }
  /** Get an item by its global id or URL-encoded IDR */
  'GET /id/{id}': {
    query: {
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
      /** Redirect to the item's media: a file or a picture. */
      media?: boolean | undefined
      /** Items may be as they were this many seconds ago. Where the operator has a replica that is recent enough, they are read there. `X-Staleness` says how old they may be. */
      max_staleness?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Item | SelectedItem
  }
  /** List people: the contacts of all services, grouped by who they are */
  'GET /people': {
    query: {
      /** Maximum number of people, up to 500. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** Only people after this position, from the `Link` header of the page before. */
      cursor?: string | number | readonly (string | number)[] | undefined
      /** Beginnings of words of the name, handle or e-mail address. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated list of `service` or `id@service`. */
      services?: string | number | readonly (string | number)[] | undefined
      /** Add the header `X-Total-Count`. */
      count?: boolean | undefined
    } | undefined
    body: undefined
    response: Person[]
  }
  /** Get a person, with the newest items in which they appear */
  'GET /people/{id}': {
    query: {
      /** Maximum number of items, up to 100. */
      limit?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: PersonDetail
  }
  /** List the items in which a person appears, as author or participant */
  'GET /people/{id}/items': {
    query: {
      /** Maximum number of items. Large responses are streamed. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** Oldest time, inclusive. Default 0. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Newest time, inclusive. Default now. */
      until?: string | number | readonly (string | number)[] | undefined
      /** Only items whose content changed at this time or later (their `updated`), inclusive. */
      updated_since?: string | number | readonly (string | number)[] | undefined
      /** Only items after this one: `<at>_<id>` of the last item read. */
      before?: string | number | readonly (string | number)[] | undefined
      /** `desc` newest first, `asc` oldest first. */
      sort?: "asc" | "desc" | undefined
      /** Full-text search: words and symbols, `"phrases"`, `-excluded`, `prefix*`. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated; all must match: `id`, `self`, `^id` (author), `^self`, `>n` (at least n). */
      participants?: string | number | readonly (string | number)[] | undefined
      /** `<latitude>,<longitude>`: only items with a place within `within` of it. */
      near?: string | number | readonly (string | number)[] | undefined
      /** Kilometres around `near`. */
      within?: string | number | readonly (string | number)[] | undefined
      /** Leave out copies: of one thing, only the earliest item that matches the query. */
      dedup?: boolean | undefined
      /** Add `copy_of` to copies: the id of the earliest item that they are copies of and that matches the query. */
      copy_of?: boolean | undefined
      /** Only items that link to this page, or are it. */
      link?: string | number | readonly (string | number)[] | undefined
      /** Add `X-Total-Count`: how many items match, on all pages. */
      count?: boolean | undefined
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated list of `service` or `id@service`. */
      services?: string | number | readonly (string | number)[] | undefined
      /** Only items of this type. */
      type?: "photos" | "videos" | "statuses" | "news" | "checkins" | "events" | "messages" | "files" | "tracks" | "activities" | "measures" | "contacts" | "photos_feed" | "videos_feed" | "statuses_feed" | "news_feed" | "checkins_feed" | "all" | "all_feed" | undefined
    } | undefined
    body: undefined
    response: (PhotoItem | VideoItem | StatusItem | NewsItem | CheckinItem | EventItem | MessageItem | FileItem | TrackItem | ActivityItem | MeasureItem | ContactItem | SelectedItem)[]
  }
  /** Join people: all their contacts are one person from now on, whatever they say */
  'POST /people/join': {
    query: undefined
    body: {
      /** For each person the global id or IDR of any of their contacts. */
      people: string[]
    }
    response: {
      decision: PeopleDecision
      /** Those whom the decision is about, as they are now. */
      people: Person[]
    }
  }
  /** Split a person: the given contacts are another person from now on, whatever they say */
  'POST /people/{id}/split': {
    query: undefined
    body: {
      /** Global ids or IDRs of contacts of this person. */
      contacts: string[]
    }
    response: {
      decision: PeopleDecision
      /** Those whom the decision is about, as they are now. */
      people: Person[]
    }
  }
  /** List the decisions about people of the account, the oldest first */
  'GET /people/decisions': {
    query: undefined
    body: undefined
    response: PeopleDecision[]
  }
  /** Undo a decision about people: what contacts say counts again */
  'DELETE /people/decisions/{id}': {
    query: undefined
    body: undefined
    response: Deleted
  }
  /** Read what changed after a cursor: items, deletions and removed profiles */
  'GET /changes': {
    query: {
      /** `cursor` of the last response. Without one: everything there is. `now`: only what changes from now on. */
      cursor?: string | number | readonly (string | number)[] | undefined
      /** Maximum number of changes, up to 1000. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated list of types. A changed item without any of them is a `delete`. */
      types?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated list of `service` or `id@service`. */
      services?: string | number | readonly (string | number)[] | undefined
      /** Add `map` with normalised data. */
      map?: boolean | undefined
      /** Comma-separated paths. Returns a flat object keyed by path; a missing field is null. */
      fields?: string | number | readonly (string | number)[] | undefined
      /** Comma-separated paths. Keeps the structure of the item; missing fields are left out. */
      select?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Changes
  }
  /** List the app's destinations, with state and lag */
  'GET /push': {
    query: undefined
    body: undefined
    response: Destination[]
  }
  /** Add a destination: deliver everything to it, then every change */
  'POST /push': {
    query: undefined
    body: {
      name: string
      kind: "postgres" | "mysql" | "clickhouse" | "webhook" | "files" | "nats"
      /** A connection string or web address. Sealed at rest, and shown without its secrets. */
      url: string
      /** API paths with their parameters, e.g. `/types/photos?q=cat`; `*` for all. */
      filter?: string[] | undefined
      /** `on_change`, `every 15m`, `<cron> [zone]` or `manual`. */
      schedule?: string | undefined
      /** `quiet_hours`, `events` (webhook) and the options of the kind (`schema`, `deletes`); unknown ones are refused. */
      options?: {
        [field: string]: unknown
      } | undefined
    }
    response: CreatedDestination
  }
  /** List the kinds of destinations, each with the options that it accepts */
  'GET /push/kinds': {
    query: undefined
    body: undefined
    response: DestinationKind[]
  }
  /** Get the SQL that creates a database role with the rights that deliveries require */
  'GET /push/rights': {
    query: {
      /** A kind of database with roles. */
      kind: "postgres" | "mysql" | undefined
      /** The schema (postgres) or database (mysql). */
      place?: string | number | readonly (string | number)[] | undefined
    }
    body: undefined
    response: RightsScript
  }
  /** Test a destination before it is added: connect, check rights, write and roll back */
  'POST /push/test': {
    query: undefined
    body: {
      kind: "postgres" | "mysql" | "clickhouse" | "webhook" | "files" | "nats"
      /** A connection string or web address. Sealed at rest, and shown without its secrets. */
      url: string
      /** API paths with their parameters, e.g. `/types/photos?q=cat`; `*` for all. */
      filter?: string[] | undefined
      /** `quiet_hours`, `events` (webhook) and the options of the kind (`schema`, `deletes`); unknown ones are refused. */
      options?: {
        [field: string]: unknown
      } | undefined
    }
    response: DestinationTest
  }
  /** Preview what a destination would get: tables, columns, a few rows, and how many */
  'POST /push/preview': {
    query: undefined
    body: {
      kind: "postgres" | "mysql" | "clickhouse" | "webhook" | "files" | "nats"
      /** API paths with their parameters, e.g. `/types/photos?q=cat`; `*` for all. */
      filter?: string[] | undefined
    }
    response: DestinationPreview
  }
  /** Get a destination: state, lag, last error, counts */
  'GET /push/{id}': {
    query: undefined
    body: undefined
    response: Destination
  }
  /** Change name, address, filter, schedule or options of a destination */
  'PATCH /push/{id}': {
    query: undefined
    body: {
      name?: string | undefined
      /** A connection string or web address. Sealed at rest, and shown without its secrets. */
      url?: string | undefined
      filter?: string[] | undefined
      schedule?: string | undefined
      options?: {
        [field: string]: unknown
      } | undefined
    }
    response: Destination
  }
  /** Delete a destination; `drop=true` also drops the tables that Tributary created */
  'DELETE /push/{id}': {
    query: {
      /** Also remove what Tributary created at the destination. */
      drop?: boolean | undefined
    } | undefined
    body: undefined
    response: Deleted
  }
  /** Pause a destination; changes are delivered after it is resumed */
  'POST /push/{id}/pause': {
    query: undefined
    body: undefined
    response: Destination
  }
  /** Resume a paused, parked or disabled destination */
  'POST /push/{id}/resume': {
    query: undefined
    body: undefined
    response: Destination
  }
  /** Test a destination: connect, check rights, write and roll back, count what the filter matches */
  'POST /push/{id}/test': {
    query: undefined
    body: undefined
    response: DestinationTest
  }
  /** Deliver pending changes now, whatever the schedule */
  'POST /push/{id}/run': {
    query: undefined
    body: undefined
    response: StartedDelivery
  }
  /** Deliver everything again from the beginning */
  'POST /push/{id}/backfill': {
    query: undefined
    body: undefined
    response: StartedDelivery
  }
  /** Deliver again what changed since a time or a sequence number */
  'POST /push/{id}/replay': {
    query: undefined
    body: {
      /** Epoch ms. */
      since?: number | undefined
      /** Sequence number of the first change; counted per profile. */
      seq?: number | undefined
      /** Only this profile. */
      profile?: string | undefined
    }
    response: StartedDelivery
  }
  /** Try the dead letters again, all or those of one profile */
  'POST /push/{id}/redrive': {
    query: undefined
    body: {
      /** Only this profile. */
      profile?: string | undefined
    }
    response: StartedDelivery
  }
  /** Compare the tables with the store row by row; with `repair` also correct differences */
  'POST /push/{id}/verify': {
    query: undefined
    body: {
      /** Deliver differing rows again and delete extra ones. */
      repair?: boolean | undefined
      /** `next` of the previous response, to continue. */
      after?: string | undefined
    }
    response: Verification
  }
  /** Create a new signing secret of a webhook; the previous one also signs until the next rotation */
  'POST /push/{id}/rotate-secret': {
    query: undefined
    body: undefined
    response: SigningSecret
  }
  /** List deliveries to a destination, newest first */
  'GET /push/{id}/deliveries': {
    query: {
      /** Maximum number of entries. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** The id of the last entry seen; older ones follow. */
      before?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Delivery[]
  }
  /** List dead letters: rows that the destination rejected, with the reason */
  'GET /push/{id}/dead-letters': {
    query: {
      /** Maximum number of entries. */
      limit?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: DeadLetter[]
  }
  /** Count the dead letters of a destination by their reason */
  'GET /push/{id}/dead-letters/reasons': {
    query: undefined
    body: undefined
    response: DeadLetterReason[]
  }
  /** Get the throughput and the lag of a destination over time */
  'GET /push/{id}/history': {
    query: {
      /** Epoch ms. Default: a day ago. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Length of a period in ms, at least 60000; at most 500 periods. */
      step?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: DeliveryPeriod[]
  }
  /** Call the service's own API with the person's credential; any method and body, streamed both ways */
  'GET /proxy/{service}/{path}': {
    query: {
      /** Return all pages of a listing as one streamed array; GET only. */
      paginate?: boolean | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Call the service's own API with the person's credential; any method and body, streamed both ways */
  'POST /proxy/{service}/{path}': {
    query: {
      /** Return all pages of a listing as one streamed array; GET only. */
      paginate?: boolean | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Call the service's own API with the person's credential; any method and body, streamed both ways */
  'PUT /proxy/{service}/{path}': {
    query: {
      /** Return all pages of a listing as one streamed array; GET only. */
      paginate?: boolean | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Call the service's own API with the person's credential; any method and body, streamed both ways */
  'PATCH /proxy/{service}/{path}': {
    query: {
      /** Return all pages of a listing as one streamed array; GET only. */
      paginate?: boolean | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Call the service's own API with the person's credential; any method and body, streamed both ways */
  'DELETE /proxy/{service}/{path}': {
    query: {
      /** Return all pages of a listing as one streamed array; GET only. */
      paginate?: boolean | undefined
    } | undefined
    body: undefined
    response: unknown
  }
  /** Get the state of the installation at a glance: profiles, items per hour, lag, failures, limits, health */
  'GET /admin/overview': {
    query: undefined
    body: undefined
    response: Overview
  }
  /** Who is signed in to the dashboard in this browser */
  'GET /dashboard/session': {
    query: undefined
    body: undefined
    response: DashboardSession
  }
  /** Sign in to the dashboard with a password; again for dangerous actions */
  'POST /dashboard/session': {
    query: undefined
    body: {
      name: string
      password: string
    }
    response: DashboardSession
  }
  /** Sign out of the dashboard in this browser */
  'DELETE /dashboard/session': {
    query: {
      /** `true`: in every browser of this operator. */
      everywhere?: boolean | undefined
    } | undefined
    body: undefined
    response: {
      ended: number
    }
  }
  /** Sign the visitor of the demo in as its operator, on this machine only and while nobody else operates */
  'POST /dashboard/session/demo': {
    query: undefined
    body: undefined
    response: DashboardSession
  }
  /** What a passkey signs to sign in to the dashboard */
  'POST /dashboard/session/challenge': {
    query: undefined
    body: undefined
    response: {
      challenge: string
      rp_id: string
    }
  }
  /** Sign in to the dashboard with a passkey */
  'POST /dashboard/session/passkey': {
    query: undefined
    body: {
      /** base64url */
      id: string
      /** base64url */
      client_data_json: string
      /** base64url */
      authenticator_data: string
      /** base64url */
      signature: string
    }
    response: DashboardSession
  }
  /** What a link for an operator offers, without using it */
  'POST /dashboard/link': {
    query: undefined
    body: {
      /** What stands behind `#` in the link. */
      token: string
    }
    response: {
      new_operator: boolean
      name?: string | undefined
      /** `operator`: everything. `developer`: certain apps with their accounts. */
      role: "operator" | "developer"
      /** A developer's apps (`client_id`). */
      apps: string[]
      expires_at: number
      passkeys: boolean
    }
  }
  /** What an authenticator creates a passkey from, for a link */
  'POST /dashboard/link/passkey': {
    query: undefined
    body: {
      /** What stands behind `#` in the link. */
      token: string
      name: string
    }
    response: PasskeyCreation
  }
  /** Use a link: choose a name and a password or passkey, and sign in */
  'POST /dashboard/link/accept': {
    query: undefined
    body: {
      /** What stands behind `#` in the link. */
      token: string
      name?: string | undefined
      password?: string | undefined
      passkey?: {
        name: string
        registration: {
          /** base64url */
          id: string
          /** base64url */
          client_data_json: string
          /** base64url */
          authenticator_data: string
          /** base64url */
          public_key: string
        }
      } | undefined
    }
    response: DashboardSession
  }
  /** Set one's own password; other sessions end */
  'PUT /dashboard/password': {
    query: undefined
    body: {
      password: string
    }
    response: {
      /** How many other sessions ended. */
      ended: number
    }
  }
  /** List one's own passkeys */
  'GET /dashboard/passkeys': {
    query: undefined
    body: undefined
    response: ({
      id: string
      name: string
      created_at: number
      used_at?: number | undefined
    })[]
  }
  /** Add a passkey of one's own */
  'POST /dashboard/passkeys': {
    query: undefined
    body: {
      name: string
      registration: {
        /** base64url */
        id: string
        /** base64url */
        client_data_json: string
        /** base64url */
        authenticator_data: string
        /** base64url */
        public_key: string
      }
    }
    response: {
      id: string
    }
  }
  /** What an authenticator creates one's own passkey from */
  'POST /dashboard/passkeys/options': {
    query: undefined
    body: undefined
    response: PasskeyCreation
  }
  /** Remove a passkey of one's own */
  'DELETE /dashboard/passkeys/{id}': {
    query: undefined
    body: undefined
    response: {
      deleted: string
    }
  }
  /** Make a link with which this browser saves the export of an account: for a minute, once, in this session */
  'POST /dashboard/exports': {
    query: undefined
    body: {
      account: string
    }
    response: ExportLink
  }
  /** Download the export of an account by a link of the dashboard, as a file */
  'GET /dashboard/exports/{account}/{ticket}': {
    query: undefined
    body: undefined
    response: unknown
  }
  /** List the operators and developers */
  'GET /admin/operators': {
    query: undefined
    body: undefined
    response: Operator[]
  }
  /** Create a link with which a person becomes an operator or developer; it works once */
  'POST /admin/operators': {
    query: undefined
    body: {
      /** A proposal; the person may choose another one. */
      name?: string | undefined
      /** `operator`: everything. `developer`: certain apps with their accounts. */
      role: "operator" | "developer"
      /** A developer's apps (`client_id`). */
      apps?: string[] | undefined
    }
    response: OperatorLink
  }
  /** List the links for operators that nobody used yet */
  'GET /admin/operators/links': {
    query: undefined
    body: undefined
    response: OpenOperatorLink[]
  }
  /** Revoke a link for an operator */
  'DELETE /admin/operators/links/{id}': {
    query: undefined
    body: undefined
    response: Deleted
  }
  /** Change the name, role or apps of an operator; their sessions get it at once */
  'PATCH /admin/operators/{id}': {
    query: undefined
    body: {
      name?: string | undefined
      /** `operator`: everything. `developer`: certain apps with their accounts. */
      role?: "operator" | "developer" | undefined
      /** A developer's apps (`client_id`). */
      apps?: string[] | undefined
    }
    response: Operator
  }
  /** Remove an operator and end their sessions */
  'DELETE /admin/operators/{id}': {
    query: undefined
    body: undefined
    response: Deleted
  }
  /** Create a link with which an operator sets a new password or passkey; it works once, replaces those before, and ends their sessions */
  'POST /admin/operators/{id}/link': {
    query: undefined
    body: undefined
    response: OperatorLink
  }
  /** End every session of an operator */
  'DELETE /admin/operators/{id}/sessions': {
    query: undefined
    body: undefined
    response: {
      ended: number
    }
  }
  /** List the sessions in the dashboard; a developer gets their own */
  'GET /admin/sessions': {
    query: undefined
    body: undefined
    response: OperatorSession[]
  }
  /** End a session in the dashboard */
  'DELETE /admin/sessions/{id}': {
    query: undefined
    body: undefined
    response: Deleted
  }
  /** Read the audit log, newest first; a developer gets the entries of their apps */
  'GET /admin/audit': {
    query: {
      /** An app's client id. */
      app?: string | number | readonly (string | number)[] | undefined
      /** `admin`, `cli`, `operator:<id>`, `app:<id>`, `account:<id>`, `person`, … */
      actor?: string | number | readonly (string | number)[] | undefined
      /** Such as `app.create`. */
      action?: string | number | readonly (string | number)[] | undefined
      /** An account's id. */
      account?: string | number | readonly (string | number)[] | undefined
      /** From this time on, in milliseconds. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Before this time, in milliseconds. */
      until?: string | number | readonly (string | number)[] | undefined
      /** `next` of the page before. */
      cursor?: string | number | readonly (string | number)[] | undefined
      /** Entries per page. */
      limit?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: {
      entries: AuditEntry[]
      /** The cursor of the next page. */
      next?: string | undefined
    }
  }
  /** How this installation is set up, without secrets */
  'GET /admin/settings': {
    query: undefined
    body: undefined
    response: Settings
  }
  /** List all apps; a developer gets theirs */
  'GET /admin/apps': {
    query: undefined
    body: undefined
    response: App[]
  }
  /** Create an app; the secret is shown only once */
  'POST /admin/apps': {
    query: undefined
    body: {
      /** The name that people see when they are asked for consent. */
      name: string
      /** Addresses that people are redirected to; compared exactly. */
      redirect_uris: string[]
      /** Allow `response_type=token`. Default true. */
      token_flow?: boolean | undefined
      /** A public client: it exchanges codes by PKCE, without its secret. Default false. */
      public?: boolean | undefined
      /** Tokens that apply accepts: only those that the service confirms it issued to this app, or any. Default `proven`. */
      apply?: "proven" | "any" | undefined
      /** How the app looks on the pages that people see. `null` removes a value. */
      branding?: {
        color?: string | null | undefined
        privacy_url?: string | null | undefined
        logo?: string | null | undefined
      } | undefined
    }
    response: CreatedApp
  }
  /** Get an app, with the age of its secrets */
  'GET /admin/apps/{client_id}': {
    query: undefined
    body: undefined
    response: AppDetail
  }
  /** Change the name, redirect addresses, flows, branding or offered services of an app */
  'PATCH /admin/apps/{client_id}': {
    query: undefined
    body: {
      /** The name that people see when they are asked for consent. */
      name?: string | undefined
      /** Addresses that people are redirected to; compared exactly. */
      redirect_uris?: string[] | undefined
      /** Allow `response_type=token`. Default true. */
      token_flow?: boolean | undefined
      /** A public client: it exchanges codes by PKCE, without its secret. Default false. */
      public?: boolean | undefined
      /** Tokens that apply accepts: only those that the service confirms it issued to this app, or any. Default `proven`. */
      apply?: "proven" | "any" | undefined
      /** How the app looks on the pages that people see. `null` removes a value. */
      branding?: {
        color?: string | null | undefined
        privacy_url?: string | null | undefined
        logo?: string | null | undefined
      } | undefined
      /** Names of the services that people may connect, also of some that need no keys; `null` for all that the app has keys for. What is connected stays. */
      services?: string[] | null | undefined
      /** Lets agents act over MCP for people who consent. `null` turns it off and ends their access at once. */
      agents?: {
        /** Addresses that agents receive people at; compared exactly. */
        redirect_uris: string[]
        /** Services that an agent may write to, if the person allows it too. Default none. */
        write_services?: string[] | undefined
      } | null | undefined
    }
    response: App
  }
  /** Delete an app and its keys; with `erase=true` also all accounts and their data, in the background */
  'DELETE /admin/apps/{client_id}': {
    query: {
      /** Revoke all tokens at the services, erase all accounts, and delete their rows at destinations. */
      erase?: boolean | undefined
      /** Do not wait for destinations any longer. */
      give_up?: boolean | undefined
    } | undefined
    body: undefined
    response: Deleted
  }
  /** List apps that are being deleted with their accounts, and those that were */
  'GET /admin/deletions': {
    query: undefined
    body: undefined
    response: AppDeletion[]
  }
  /** Create a new secret; the previous one expires after an overlap */
  'POST /admin/apps/{client_id}/rotate-secret': {
    query: undefined
    body: {
      /** How long the previous secret remains valid. */
      overlap_seconds?: number | undefined
    }
    response: RotatedApp
  }
  /** End a replaced secret of an app now, before its overlap is over */
  'DELETE /admin/apps/{client_id}/secrets/{id}': {
    query: undefined
    body: undefined
    response: Deleted
  }
  /** Get the sync rules of an app */
  'GET /admin/apps/{client_id}/sync': {
    query: undefined
    body: undefined
    response: SyncRules
  }
  /** Set the sync rules of an app: switch classes of endpoints off, or set intervals of endpoints */
  'PUT /admin/apps/{client_id}/sync': {
    query: undefined
    body: SyncRules
    response: SyncRules
  }
  /** Get the state of an app at a glance: profiles, items per hour, lag, failures, limits */
  'GET /admin/apps/{client_id}/overview': {
    query: undefined
    body: undefined
    response: Overview
  }
  /** List endpoints of an app's profiles that are parked because they ended three worker processes */
  'GET /admin/apps/{client_id}/parked': {
    query: {
      /** `next` of the previous response, to continue. */
      after?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: {
      parked: ({
        profile: string
        service: string
        endpoint: string
        last_error?: string | undefined
        last_run?: number | undefined
      })[]
      next?: string | undefined
    }
  }
  /** List an app's subscriptions to webhooks of services, with the last failure of each */
  'GET /admin/apps/{client_id}/hooks': {
    query: {
      /** `next` of the previous response, to continue. */
      after?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: {
      subscriptions: ({
        service: string
        name: string
        /** Absent for a subscription of the whole app. */
        profile?: string | undefined
        state: "wanted" | "active" | "ending"
        expires_at?: number | undefined
        /** The next renewal or attempt. */
        next_call?: number | undefined
        attempts?: number | undefined
        last_reason?: string | undefined
        last_error?: string | undefined
      })[]
      next?: string | undefined
    }
  }
  /** List fields of an app's records that connectors could not read, with the error of the reader */
  'GET /admin/apps/{client_id}/faults': {
    query: {
      /** `next` of the previous response, to continue. */
      after?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: {
      faults: ({
        profile: string
        service: string
        endpoint: string
        field: string
        message: string
        kind: string
        /** The record's id at the service. */
        record: string
        at: number
        times: number
      })[]
      next?: string | undefined
    }
  }
  /** List an app's records that could not be stored, with the reason */
  'GET /admin/apps/{client_id}/quarantine': {
    query: {
      /** `next` of the previous response, to continue. */
      after?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: {
      quarantine: ({
        profile: string
        service: string
        endpoint: string
        id: string
        reason: string
        sample: string
        at: number
        times: number
      })[]
      next?: string | undefined
    }
  }
  /** Read an app's quarantined records again with the current connectors */
  'POST /admin/apps/{client_id}/quarantine/retry': {
    query: undefined
    body: undefined
    response: {
      /** Number of endpoints with quarantined records. */
      endpoints: number
    }
  }
  /** Get the quotas of an app */
  'GET /admin/apps/{client_id}/quotas': {
    query: undefined
    body: undefined
    response: QuotaLimits
  }
  /** Set the quotas of an app; a missing one gets its default */
  'PUT /admin/apps/{client_id}/quotas': {
    query: undefined
    body: {
      /** Items of one profile. */
      profile_items?: number | "none" | undefined
      /** Bytes of the records of one profile. */
      profile_bytes?: number | "none" | undefined
      /** Items of one account, over all its profiles. */
      account_items?: number | "none" | undefined
      /** Bytes of the records of one account. */
      account_bytes?: number | "none" | undefined
      /** Items of the app, over all its accounts. */
      app_items?: number | "none" | undefined
      /** Bytes of the records of the app, over all its accounts. */
      app_bytes?: number | "none" | undefined
      /** Own items that the app stored. */
      own_items?: number | "none" | undefined
      /** Bytes of the records of own items. */
      own_bytes?: number | "none" | undefined
      /** Unfinished sign-ins to the app. */
      app_sign_ins?: number | "none" | undefined
    }
    response: QuotaLimits
  }
  /** Get how much of its quotas an app, or one of its accounts, uses */
  'GET /admin/apps/{client_id}/usage': {
    query: {
      /** Only this account. */
      account?: string | number | readonly (string | number)[] | undefined
      /** Only this profile of the account: `id@service`, a service, or its id. */
      profile?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Usage
  }
  /** Get what the endpoints that cost money have cost an app this month, by service */
  'GET /admin/apps/{client_id}/spending': {
    query: undefined
    body: undefined
    response: Spending
  }
  /** Switch endpoints that cost money on or off for an app, and limit what it spends in a month */
  'PATCH /admin/apps/{client_id}/spending': {
    query: undefined
    body: {
      /** `{"service/endpoint": true}` switches a priced endpoint on; `service/*` all of a service. */
      endpoints?: {
        [field: string]: boolean
      } | undefined
      /** `{"service": "25.00"}`: what may be spent in a month (UTC), in the currency of the service; `null`: no limit. */
      limits?: {
        [field: string]: string | null
      } | undefined
    }
    response: Spending
  }
  /** List calls of an app through the proxy in the last 14 days, newest first */
  'GET /admin/apps/{client_id}/calls': {
    query: {
      /** 1 to 1000. */
      limit?: string | number | readonly (string | number)[] | undefined
      /** The `id` of the last call seen; older calls follow. */
      before?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: ProxyCall[]
  }
  /** List sign-ins, syncs, proxied calls and deliveries of an app, newest first */
  'GET /admin/apps/{client_id}/log': {
    query: {
      kind?: "sign_in" | "sync" | "proxy" | "delivery" | undefined
      outcome?: "ok" | "failed" | "refused" | "open" | undefined
      /** Only operations with this reason. */
      reason?: string | number | readonly (string | number)[] | undefined
      /** Only operations at this service. */
      service?: string | number | readonly (string | number)[] | undefined
      /** Only operations of this account. */
      account?: string | number | readonly (string | number)[] | undefined
      /** Only operations whose summary, names, ids or reason contain this text. */
      q?: string | number | readonly (string | number)[] | undefined
      /** Only operations logged at this time or later, in epoch milliseconds. */
      since?: string | number | readonly (string | number)[] | undefined
      /** Only operations logged before this time, in epoch milliseconds. */
      until?: string | number | readonly (string | number)[] | undefined
      /** The `next` of the previous response. */
      cursor?: string | number | readonly (string | number)[] | undefined
      /** 1 to 299. */
      limit?: string | number | readonly (string | number)[] | undefined
    } | undefined
    body: undefined
    response: Log
  }
  /** Get an operation of the log with its steps, their times and reasons */
  'GET /admin/apps/{client_id}/log/{id}': {
    query: undefined
    body: undefined
    response: InspectedOperation
  }
  /** List an app's keys for services, without their secrets */
  'GET /admin/apps/{client_id}/keys': {
    query: undefined
    body: undefined
    response: ServiceKey[]
  }
  /** Give an app keys at the demo services (test mode) */
  'POST /admin/apps/{client_id}/demo-services': {
    query: undefined
    body: Record<string, never>
    response: DemoServicesOfApp
  }
  /** Set an app's key for a service */
  'PUT /admin/apps/{client_id}/keys/{service}': {
    query: undefined
    body: {
      /** The key that the service issued to the app (client id, consumer key). */
      key: string
      /** The secret of the key. Sealed at rest. */
      secret: string
      /** The secret of the service’s webhooks, if it is a different one. Sealed at rest. */
      hook_secret?: string | undefined
      /** The id of the webhook that you registered at the service, where its subscriptions need one (X). */
      hook_id?: string | undefined
      /** Scope to request instead of the service's default. */
      scope?: string | undefined
      /** Addresses of the service to override: authorize_url, token_url, revoke_url, request_token_url, access_token_url, api_url, base_url. Only an operator may set it, and no developer: the codes of people and the secrets of the key are sent to these addresses. */
      overrides?: {
        [field: string]: string
      } | undefined
      /** Values that the vendor gave to the app besides key and secret; `GET /services` names them. Sealed at rest. */
      settings?: {
        [field: string]: string
      } | undefined
    }
    response: ServiceKey
  }
  /** Delete an app's key for a service */
  'DELETE /admin/apps/{client_id}/keys/{service}': {
    query: undefined
    body: undefined
    response: Deleted
  }
  /** Test an app's keys at their service, as far as that is possible without a person */
  'POST /admin/apps/{client_id}/keys/{service}/test': {
    query: undefined
    body: undefined
    response: KeyTest
  }
}
