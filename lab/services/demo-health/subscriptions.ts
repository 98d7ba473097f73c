import { createHmac } from 'node:crypto'
import type { Person } from '../../base/people.ts'
import { json, noContent, type Reply } from '../../base/reply.ts'
import { jsonOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { DataControl, Kept, ServiceContext } from '../../base/service-parts.ts'
import { createWebhooks, type WebhookControl } from '../../base/webhooks.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'

interface Subscription {
  id: string
  url: string
  person: Person
  client: { key: string; secret: string }
  expiresAtMs: number
}

const ttlMs = 3_600_000

export interface HealthSubscriptions {
  routes: Routes
  hooks: WebhookControl
  /** Every subscription that has not ended. */
  active(): Subscription[]
  /** The same control, which also notifies subscribers. */
  notifying(control: DataControl, present: (person: string, id: string) => object | undefined): DataControl
  /** Tells every subscriber that records of these kinds have changed. */
  notifyAll(kinds: readonly string[]): void
  keptFor(people: readonly Person[]): Kept
}

interface SavedSubscription extends Pick<Subscription, 'id' | 'url' | 'client' | 'expiresAtMs'> {
  person: string
}

/** Webhooks with the content of what changed, signed with the client's secret and the time. */
export function createSubscriptions(
  { clock, reach }: Pick<ServiceContext, 'clock' | 'reach'>,
  oauth: OAuth2Server,
): HealthSubscriptions {
  const webhooks = createWebhooks(reach)
  const all = new Map<string, Subscription>()
  let next = 1
  const active = () => [...all.values()].filter(({ expiresAtMs }) => expiresAtMs > clock.now())
  const shown = ({ id, url, expiresAtMs }: Subscription) => ({ id, url, expires_at: Math.floor(expiresAtMs / 1000) })
  const mine = (request: LabRequest) => {
    const { person, client } = oauth.guard(request, 'profile')
    return { person, client, list: active().filter((each) => each.client.key === client.key && each.person === person) }
  }
  const missing = () => json(404, { error: 'not_found' })

  const subscribe = async (request: LabRequest): Promise<Reply> => {
    const { person, client, list } = mine(request)
    const { url } = jsonOf(request)
    if (typeof url !== 'string' || !URL.canParse(url)) return json(400, { error: 'url is required' })
    if (list.some((each) => each.url === url)) return json(409, { error: 'already_subscribed' })
    if (!(await isVerified(reach(url), client.secret, clock.now()))) return json(400, { error: 'url_not_verified' })
    const subscription = { id: `sub-${next}`, url, person, client, expiresAtMs: clock.now() + ttlMs }
    next += 1
    all.set(subscription.id, subscription)
    return json(201, shown(subscription))
  }

  const renew = (request: LabRequest, { id = '' }: Record<string, string>): Reply => {
    const found = mine(request).list.find((each) => each.id === id)
    if (!found) return missing()
    found.expiresAtMs = clock.now() + ttlMs
    return json(200, shown(found))
  }

  const end = (request: LabRequest, { id = '' }: Record<string, string>): Reply => {
    if (!mine(request).list.some((each) => each.id === id)) return missing()
    all.delete(id)
    return noContent()
  }

  const notify = (username: string, event: object): void => {
    for (const { url, person, client } of active().filter((each) => each.person.username === username)) {
      const body = JSON.stringify({ events: [{ person: person.id, ...event }] })
      webhooks.deliver(url, signed(client.secret, body, clock.now()), body)
    }
  }

  return {
    routes: {
      'POST /api/subscriptions': subscribe,
      'GET /api/subscriptions': (request) => json(200, { subscriptions: mine(request).list.map(shown) }),
      'PUT /api/subscriptions/:id': renew,
      'DELETE /api/subscriptions/:id': end,
    },
    hooks: webhooks,
    active,
    notifyAll: (kinds) => {
      for (const username of new Set(active().map(({ person }) => person.username)))
        for (const kind of kinds) notify(username, { kind })
    },
    keptFor: (people) => ({
      save: (): SavedSubscription[] =>
        active().map(({ id, url, client: { key, secret }, expiresAtMs, person }) => ({
          id,
          url,
          client: { key, secret },
          expiresAtMs,
          person: person.username,
        })),
      load(saved) {
        for (const { person: username, ...one } of saved as SavedSubscription[]) {
          const person = people.find((each) => each.username === username)
          if (person) all.set(one.id, { ...one, person })
          next = Math.max(next, Number(one.id.slice('sub-'.length)) + 1)
        }
      },
    }),
    notifying: (control, present) => {
      const changed = (username: string, kind: string, id: unknown) => {
        const record = kind === 'activities' ? present(username, String(id)) : undefined
        notify(username, record === undefined ? { kind } : { kind, activity: record })
      }
      return {
        add: (person, kind, fields) => {
          const added = control.add(person, kind, fields)
          changed(person, kind, added['id'])
          return added
        },
        edit: (person, kind, id, fields) => {
          const edited = control.edit(person, kind, id, fields)
          changed(person, kind, id)
          return edited
        },
        remove: (person, kind, id) => {
          control.remove(person, kind, id)
          notify(person, { kind, deleted: Number(id), deleted_at: Math.floor(clock.now() / 1000) })
        },
      }
    },
  }
}

/** The address must repeat a challenge. */
async function isVerified(url: string, secret: string, nowMs: number): Promise<boolean> {
  const challenge = createHmac('sha256', url).update(String(nowMs)).digest('hex')
  const body = JSON.stringify({ type: 'url_verification', challenge })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: signed(secret, body, nowMs),
      body,
      redirect: 'manual',
    })
    return response.status === 200 && (await response.text()) === challenge
  } catch {
    // Nobody listens at the address.
    return false
  }
}

/** The headers of a webhook. The time is signed, so that nobody can send it again later. */
export function signed(secret: string, body: string, nowMs: number): Record<string, string> {
  const time = String(Math.floor(nowMs / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
  return { 'content-type': 'application/json', 'x-health-timestamp': time, 'x-health-signature': `v0=${signature}` }
}
