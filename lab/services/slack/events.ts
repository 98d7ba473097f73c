import { createHmac } from 'node:crypto'
import type { ServiceClock } from '../../base/clock.ts'
import type { Person } from '../../base/people.ts'
import type { DataControl } from '../../base/service-parts.ts'
import { InvalidSetting } from '../../base/settings.ts'
import { createWebhooks, type WebhookControl } from '../../base/webhooks.ts'
import { idOf, type Message, type SlackData, TEAM } from './data.ts'
import { presentMessage } from './present.ts'

export interface SlackHooks extends WebhookControl {
  /** Sets the Request URL of an app, which must answer the challenge; throws if it does not. */
  register(url: string, app: string, signingSecret: string): Promise<void>
  /** Sends an event to every app that somebody installed. */
  send(event: object, viewers?: readonly string[]): void
  /** The workspace removes the apps. */
  uninstall(): void
}

export interface SlackEvents {
  hooks: SlackHooks
  installed: (app: string, username: string) => void
  revoked(username: string | undefined): void
  data: DataControl
}

interface EventParts {
  clock: ServiceClock
  people: Person[]
  data: SlackData
}

/** The Events API: signed with the time, each with one authorization, also if several people see it. */
export function createSlackEvents({ clock, people, data }: EventParts): SlackEvents {
  const webhooks = createWebhooks()
  const apps = new Map<string, { url: string; secret: string }>()
  const installs = new Map<string, Set<string>>()
  let sequence = 0
  const idFor = (username: string) => people.find((each) => each.username === username)?.id ?? ''
  const everybody = people.map(({ id }) => id)

  const send = (event: object, viewers: readonly string[] = everybody): void => {
    for (const [app, { url, secret }] of apps) {
      const user = [...(installs.get(app) ?? [])].map(idFor).find((id) => viewers.includes(id))
      if (user === undefined) continue
      const body = JSON.stringify({
        token: 'deprecated',
        team_id: TEAM.id,
        api_app_id: `A${app}`,
        event,
        type: 'event_callback',
        event_id: `Ev${(sequence += 1)}`,
        event_time: Math.floor(clock.now() / 1000),
        authorizations: [
          { enterprise_id: null, team_id: TEAM.id, user_id: user, is_bot: false, is_enterprise_install: false },
        ],
        is_ext_shared_channel: false,
      })
      webhooks.deliver(url, signed(secret, body, clock.now()), body)
    }
  }
  const sendMessage = (message: Message, event: object) => {
    const channel = data.channels.find(({ id }) => id === message.channel)
    const kind = { public_channel: 'channel', private_channel: 'group', mpim: 'mpim', im: 'im' }
    const common = { type: 'message', channel: message.channel, channel_type: kind[channel?.type ?? 'im'] }
    send({ ...common, event_ts: data.nextTs(), ...event }, channel?.members)
  }
  const checked = (kind: string) => {
    if (kind !== 'messages') throw new InvalidSetting('kind must be messages')
  }

  return {
    hooks: {
      ...webhooks,
      async register(url, app, secret) {
        const challenge = createHmac('sha256', url).update('challenge').digest('hex')
        const body = JSON.stringify({ token: 'deprecated', challenge, type: 'url_verification' })
        const headers = signed(secret, body, clock.now())
        const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
        if (response.status !== 200 || (await response.text()) !== challenge)
          throw new Error(`${url} did not answer the challenge`)
        apps.set(app, { url, secret })
      },
      send,
      uninstall() {
        const all = [...new Set([...installs.values()].flatMap((each) => [...each]))]
        send({ type: 'app_uninstalled' })
        send({ type: 'tokens_revoked', tokens: { oauth: all.map(idFor), bot: [] } })
      },
    },
    installed: (app, username) => void installs.set(app, (installs.get(app) ?? new Set()).add(username)),
    revoked: (username) => {
      const names = username === undefined ? people.map((each) => each.username) : [username]
      send({ type: 'tokens_revoked', tokens: { oauth: names.map(idFor), bot: [] } })
    },
    data: {
      add(person, kind, fields) {
        checked(kind)
        const { channel = 'C0GENERAL', text = 'New', thread_ts: thread } = fields as Record<string, string | undefined>
        const message = data.post(channel, idFor(person), text, thread)
        sendMessage(message, { ...presentMessage(data, message), event_ts: message.ts })
        if (thread !== undefined) {
          const parent = data.find(`${channel}:${thread}`)
          sendMessage(parent, { subtype: 'message_replied', hidden: true, message: presentMessage(data, parent) })
        }
        return { id: idOf(message), ...message }
      },
      edit(_person, kind, id, { text = 'Edited' }) {
        checked(kind)
        const before = data.find(id)
        const message = data.edit(id, String(text))
        sendMessage(message, {
          subtype: 'message_changed',
          hidden: true,
          ts: message.edited?.ts,
          message: presentMessage(data, message),
          previous_message: presentMessage(data, before),
        })
        return { id, ...message }
      },
      remove(_person, kind, id) {
        checked(kind)
        const before = presentMessage(data, data.find(id))
        const message = data.remove(id)
        sendMessage(message, {
          subtype: 'message_deleted',
          hidden: true,
          deleted_ts: message.ts,
          ts: data.nextTs(),
          previous_message: before,
        })
      },
    },
  }
}

/** The headers of an event. The time is signed, so that nobody can send it again later. */
export function signed(secret: string, body: string, nowMs: number): Record<string, string> {
  const time = String(Math.floor(nowMs / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
  return {
    'content-type': 'application/json',
    'x-slack-request-timestamp': time,
    'x-slack-signature': `v0=${signature}`,
  }
}
