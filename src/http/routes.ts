import * as token from './access-token.ts'
import * as accounts from './accounts.ts'
import * as apps from './admin-apps.ts'
import { listCalls } from './admin-calls.ts'
import * as faults from './admin-faults.ts'
import { listHooks } from './admin-hooks.ts'
import * as keys from './admin-keys.ts'
import { listParked } from './admin-parked.ts'
import * as quotas from './admin-quotas.ts'
import { changeRules, showRules } from './admin-sync.ts'
import { applyByBody, applyByQuery, batch } from './apply.ts'
import * as ask from './ask.ts'
import * as person from './authenticate-person.ts'
import { changes } from './changes.ts'
import { clientDocument } from './client-document.ts'
import * as confirm from './confirm.ts'
import { connectPage } from './connect-page.ts'
import * as deletions from './deletion-requests.ts'
import { demoCallback, demoConnect } from './demo-page.ts'
import { docsPage } from './docs-page.ts'
import { liveness, readiness } from './health.ts'
import { homePage } from './home-page.ts'
import * as hooks from './hooks.ts'
import * as items from './items.ts'
import { mergeByBody, mergeByQuery } from './merge.ts'
import { metrics } from './metrics.ts'
import { openapi } from './openapi-route.ts'
import { deleteOwn, storeOwn } from './own-items.ts'
import * as people from './people.ts'
import * as profiles from './profiles.ts'
import { PROXY_METHODS, proxied } from './proxy.ts'
import * as push from './push.ts'
import * as pushControl from './push-control.ts'
import * as pushHistory from './push-history.ts'
import * as reconnect from './reconnect.ts'
import type { MountedRoute, Route } from './route.ts'
import { services } from './services.ts'
import * as spending from './spending.ts'
import * as sync from './sync.ts'
import * as typedPage from './typed-page.ts'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

export type Listed = [method: Method, path: string, route: Route | MountedRoute]

/** What a process without the API serves: whether it is alive and ready, and its metrics. */
export const HEALTH_ROUTES: Listed[] = [
  ['GET', '/healthz', liveness],
  ['GET', '/readyz', readiness],
  ['GET', '/metrics', metrics],
]

