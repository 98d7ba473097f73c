import { type BrowserSession, createBrowserSessions } from './browser-session.ts'
import type { ServiceClock } from './clock.ts'
import type { ConsentRequest } from './consent-request.ts'
import { type Brand, problemPage } from './page.ts'
import { first } from './pairs.ts'
import type { Person } from './people.ts'
import { secret } from './random.ts'
import { Refusal, type Reply, redirect, withQuery } from './reply.ts'
import { formOf, type LabRequest } from './request.ts'
import type { Routes } from './router.ts'
import { consentPage, loginPage } from './sign-in-pages.ts'

const interactionTtlMs = 10 * 60_000
/** The parameter of an authorization request that names who signs in, in the demo's one-click start. */
const hint = 'demo_person'

export interface SignIn {
  routes: Routes
  begin(request: LabRequest, consentRequest: ConsentRequest): Reply
}

interface Interaction {
  consentRequest: ConsentRequest
  session: BrowserSession
  expiresAtMs: number
  loggedIn: boolean
}

export interface SignInParts {
  name: string
  brand: Brand
  people: Person[]
  clock: ServiceClock
  /** The service's URL, whose path precedes the paths of the pages. */
  url?: () => string
  acceptsHint?: boolean
}

export function createSignIn(parts: SignInParts): SignIn {
  const { brand, people, clock } = parts
  const root = () => (parts.url === undefined ? '' : new URL(parts.url()).pathname.replace(/\/$/, ''))
  const sessions = createBrowserSessions(parts.name, root)
  const interactions = new Map<string, Interaction>()

  /** An interaction is valid only in the browser that started it. */
  function find(request: LabRequest, id: string | undefined) {
    const session = sessions.of(request)
    const interaction = interactions.get(id ?? '')
    if (!id || !session || !interaction || interaction.session !== session || interaction.expiresAtMs <= clock.now())
      throw new Refusal(
        problemPage(brand, 'This page has expired', 'Go back to the app and start again. Nothing was shared.'),
      )
    return { id, session, interaction }
  }

  return {
    begin(request, consentRequest) {
      const hinted = parts.acceptsHint ? people.find((one) => one.username === first(request.query, hint)) : undefined
      if (hinted) {
        const permissions = consentRequest.permissions.map(({ name }) => name)
        return consentRequest.finish({ allowed: true, person: hinted, permissions })
      }
      const session = sessions.ensure(request)
      const loggedIn = session.person !== undefined && !consentRequest.mustLogin
      const id = secret()
      interactions.set(id, {
        consentRequest,
        session,
        expiresAtMs: clock.now() + interactionTtlMs,
        loggedIn,
      })
      return sessions.attach(
        session,
        redirect(withQuery(`${root()}${loggedIn ? '/consent' : '/login'}`, { interaction: id })),
      )
    },
    routes: {
      'GET /login': (request) => {
        const { id, interaction } = find(request, first(request.query, 'interaction'))
        return loginPage({ brand, root: root(), people, id, clientName: interaction.consentRequest.clientName })
      },
      'POST /login': (request) => {
        const fields = formOf(request)
        const { id, session, interaction } = find(request, first(fields, 'interaction'))
        const username = first(fields, 'username') ?? ''
        const person = people.find(
          (one) =>
            one.username === first(fields, 'as') ||
            (one.username === username && one.password === first(fields, 'password')),
        )
        if (!person)
          return loginPage({
            brand,
            root: root(),
            people,
            id,
            clientName: interaction.consentRequest.clientName,
            failedUsername: username,
          })
        sessions.renew(session)
        session.person = person
        interaction.loggedIn = true
        return sessions.attach(session, redirect(withQuery(`${root()}/consent`, { interaction: id }), 303))
      },
      'GET /consent': (request) => {
        const { id, session, interaction } = find(request, first(request.query, 'interaction'))
        if (!session.person || !interaction.loggedIn)
          return redirect(withQuery(`${root()}/login`, { interaction: id }), 303)
        return consentPage({
          brand,
          root: root(),
          id,
          consentRequest: interaction.consentRequest,
          person: session.person,
        })
      },
      'POST /consent': (request) => {
        const fields = formOf(request)
        const { id, session, interaction } = find(request, first(fields, 'interaction'))
        const decision = first(fields, 'decision')
        if (decision === 'deny') {
          interactions.delete(id)
          return interaction.consentRequest.finish({ allowed: false })
        }
        if (decision !== 'allow' || !session.person || !interaction.loggedIn)
          return problemPage(brand, 'Something is missing', 'Sign in, then choose Allow or Deny.')
        const ticked = new Set(fields.filter(([name]) => name === 'permission').map(([, value]) => value))
        const permissions = interaction.consentRequest.permissions
          .map(({ name }) => name)
          .filter((name) => ticked.has(name))
        interactions.delete(id)
        return interaction.consentRequest.finish({ allowed: true, person: session.person, permissions })
      },
    },
  }
}
