import { z } from 'zod'
import { showAccount } from '#flows/accounts/list-accounts.ts'
import { createReconnectLink, openReconnectLink, startReconnect } from '#flows/connect/reconnect-link.ts'
import { chooseProfile, profileIn } from '#flows/sync/progress.ts'
import type { Reason } from '#model/errors.ts'
import { text } from '../request/parameters.ts'
import { rememberBrowser } from '../server/browser.ts'
import { rememberApp } from '../server/last-app.ts'
import { route } from '../server/route.ts'
import { continueSignIn } from '../sign-in/continue-sign-in.ts'
import { returnFailure } from '../sign-in/return-to-app.ts'

const body = z.object({
  redirect_uri: text('Where to redirect the person afterwards; may be missing if the app has only one.').optional(),
  scope: text("Overrides the service's default scope.").optional(),
})
const response = z
  .object({
    url: z.string().describe('For the person. Works once, and until `expires_at`.'),
    expires_at: z.int(),
  })
  .meta({ id: 'ReconnectLink', description: 'A link by which a person signs in again.' })
const reasons: Reason[] = ['no_profile', 'no_service_keys', 'redirect_unregistered']

export const linkByAccount = route({
  auth: 'account',
  idempotencyKey: true,
  summary: 'Create a link by which the person signs in again to a profile',
  path: z.object({ profile: text('`service` or `id@service`.') }),
  body,
  status: 201,
  response,
  reasons,
  run: async (deps, call) => {
    const profile = await chooseProfile(deps, call.account, call.path.profile)
    const { redirect_uri: redirectUri, scope } = call.body
    return createReconnectLink(deps, profile, { redirectUri, scope }, call.actor)
  },
})

export const linkByApp = route({
  auth: 'app',
  idempotencyKey: true,
  summary: "Create a link by which a person signs in again to a profile of one of the app's accounts",
  path: z.object({ id: text('The account.'), profile: text('`service` or `id@service`.') }),
  body,
  status: 201,
  response,
  reasons: [...reasons, 'not_found'],
  run: async (deps, { app, actor, path, body: given }) => {
    const { id } = await showAccount(deps, app.id, path.id)
    const profile = await profileIn(deps, id, path.profile)
    return createReconnectLink(deps, profile, { redirectUri: given.redirect_uri, scope: given.scope }, actor)
  },
})

export const follow = route({
  auth: 'browser',
  signInStep: 'request',
  hasSideEffects: true,
  summary: 'Redirect a person to a service to sign in again, by a link that the app created',
  query: z.object({ ticket: text('From the link.') }),
  status: 302,
  reasons: ['link_invalid', 'redirect_unregistered', 'too_many_sign_ins'],
  headers: ['Location'],
  run: async (deps, { query, request, reply, signIn }) => {
    const opened = await openReconnectLink(deps, query.ticket)
    const browser = rememberBrowser(deps, request, reply)
    rememberApp(deps, reply, opened.app, opened.to)
    try {
      return continueSignIn(deps, reply, await startReconnect(signIn, opened, browser, request.ip), 302)
    } catch (error) {
      return returnFailure(signIn, reply, opened.to, error)
    }
  },
})