/** Every route of the API. Each path is also served under `/v0`. */
export const ROUTES: Listed[] = [
  ['GET', '/', homePage],
  ['GET', '/docs', docsPage],
  ['GET', '/openapi.json', openapi],
  ...HEALTH_ROUTES,

  ['GET', '/connect', connectPage],
  ['GET', '/demo/connect', demoConnect],
  ['GET', '/demo/callback', demoCallback],
  ['GET', '/oauth/authenticate', person.authenticate],
  ['GET', '/oauth/authorize', person.authenticate],
  ['GET', '/auth/:service/callback', person.callback],
  ['POST', '/auth/:service/callback', person.postedCallback],
  ['GET', '/oauth/ask', ask.show],
  ['POST', '/oauth/ask', ask.answer],
  ['GET', '/oauth/clients/:client_id/:document', clientDocument],
  ['GET', '/oauth/confirm', confirm.ask],
  ['POST', '/oauth/confirm', confirm.answer],
  ['GET', '/oauth/typed', typedPage.show],
  ['POST', '/oauth/typed', typedPage.submit],
  ['GET', '/oauth/reconnect', reconnect.follow],
  ['POST', '/oauth/access_token', token.exchange],
  ['POST', '/oauth/revoke', token.revoke],
  ['GET', '/.well-known/oauth-authorization-server', token.metadata],

  ['GET', '/auth/:service/apply', applyByQuery],
  ['POST', '/auth/:service/apply', applyByBody],
  ['POST', '/auth/apply/batch', batch],
  ['GET', '/auth/merge', mergeByQuery],
  ['POST', '/auth/merge', mergeByBody],

  ['GET', '/profile', profiles.person],
  ['GET', '/profiles', profiles.list],
  ['DELETE', '/profiles', profiles.removeAll],
  ['GET', '/profiles/:profile', profiles.show],
  ['DELETE', '/profiles/:profile', profiles.remove],
  ['GET', '/profiles/:profile/sync', sync.progress],
  ['POST', '/profiles/:profile/sync', sync.now],
  ['POST', '/profiles/:profile/reset', sync.reset],
  ['POST', '/profiles/:profile/pause', sync.pause],
  ['POST', '/profiles/:profile/resume', sync.resume],

  ['POST', '/profiles/:profile/reconnect', reconnect.linkByAccount],

  ['GET', '/accounts', accounts.list],
  ['GET', '/accounts/:id', accounts.show],
  ['POST', '/accounts/:id/profiles/:profile/reconnect', reconnect.linkByApp],
  ['POST', '/accounts/:id/profiles/:profile/pause', sync.pauseByApp],
  ['POST', '/accounts/:id/profiles/:profile/resume', sync.resumeByApp],
  ['GET', '/usage', quotas.ownUsage],
  ['GET', '/spending', spending.ownSpending],
  ['PATCH', '/spending', spending.changeOwnSpending],

  ['GET', '/hooks/:service/:client_id', hooks.handshake],
  ['POST', '/hooks/:service/:client_id', hooks.notify],
  ['POST', '/hooks/:service/:client_id/deletion', deletions.requested],
  ['POST', '/hooks/:service/:client_id/deauthorize', deletions.deauthorized],
  ['GET', '/deletions/:code', deletions.status],

  ['GET', '/services', services],
  ['GET', '/services/:service', items.serviceCounts],
  ['GET', '/services/:service/:endpoint', items.byEndpoint],
  ['GET', '/services/:service/:endpoint/:id', items.one],
  ['GET', '/services/self/:endpoint', items.byOwnEndpoint],
  ['POST', '/services/self/:endpoint', storeOwn],
  ['GET', '/services/self/:endpoint/:id', items.oneOwn],
  ['DELETE', '/services/self/:endpoint/:id', deleteOwn],
  ['GET', '/types', items.typeCounts],
  ['GET', '/types/:type', items.byType],
  ['GET', '/id/:id', items.byId],
  ['GET', '/people', people.list],
  ['GET', '/people/:id', people.show],
  ['GET', '/people/:id/items', people.items],
  ['GET', '/changes', changes],

  ['GET', '/push', push.list],
  ['POST', '/push', push.add],
  ['GET', '/push/:id', push.one],
  ['PATCH', '/push/:id', push.change],
  ['DELETE', '/push/:id', push.remove],
  ['POST', '/push/:id/pause', pushControl.pause],
  ['POST', '/push/:id/resume', pushControl.resume],
  ['POST', '/push/:id/test', pushControl.test],
  ['POST', '/push/:id/run', pushControl.run],
  ['POST', '/push/:id/backfill', pushControl.backfill],
  ['POST', '/push/:id/replay', pushControl.replayFrom],
  ['POST', '/push/:id/redrive', pushControl.redrive],
  ['POST', '/push/:id/verify', pushControl.verify],
  ['POST', '/push/:id/rotate-secret', pushControl.rotateSecret],
  ['GET', '/push/:id/deliveries', pushHistory.deliveries],
  ['GET', '/push/:id/dead-letters', pushHistory.deadLetters],

  ...PROXY_METHODS.map((method): Listed => [method, '/proxy/:service/:path', proxied]),

  ['GET', '/admin/apps', apps.list],
  ['POST', '/admin/apps', apps.create],
  ['GET', '/admin/apps/:client_id', apps.show],
  ['PATCH', '/admin/apps/:client_id', apps.update],
  ['DELETE', '/admin/apps/:client_id', apps.remove],
  ['GET', '/admin/deletions', apps.deletions],
  ['POST', '/admin/apps/:client_id/rotate-secret', apps.rotateSecret],
  ['GET', '/admin/apps/:client_id/sync', showRules],
  ['PUT', '/admin/apps/:client_id/sync', changeRules],
  ['GET', '/admin/apps/:client_id/parked', listParked],
  ['GET', '/admin/apps/:client_id/hooks', listHooks],
  ['GET', '/admin/apps/:client_id/faults', faults.listFaults],
  ['GET', '/admin/apps/:client_id/quarantine', faults.listQuarantine],
  ['POST', '/admin/apps/:client_id/quarantine/retry', faults.retryQuarantine],
  ['GET', '/admin/apps/:client_id/quotas', quotas.showQuotas],
  ['PUT', '/admin/apps/:client_id/quotas', quotas.changeQuotas],
  ['GET', '/admin/apps/:client_id/usage', quotas.showUsage],
  ['GET', '/admin/apps/:client_id/spending', spending.showSpending],
  ['PATCH', '/admin/apps/:client_id/spending', spending.changeSpending],
  ['GET', '/admin/apps/:client_id/calls', listCalls],
  ['GET', '/admin/apps/:client_id/keys', keys.list],
  ['PUT', '/admin/apps/:client_id/keys/:service', keys.set],
  ['DELETE', '/admin/apps/:client_id/keys/:service', keys.remove],
]
