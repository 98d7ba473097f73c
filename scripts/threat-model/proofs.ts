/** What a route requires of a caller that its `auth` does not say, because the route itself looks at it. */
export interface Proof {
  who: string
  proof: string
  /** By their names in the description of the API. */
  routes: readonly string[]
}

/** Every route that is open by its `auth` (`none`, `browser`, `dashboard`). test/spec/operators/roles.test.ts calls each as a stranger. */
export const PROOFS: Proof[] = [
  {
    who: 'anybody',
    proof: 'nothing: pages, documents and pictures that are public',
    routes: [
      'showHomePage',
      'getIcon',
      'getIconFile',
      'showDocs',
      'getDocsMarkdown',
      'getDocsScript',
      'showClientPackage',
      'getClientPackage',
      'getDocsPage',
      'getDocsFile',
      'getLlmsText',
      'getOpenApi',
      'checkAlive',
      'checkReady',
      'getAppLogo',
      'getServiceMark',
      'getConnectScript',
      'getClientDocument',
      'listServices',
      'getAuthorizationServer',
      'getAgentAuthorizationServer',
      'getProtectedResource',
      'showDeleted',
    ],
  },
  {
    who: 'anybody',
    proof: 'the client id of an app and one of its redirect addresses: a sign-in begins here, for anybody',
    routes: ['showConnectPage', 'startSignIn', 'authorize', 'authorizeAgent'],
  },
  {
    who: 'the person, in one browser',
    proof:
      'the single-use secret of a link or of a sign-in that was begun (`ticket`, `state`, `code`), and the cookie of the browser it is bound to',
    routes: [
      'showConnectLink',
      'startConnectLink',
      'receiveCallback',
      'receivePostedCallback',
      'receiveOwnCallback',
      'receiveOwnPostedCallback',
      'showQuestions',
      'answerQuestions',
      'showChoice',
      'answerChoice',
      'showConfirmation',
      'answerConfirmation',
      'showTypedSignIn',
      'submitTypedSignIn',
      'submitFileSignIn',
      'followReconnectLink',
      'continueAgentSignIn',
      'showAgentConsent',
      'answerAgentConsent',
      'showConnections',
      'startConnections',
    ],
  },
  {
    who: 'the person, in one browser',
    proof:
      "the cookie of the session that a link of the app opened for one person's connections; for changes also a value of its form",
    routes: [
      'showEndQuestion',
      'endConnection',
      'requestReconnect',
      'continueReconnect',
      'endConnectedAgent',
      'exportConnections',
      'showDeleteQuestion',
      'deleteEverything',
    ],
  },
  {
    who: 'the person',
    proof: 'the code that the service showed for a request to delete',
    routes: ['showDeletionStatus'],
  },
  {
    who: 'an app',
    proof: "an app's id and secret, in the body, the query or HTTP Basic; a public client proves itself by PKCE",
    routes: ['exchangeCode', 'revokeToken', 'applyTokenByQuery', 'applyToken', 'applyBatch'],
  },
  { who: 'a person', proof: 'the access tokens of both accounts', routes: ['mergeAccountsByQuery', 'mergeAccounts'] },
  {
    who: 'a service',
    proof: "the service's signature with the secret of the app's key, or the verify token",
    routes: ['confirmHook', 'receiveHook', 'receiveDeletionRequest', 'receiveDeauthorization'],
  },
  {
    who: 'an agent',
    proof: 'a code with PKCE or a refresh token of an agent; to revoke, the token itself',
    routes: ['issueAgentToken', 'revokeAgentToken'],
  },
  {
    who: 'an agent',
    proof: 'an access token of an agent, for MCP only and with the scopes that the person allowed',
    routes: ['callMcp'],
  },
  {
    who: 'who watches the installation',
    proof: 'a caller on the same machine, or an operator',
    routes: ['getMetrics'],
  },
  {
    who: 'anybody',
    proof: 'only where the demo runs: its cookie, or nothing',
    routes: [
      'showDemo',
      'startDemoOfAda',
      'startDemo',
      'finishDemo',
      'getDemoSession',
      'endDemoSession',
      'getDemoControls',
      'setDemoControls',
      'showDemoService',
      'submitToDemoService',
    ],
  },
  {
    who: 'anybody',
    proof: 'nothing, from a page of our own origin: what a passkey signs, and the end of the own session',
    routes: ['createPasskeyChallenge', 'endDashboardSession'],
  },
  {
    who: 'the visitor of a demo',
    proof:
      'being at the machine of the demo: loopback at both ends, no headers of a proxy, our own name, and nobody else operates',
    routes: ['startDashboardSessionOfDemo'],
  },
  {
    who: 'an operator or developer',
    proof: 'a password, a passkey or a link for an operator, which these routes verify',
    routes: [
      'startDashboardSession',
      'startDashboardSessionByPasskey',
      'checkOperatorLink',
      'createPasskeyOptionsOfLink',
      'answerOperatorLink',
    ],
  },
  {
    who: 'an operator or developer',
    proof: 'the session of an operator or developer, for their own password, passkeys and exports',
    routes: [
      'getDashboardSession',
      'setOwnPassword',
      'listOwnPasskeys',
      'createPasskeyOptions',
      'addOwnPasskey',
      'deleteOwnPasskey',
      'createExportLink',
      'exportByLink',
    ],
  },
]
