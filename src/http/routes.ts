import * as accountData from './accounts/account-data.ts'
import * as accounts from './accounts/accounts.ts'
import { applyByBody, applyByQuery, batch } from './accounts/apply.ts'
import * as deletions from './accounts/deletion-requests.ts'
import { mergeByBody, mergeByQuery } from './accounts/merge.ts'
import * as profiles from './accounts/profiles.ts'
import * as agents from './agents/authorize.ts'
import * as agentGrants from './agents/grants.ts'
import { mcp } from './agents/mcp/endpoint.ts'
import * as agentMetadata from './agents/metadata.ts'
import * as agentTokens from './agents/tokens.ts'
import * as apps from './apps/admin-apps.ts'
import { listCalls } from './apps/admin-calls.ts'
import * as keys from './apps/admin-keys.ts'
import * as quotas from './apps/admin-quotas.ts'
import { appLogo } from './apps/branding.ts'
import * as connectLink from './connect/connect-link.ts'
import { connectPage, searchScript } from './connect/connect-page.ts'
import * as connectSessions from './connect/connect-sessions.ts'
import * as connectionsActions from './connect/connections/actions.ts'
import * as connections from './connect/connections/pages.ts'
import * as connectionsSessions from './connect/connections/sessions.ts'
import { mark } from './connect/marks.ts'
import * as reconnect from './connect/reconnect.ts'
import { useDemo } from './demo/admin-demo.ts'
import { setControls, showControls } from './demo/controls.ts'
import { demoPage } from './demo/page.ts'
import { showDemoService, submitToDemoService } from './demo/services.ts'
import { endSession, showSession } from './demo/session-routes.ts'
import { demoCallback, demoConnect, demoStart } from './demo/sign-in.ts'
import * as docs from './describe/docs-page.ts'
import { openapi } from './describe/openapi-route.ts'
import { metrics } from './metrics/metrics.ts'
import * as log from './operations/admin-log.ts'
import { liveness, readiness } from './operations/health.ts'
import { showAppOverview, showOverview } from './operations/overview.ts'
import * as audit from './operators/audit.ts'
import * as dashboard from './operators/dashboard.ts'
import * as exports from './operators/exports.ts'
import * as operators from './operators/operators.ts'
import { settings } from './operators/settings.ts'
import { PROXY_METHODS, proxied } from './proxy/proxy.ts'
import * as proxyTokens from './proxy/proxy-tokens.ts'
import * as push from './push/push.ts'
import * as pushControl from './push/push-control.ts'
import * as pushDrafts from './push/push-drafts.ts'
import * as pushHistory from './push/push-history.ts'
import { changes } from './read/changes.ts'
import * as feed from './read/feed.ts'
import * as items from './read/items.ts'
import { deleteOwn, storeOwn } from './read/own-items.ts'
import * as people from './read/people.ts'
import * as peopleDecisions from './read/people-decisions.ts'
import { services } from './read/services.ts'
import type { MountedRoute, Route } from './server/route.ts'
import * as token from './sign-in/access-token.ts'
import * as ask from './sign-in/ask.ts'
import * as person from './sign-in/authenticate-person.ts'
import * as choose from './sign-in/choose.ts'
import { clientDocument } from './sign-in/client-document.ts'
import * as confirm from './sign-in/confirm.ts'
import * as typedPage from './sign-in/typed-page.ts'
import * as upload from './sign-in/upload-page.ts'
import { clientPackage, clientPage } from './site/client-package.ts'
import { icoIcon, svgIcon } from './site/favicon.ts'
import { homePage } from './site/home-page.ts'
import * as faults from './sync/admin-faults.ts'
import { listHooks } from './sync/admin-hooks.ts'
import { listParked } from './sync/admin-parked.ts'
import { changeRules, showRules } from './sync/admin-sync.ts'
import * as hooks from './sync/hooks.ts'
import * as spending from './sync/spending.ts'
import * as sync from './sync/sync.ts'
import { overview as syncOverview } from './sync/sync-overview.ts'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** A route, and its name in the description of the API and in SDKs: a verb first, and never changed. */
export type Listed = [method: Method, path: string, route: Route | MountedRoute, operationId: string]

