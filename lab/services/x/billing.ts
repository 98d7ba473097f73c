import type { ServiceClock } from '../../base/clock.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { settingGroup } from '../../declare/service.ts'

/** The price list, in millionths of a dollar per resource, for people who do not own the app. */
const prices = { posts: 5000, users: 10_000, follows: 10_000, messages: 10_000 }
export type Resource = keyof typeof prices

export type XBilling = ReturnType<typeof createXBilling>

/** One prepaid account for all clients. A balance above zero pays for a whole page, so it may become negative. */
export function createXBilling(clock: ServiceClock) {
  const settings: { credits: number | null } = { credits: null }
  const invoice = { posts: 0, users: 0, follows: 0, messages: 0 }
  let charged = new Set<string>()
  let day = ''
  let refused = 0
  const spent = () => Object.values(invoice).reduce((sum, each) => sum + each, 0)

  /** A resource is charged once within a day (UTC). */
  function charge(resource: Resource, id: string): void {
    const today = new Date(clock.now()).toISOString().slice(0, 10)
    if (today !== day) charged = new Set()
    day = today
    const key = `${resource} ${id}`
    if (!charged.has(key)) invoice[resource] += prices[resource]
    charged.add(key)
  }

  return {
    ...settingGroup(settings, { credits: (value) => value === null || typeof value === 'number' }),
    /** What was bought, and what was charged so far by resource; all in millionths of a dollar. */
    get settings() {
      return { credits: settings.credits, invoice: { ...invoice }, refused }
    },
    /** Refuses a call without credit; otherwise returns how to charge for its reply. */
    open(resource: Resource) {
      if (settings.credits !== null && settings.credits - spent() <= 0) {
        refused += 1
        throw creditsDepleted()
      }
      return (reply: Reply) => {
        // Failed requests are not charged.
        if (reply.status === 200) for (const id of idsIn(reply)) charge(resource, id)
        return reply
      }
    },
  }
}

function idsIn({ body }: Reply): string[] {
  const { data = [] } = JSON.parse(String(body)) as { data?: { id: string } | { id: string }[] }
  return [data].flat().map(({ id }) => id)
}

const creditsDepleted = (): Refusal =>
  new Refusal(
    json(402, {
      title: 'CreditsDepleted',
      detail: 'Your enrolled account does not have any credits to fulfill this request.',
      type: 'https://api.x.com/2/problems/credits',
    }),
  )
