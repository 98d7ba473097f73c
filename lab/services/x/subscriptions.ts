import { createHmac } from 'node:crypto'
import type { ServiceClock } from '../../base/clock.ts'
import { json, type Reply } from '../../base/reply.ts'
import { jsonOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { DataControl } from '../../base/service-parts.ts'
import { createWebhooks, type WebhookControl } from '../../base/webhooks.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { XData } from './data.ts'
import { plainProblem } from './problems.ts'

interface Webhook {
  id: string
  url: string
  consumerSecret: string
}

interface Subscription {
  subscription_id: string
  event_type: string
  filter: { user_id: string }
  webhook_id: string
  created_at: string
  updated_at: string
}

/** The documented types of the X Activity API that the lab sends. */
const eventTypes = ['post.create', 'post.delete', 'oauth.revoke']

export interface XSubscriptions {
  routes: Routes
  hooks: WebhookControl & {
    /** Registers an address, which must answer the challenge (CRC). Returns its id; throws if the answer is wrong. */
    register(url: string, consumerSecret: string): Promise<string>
    subscriptions(): Subscription[]
    /** The person takes back the access of an app. */
    revoked(userId: string): void
  }
  notifying(control: DataControl): DataControl
}

/** Activity subscriptions with delivery to webhooks, from docs.x.com/x-api/activity. */
export function createXSubscriptions(clock: ServiceClock, oauth2: OAuth2Server, data: XData): XSubscriptions {
  const webhooks = createWebhooks()
  const registered = new Map<string, Webhook>()
  const all = new Map<string, Subscription>()
  let next = 1_976_325_569_252_868_096n
  const newId = () => String((next += 1n))

  const guarded =
    (act: (request: LabRequest, params: Record<string, string>, userId: string) => Reply) =>
    (request: LabRequest, params: Record<string, string>): Reply => {
      const user = data.byName(oauth2.guard(request, 'tweet.read').person.username)
      return user === undefined ? plainProblem(401, 'Unauthorized') : act(request, params, user.id)
    }
  const total = () => ({ meta: { total_subscriptions: all.size } })

  const create = guarded((request, _params, userId) => {
    const { event_type: type, filter, webhook_id: webhookId } = jsonOf(request) as Partial<Subscription>
    if (type === undefined || !eventTypes.includes(type) || filter?.user_id !== userId)
      return plainProblem(400, 'Invalid Request')
    if (webhookId === undefined || !registered.has(webhookId)) return plainProblem(400, 'Invalid webhook_id')
    const isKnown = [...all.values()].some(
      (each) => each.event_type === type && each.filter.user_id === userId && each.webhook_id === webhookId,
    )
    if (isKnown) return plainProblem(409, 'Duplicate subscription')
    const at = new Date(clock.now()).toISOString()
    const made = {
      subscription_id: newId(),
      event_type: type,
      filter,
      webhook_id: webhookId,
      created_at: at,
      updated_at: at,
    }
    all.set(made.subscription_id, made)
    return json(201, { data: made, ...total() })
  })

  const remove = guarded((_request, { id = '' }) =>
    all.delete(id) ? json(200, { data: { deleted: true }, ...total() }) : plainProblem(404, 'Not Found'),
  )

  const send = ({ url, consumerSecret }: Webhook, event: object) => {
    const body = JSON.stringify({ data: { event_uuid: newId(), ...event } })
    const signature = createHmac('sha256', consumerSecret).update(body).digest('base64')
    webhooks.deliver(
      url,
      { 'content-type': 'application/json', 'x-twitter-webhooks-signature': `sha256=${signature}` },
      body,
    )
  }
  const notify = (userId: string, type: string, payload: object) => {
    for (const { event_type, filter, webhook_id: id } of all.values()) {
      const webhook = registered.get(id)
      if (event_type === type && filter.user_id === userId && webhook) send(webhook, { filter, event_type, payload })
    }
  }

  return {
    routes: {
      'POST /2/activity/subscriptions': create,
      'GET /2/activity/subscriptions': guarded((_request, _params, userId) =>
        json(200, { data: [...all.values()].filter(({ filter }) => filter.user_id === userId), ...total() }),
      ),
      'DELETE /2/activity/subscriptions/:id': remove,
    },
    hooks: {
      ...webhooks,
      register: async (url, consumerSecret) => {
        const id = newId()
        const token = Buffer.from(`crc ${id}`).toString('base64url')
        const response = await fetch(`${url}?crc_token=${token}`)
        const expected = `sha256=${createHmac('sha256', consumerSecret).update(token).digest('base64')}`
        const { response_token: given } = (await response.json()) as { response_token?: string }
        if (given !== expected) throw new Error(`The address did not answer the challenge: ${response.status}`)
        registered.set(id, { id, url, consumerSecret })
        return id
      },
      subscriptions: () => [...all.values()],
      revoked: (userId) => {
        const payload = { date_time: new Date(clock.now()).toISOString(), user_id: userId, app_id: '29820954' }
        for (const webhook of registered.values()) send(webhook, { filter: {}, event_type: 'oauth.revoke', payload })
      },
    },
    notifying: (control) => ({
      ...control,
      add: (username, kind, fields) => {
        const added = control.add(username, kind, fields)
        const id = data.byName(username)?.id
        if (kind === 'posts' && id !== undefined) notify(id, 'post.create', { id: added['id'], author_id: id })
        return added
      },
      remove: (username, kind, postId) => {
        control.remove(username, kind, postId)
        const id = data.byName(username)?.id
        if (kind === 'posts' && id !== undefined) notify(id, 'post.delete', { id: postId, author_id: id })
      },
    }),
  }
}