/** What a process without the API serves: whether it is alive and ready, and its metrics. */
export const HEALTH_ROUTES: Listed[] = [
  ['GET', '/healthz', liveness, 'checkAlive'],
  ['GET', '/readyz', readiness, 'checkReady'],
  ['GET', '/metrics', metrics, 'getMetrics'],
]

/** Every route of the API. Each path is also served under `/v0`. */
export const ROUTES: Listed[] = [
  ['GET', '/', homePage, 'showHomePage'],
  ['GET', '/favicon.svg', svgIcon, 'getIcon'],
  ['GET', '/favicon.ico', icoIcon, 'getIconFile'],
  ['GET', '/docs', docs.docsPage, 'showDocs'],
  ['GET', '/docs.md', docs.docsMarkdown, 'getDocsMarkdown'],
  ['GET', '/docs/try-it.js', docs.docsScript, 'getDocsScript'],
  ['GET', '/docs/:page', docs.docsGuide, 'getDocsPage'],
  ['GET', '/docs/:folder/:file', docs.docsFile, 'getDocsFile'],
  ['GET', '/client', clientPage, 'showClientPackage'],
  ['GET', '/client.tgz', clientPackage, 'getClientPackage'],
  ['GET', '/llms.txt', docs.llms, 'getLlmsText'],
  ['GET', '/openapi.json', openapi, 'getOpenApi'],
  ...HEALTH_ROUTES,

  ['GET', '/connect', connectPage, 'showConnectPage'],
  ['GET', '/connect/search.js', searchScript, 'getConnectScript'],
  ['GET', '/connect/link', connectLink.show, 'showConnectLink'],
  ['POST', '/connect/link', connectLink.start, 'startConnectLink'],
  ['POST', '/connect/sessions', connectSessions.create, 'createConnectSession'],
  ['GET', '/connect/sessions/:id', connectSessions.show, 'getConnectSession'],
  ['DELETE', '/connect/sessions/:id', connectSessions.revoke, 'revokeConnectSession'],
  ['GET', '/apps/:client_id/logo/:hash', appLogo, 'getAppLogo'],
  ['GET', '/marks/:file', mark, 'getServiceMark'],
  ['GET', '/demo', demoPage, 'showDemo'],
  ['POST', '/demo/start', demoStart, 'startDemoOfAda'],
  ['GET', '/demo/connect', demoConnect, 'startDemo'],
  ['GET', '/demo/callback', demoCallback, 'finishDemo'],
  ['GET', '/demo/session', showSession, 'getDemoSession'],
  ['DELETE', '/demo/session', endSession, 'endDemoSession'],
  ['GET', '/demo/controls', showControls, 'getDemoControls'],
  ['POST', '/demo/controls', setControls, 'setDemoControls'],
  ['GET', '/demo/services/:service/:path', showDemoService, 'showDemoService'],
  ['POST', '/demo/services/:service/:path', submitToDemoService, 'submitToDemoService'],
  ['GET', '/oauth/authenticate', person.authenticate, 'startSignIn'],
  ['GET', '/oauth/authorize', person.authenticate, 'authorize'],
  ['GET', '/auth/:service/callback', person.callback, 'receiveCallback'],
  ['POST', '/auth/:service/callback', person.postedCallback, 'receivePostedCallback'],
  ['GET', '/auth/:service/callback/:registration', person.ownCallback, 'receiveOwnCallback'],
  ['POST', '/auth/:service/callback/:registration', person.ownPostedCallback, 'receiveOwnPostedCallback'],
  ['GET', '/oauth/ask', ask.show, 'showQuestions'],
  ['POST', '/oauth/ask', ask.answer, 'answerQuestions'],
  ['GET', '/oauth/clients/:client_id/:document', clientDocument, 'getClientDocument'],
  ['GET', '/oauth/choose', choose.show, 'showChoice'],
  ['POST', '/oauth/choose', choose.answer, 'answerChoice'],
  ['GET', '/oauth/confirm', confirm.ask, 'showConfirmation'],
  ['POST', '/oauth/confirm', confirm.answer, 'answerConfirmation'],
  ['GET', '/oauth/typed', typedPage.show, 'showTypedSignIn'],
  ['POST', '/oauth/typed', typedPage.submit, 'submitTypedSignIn'],
  ['POST', '/oauth/file', upload.submitPage, 'submitFileSignIn'],
  ['GET', '/oauth/reconnect', reconnect.follow, 'followReconnectLink'],
  ['POST', '/oauth/access_token', token.exchange, 'exchangeCode'],
  ['POST', '/oauth/revoke', token.revoke, 'revokeToken'],
  ['GET', '/.well-known/oauth-authorization-server', token.metadata, 'getAuthorizationServer'],

  ['GET', '/oauth/agents/authorize', agents.authorize, 'authorizeAgent'],
  ['GET', '/oauth/agents/signed-in', agents.signedIn, 'continueAgentSignIn'],
  ['GET', '/oauth/agents/consent', agents.ask, 'showAgentConsent'],
  ['POST', '/oauth/agents/consent', agents.answer, 'answerAgentConsent'],
  ['POST', '/oauth/agents/token', agentTokens.issue, 'issueAgentToken'],
  ['POST', '/oauth/agents/revoke', agentTokens.revoke, 'revokeAgentToken'],
  [
    'GET',
    '/.well-known/oauth-authorization-server/mcp',
    agentMetadata.authorizationServer,
    'getAgentAuthorizationServer',
  ],
  ['GET', '/.well-known/oauth-protected-resource/mcp', agentMetadata.protectedResource, 'getProtectedResource'],
  ['POST', '/mcp', mcp, 'callMcp'],
  ['POST', '/connections/sessions', connectionsSessions.createByApp, 'createConnectionsLink'],
  ['POST', '/connections/link', connectionsSessions.createByAccount, 'createOwnConnectionsLink'],
  ['GET', '/connections', connections.show, 'showConnections'],
  ['POST', '/connections/open', connectionsActions.open, 'startConnections'],
  ['GET', '/connections/end', connections.askEnd, 'showEndQuestion'],
  ['POST', '/connections/end', connectionsActions.end, 'endConnection'],
  ['POST', '/connections/reconnect', connectionsActions.reconnect, 'requestReconnect'],
  ['GET', '/connections/reconnected', connectionsActions.reconnected, 'continueReconnect'],
  ['POST', '/connections/agents/end', connectionsActions.endAgent, 'endConnectedAgent'],
  ['GET', '/connections/download', connections.download, 'exportConnections'],
  ['GET', '/connections/delete', connections.askDelete, 'showDeleteQuestion'],
  ['POST', '/connections/delete', connectionsActions.deleteAll, 'deleteEverything'],
  ['GET', '/connections/deleted', connections.deleted, 'showDeleted'],
  ['GET', '/agents', agentGrants.list, 'listAgents'],
  ['DELETE', '/agents/:id', agentGrants.remove, 'endAgent'],
  ['GET', '/proxy-tokens', proxyTokens.list, 'listProxyTokens'],
  ['POST', '/proxy-tokens', proxyTokens.create, 'createProxyToken'],
  ['DELETE', '/proxy-tokens/:id', proxyTokens.remove, 'revokeProxyToken'],

  ['GET', '/auth/:service/apply', applyByQuery, 'applyTokenByQuery'],
  ['POST', '/auth/:service/apply', applyByBody, 'applyToken'],
  ['POST', '/auth/apply/batch', batch, 'applyBatch'],
  ['GET', '/auth/merge', mergeByQuery, 'mergeAccountsByQuery'],
  ['POST', '/auth/merge', mergeByBody, 'mergeAccounts'],

  ['GET', '/profile', profiles.person, 'getOwnPerson'],
  ['GET', '/profiles', profiles.list, 'listProfiles'],
  ['DELETE', '/profiles', profiles.removeAll, 'deleteAccount'],
  ['GET', '/profiles/:profile', profiles.show, 'getProfile'],
  ['DELETE', '/profiles/:profile', profiles.remove, 'deleteProfile'],
  ['GET', '/sync', syncOverview, 'getSyncState'],
  ['GET', '/export', accountData.exportOwn, 'exportOwnData'],
  ['GET', '/profiles/:profile/sync', sync.progress, 'getSyncProgress'],
  ['POST', '/profiles/:profile/sync', sync.now, 'requestSync'],
  ['POST', '/profiles/:profile/reset', sync.reset, 'resetSync'],
  ['POST', '/profiles/:profile/pause', sync.pause, 'pauseProfile'],
  ['POST', '/profiles/:profile/resume', sync.resume, 'resumeProfile'],

  ['POST', '/profiles/:profile/reconnect', reconnect.linkByAccount, 'createReconnectLink'],

  ['GET', '/accounts', accounts.list, 'listAccounts'],
  ['GET', '/accounts/changes', feed.appChanges, 'readAppChanges'],
  ['DELETE', '/accounts/changes', feed.endAppChanges, 'endAppChanges'],
  ['GET', '/accounts/:id', accounts.show, 'getAccount'],
  ['DELETE', '/accounts/:id', accountData.eraseByApp, 'eraseAccount'],
  ['GET', '/accounts/:id/export', accountData.exportByApp, 'exportAccount'],
  ['POST', '/accounts/:id/profiles/:profile/reconnect', reconnect.linkByApp, 'createReconnectLinkOfAccount'],
  ['POST', '/accounts/:id/profiles/:profile/pause', sync.pauseByApp, 'pauseProfileOfAccount'],
  ['POST', '/accounts/:id/profiles/:profile/resume', sync.resumeByApp, 'resumeProfileOfAccount'],
  ['GET', '/accounts/:id/proxy-tokens', proxyTokens.listByApp, 'listProxyTokensOfAccount'],
  ['POST', '/accounts/:id/proxy-tokens', proxyTokens.createByApp, 'createProxyTokenOfAccount'],
  ['DELETE', '/accounts/:id/proxy-tokens/:token_id', proxyTokens.removeByApp, 'revokeProxyTokenOfAccount'],
  ['GET', '/usage', quotas.ownUsage, 'getUsage'],
  ['GET', '/spending', spending.ownSpending, 'getSpending'],
  ['PATCH', '/spending', spending.changeOwnSpending, 'updateSpending'],

  ['GET', '/hooks/:service/:client_id', hooks.handshake, 'confirmHook'],
  ['POST', '/hooks/:service/:client_id', hooks.notify, 'receiveHook'],
  ['POST', '/hooks/:service/:client_id/deletion', deletions.requested, 'receiveDeletionRequest'],
  ['POST', '/hooks/:service/:client_id/deauthorize', deletions.deauthorized, 'receiveDeauthorization'],
  ['GET', '/deletions/:code', deletions.status, 'showDeletionStatus'],

  ['GET', '/services', services, 'listServices'],
  ['GET', '/services/:service', items.serviceCounts, 'countServiceItems'],
  ['GET', '/services/:service/:endpoint', items.byEndpoint, 'listServiceItems'],
  ['GET', '/services/:service/:endpoint/:id', items.one, 'getServiceItem'],
  ['GET', '/services/self/:endpoint', items.byOwnEndpoint, 'listOwnItems'],
  ['POST', '/services/self/:endpoint', storeOwn, 'storeOwnItems'],
  ['GET', '/services/self/:endpoint/:id', items.oneOwn, 'getOwnItem'],
  ['DELETE', '/services/self/:endpoint/:id', deleteOwn, 'deleteOwnItem'],
  ['POST', '/uploads/:service', upload.upload, 'addUpload'],
  ['GET', '/types', items.typeCounts, 'countTypes'],
  ['GET', '/types/:type', items.byType, 'listItemsByType'],
  ['GET', '/id/:id', items.byId, 'getItem'],
  ['GET', '/people', people.list, 'listPeople'],
  ['GET', '/people/:id', people.show, 'getPerson'],
  ['GET', '/people/:id/items', people.items, 'listItemsOfPerson'],
  ['POST', '/people/join', peopleDecisions.join, 'joinPeople'],
  ['POST', '/people/:id/split', peopleDecisions.split, 'splitPerson'],
  ['GET', '/people/decisions', peopleDecisions.list, 'listPeopleDecisions'],
  ['DELETE', '/people/decisions/:id', peopleDecisions.undo, 'undoPeopleDecision'],
  ['GET', '/changes', changes, 'listChanges'],

  ['GET', '/push', push.list, 'listDestinations'],
  ['POST', '/push', push.add, 'addDestination'],
  ['GET', '/push/kinds', pushDrafts.kinds, 'listDestinationKinds'],
  ['GET', '/push/rights', pushDrafts.rights, 'getRightsScript'],
  ['POST', '/push/test', pushDrafts.test, 'testDraft'],
  ['POST', '/push/preview', pushDrafts.preview, 'previewDestination'],
  ['GET', '/push/:id', push.one, 'getDestination'],
  ['PATCH', '/push/:id', push.change, 'updateDestination'],
  ['DELETE', '/push/:id', push.remove, 'deleteDestination'],
  ['POST', '/push/:id/pause', pushControl.pause, 'pauseDestination'],
  ['POST', '/push/:id/resume', pushControl.resume, 'resumeDestination'],
  ['POST', '/push/:id/test', pushControl.test, 'testDestination'],
  ['POST', '/push/:id/run', pushControl.run, 'runDestination'],
  ['POST', '/push/:id/backfill', pushControl.backfill, 'backfillDestination'],
  ['POST', '/push/:id/replay', pushControl.replayFrom, 'replayDestination'],
  ['POST', '/push/:id/redrive', pushControl.redrive, 'redriveDeadLetters'],
  ['POST', '/push/:id/verify', pushControl.verify, 'verifyDestination'],
  ['POST', '/push/:id/rotate-secret', pushControl.rotateSecret, 'rotateDestinationSecret'],
  ['GET', '/push/:id/deliveries', pushHistory.deliveries, 'listDeliveries'],
  ['GET', '/push/:id/dead-letters', pushHistory.deadLetters, 'listDeadLetters'],
  ['GET', '/push/:id/dead-letters/reasons', pushHistory.deadLetterReasons, 'listDeadLetterReasons'],
  ['GET', '/push/:id/history', pushHistory.history, 'getDeliveryHistory'],

  ...PROXY_METHODS.map(
    (method): Listed => [
      method,
      '/proxy/:service/:path',
      proxied,
      `proxy${method.charAt(0)}${method.slice(1).toLowerCase()}`,
    ],
  ),

  ['GET', '/admin/overview', showOverview, 'getOverview'],
  ['GET', '/dashboard/session', dashboard.whoAmI, 'getDashboardSession'],
  ['POST', '/dashboard/session', dashboard.signIn, 'startDashboardSession'],
  ['POST', '/dashboard/session/demo', dashboard.visit, 'startDashboardSessionOfDemo'],
  ['DELETE', '/dashboard/session', dashboard.signOut, 'endDashboardSession'],
  ['POST', '/dashboard/session/challenge', dashboard.passkeyChallenge, 'createPasskeyChallenge'],
  ['POST', '/dashboard/session/passkey', dashboard.signInByPasskey, 'startDashboardSessionByPasskey'],
  ['POST', '/dashboard/link', dashboard.showLink, 'checkOperatorLink'],
  ['POST', '/dashboard/link/passkey', dashboard.linkPasskey, 'createPasskeyOptionsOfLink'],
  ['POST', '/dashboard/link/accept', dashboard.accept, 'answerOperatorLink'],
  ['PUT', '/dashboard/password', dashboard.setPassword, 'setOwnPassword'],
  ['GET', '/dashboard/passkeys', dashboard.listPasskeys, 'listOwnPasskeys'],
  ['POST', '/dashboard/passkeys/options', dashboard.passkeyCreation, 'createPasskeyOptions'],
  ['POST', '/dashboard/passkeys', dashboard.addPasskey, 'addOwnPasskey'],
  ['DELETE', '/dashboard/passkeys/:id', dashboard.removePasskey, 'deleteOwnPasskey'],

  ['POST', '/dashboard/exports', exports.create, 'createExportLink'],
  ['GET', '/dashboard/exports/:account/:ticket', exports.download, 'exportByLink'],

  ['GET', '/admin/operators', operators.list, 'listOperators'],
  ['POST', '/admin/operators', operators.invite, 'addOperator'],
  ['GET', '/admin/operators/links', operators.links, 'listOperatorLinks'],
  ['DELETE', '/admin/operators/links/:id', operators.removeLink, 'revokeOperatorLink'],
  ['PATCH', '/admin/operators/:id', operators.update, 'updateOperator'],
  ['DELETE', '/admin/operators/:id', operators.remove, 'deleteOperator'],
  ['POST', '/admin/operators/:id/link', operators.link, 'createOperatorLink'],
  ['DELETE', '/admin/operators/:id/sessions', operators.endSessions, 'endSessionsOfOperator'],
  ['GET', '/admin/sessions', operators.sessions, 'listSessions'],
  ['DELETE', '/admin/sessions/:id', operators.endSession, 'endSession'],

  ['GET', '/admin/audit', audit.list, 'listAuditEntries'],
  ['GET', '/admin/settings', settings, 'getSettings'],

  ['GET', '/admin/apps', apps.list, 'listApps'],
  ['POST', '/admin/apps', apps.create, 'createApp'],
  ['GET', '/admin/apps/:client_id', apps.show, 'getApp'],
  ['PATCH', '/admin/apps/:client_id', apps.update, 'updateApp'],
  ['DELETE', '/admin/apps/:client_id', apps.remove, 'deleteApp'],
  ['GET', '/admin/deletions', apps.deletions, 'listAppDeletions'],
  ['POST', '/admin/apps/:client_id/rotate-secret', apps.rotateSecret, 'rotateAppSecret'],
  ['DELETE', '/admin/apps/:client_id/secrets/:id', apps.endSecret, 'endAppSecret'],
  ['GET', '/admin/apps/:client_id/sync', showRules, 'getSyncRules'],
  ['PUT', '/admin/apps/:client_id/sync', changeRules, 'setSyncRules'],
  ['GET', '/admin/apps/:client_id/overview', showAppOverview, 'getOverviewOfApp'],
  ['GET', '/admin/apps/:client_id/parked', listParked, 'listParkedEndpoints'],
  ['GET', '/admin/apps/:client_id/hooks', listHooks, 'listHookSubscriptions'],
  ['GET', '/admin/apps/:client_id/faults', faults.listFaults, 'listFaults'],
  ['GET', '/admin/apps/:client_id/quarantine', faults.listQuarantine, 'listQuarantine'],
  ['POST', '/admin/apps/:client_id/quarantine/retry', faults.retryQuarantine, 'retryQuarantine'],
  ['GET', '/admin/apps/:client_id/quotas', quotas.showQuotas, 'getQuotas'],
  ['PUT', '/admin/apps/:client_id/quotas', quotas.changeQuotas, 'setQuotas'],
  ['GET', '/admin/apps/:client_id/usage', quotas.showUsage, 'getUsageOfApp'],
  ['GET', '/admin/apps/:client_id/spending', spending.showSpending, 'getSpendingOfApp'],
  ['PATCH', '/admin/apps/:client_id/spending', spending.changeSpending, 'updateSpendingOfApp'],
  ['GET', '/admin/apps/:client_id/calls', listCalls, 'listProxyCalls'],
  ['GET', '/admin/apps/:client_id/log', log.list, 'listOperations'],
  ['GET', '/admin/apps/:client_id/log/:id', log.inspect, 'getOperation'],
  ['GET', '/admin/apps/:client_id/keys', keys.list, 'listServiceKeys'],
  ['POST', '/admin/apps/:client_id/demo-services', useDemo, 'addDemoServices'],
  ['PUT', '/admin/apps/:client_id/keys/:service', keys.set, 'setServiceKey'],
  ['DELETE', '/admin/apps/:client_id/keys/:service', keys.remove, 'deleteServiceKey'],
  ['POST', '/admin/apps/:client_id/keys/:service/test', keys.test, 'testServiceKey'],
]
