export { type AccountClient, createAccount } from './account.ts'
export { type AdminClient, createAdmin } from './admin.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export type { Connected, ConnectParameters, ExchangeExtras, StartedConnect } from './connect.ts'
export type { UploadContent } from './core.ts'
export {
  type AnyTributaryError,
  ConnectError,
  ConnectionError,
  type ErrorReason,
  isTributaryError,
  StreamError,
  TimeoutError,
  TributaryError,
} from './errors.ts'
export type { AppChangesPage, ChangesPage, ChangesQuery, ProgressEvent } from './follow.ts'
export type * from './generated/api.ts'
export type { ItemTypes } from './item-types.ts'
export type { Page, Paged } from './pages.ts'
export { createPkce, type Pkce } from './pkce.ts'
export type { ProxyFetch } from './proxy.ts'
export { readEvents, readJsonArray, readNdjson, type ServerEvent } from './streams.ts'
export type { RequestOptions, TransportOptions } from './transport.ts'
export type { WebhookChange, WebhookEvent, WebhookMessage, WebhookProfile } from './webhook-messages.ts'
export { verifyWebhook, verifyWebhookRequest, WebhookError, type WebhookFault } from './webhooks.ts'
