import type { FreshCredential } from '#access/fresh-credential.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { Profile } from '#model/accounts/profile.ts'
import type { Amount, Quotas } from '#model/apps/quotas.ts'
import type { SyncRules } from '#model/sync/sync-rules.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import type { EndpointState } from '#store/sync/endpoints.ts'
import type { QuietCheck } from '#store/sync/finish-run.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import type { ItemStream } from '../diff/item-stream.ts'
import type { Visit } from './children-round.ts'
import type { RunLog } from './run-log.ts'

/** The quotas of a run's account, and what they count; with what the run has added. */
export interface RunUsage {
  quotas: Quotas
  profile: Amount
  account: Amount
}

/** One run of a profile: whose data is fetched, how, and with which keys of the app. */
export interface ProfileRun {
  profile: Profile
  connector: Connector
  key: ServiceKey
  /** The stored items are being read again because the readers have changed. */
  isBeingReread: boolean
  /** The credential as it was last looked up, shared by the pages of the run. */
  cachedCredential: { fresh: FreshCredential | undefined; expiresAt: number }
  /** What the account stores, once the run has found something new. */
  usage: { loaded: RunUsage | undefined }
  /** Checks of this run that found nothing; stored when it ends. A crash before that only repeats them. */
  quiet: QuietCheck[]
  /** What the run does, for the log. */
  runLog: RunLog
  /** A number from 0 to 1 that spreads profiles over time: one for all endpoints, so that one run keeps serving all of them. */
  spread: number
}

/** One endpoint within the run of its profile. */
export interface EndpointRun extends ProfileRun {
  profileKey: ProfileKey
  name: string
  endpoint: Endpoint
  state: EndpointState
  stream: ItemStream
  rules: SyncRules
  /** The fencing token: only the run that holds it commits. */
  token: string
  /** When to yield at the next page. */
  untilMs: number
  signal: AbortSignal
  /** For a child endpoint: the parents whose pages are walked. */
  visit?: Visit | undefined
  /** Reports that the run makes progress. */
  onPage: () => void
}
