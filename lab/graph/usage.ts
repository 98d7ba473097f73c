import type { OutgoingHttpHeaders } from 'node:http'
import type { RateLimit } from '../base/rate-limit.ts'
import { Refusal, type Reply } from '../base/reply.ts'

export interface Usage {
  percent: number
  /** 0 while calls are allowed. */
  waitSeconds: number
}

/** Counts a call. Meta reports usage as a percentage of the limit, never as a number of calls. */
export function countCall(rateLimit: RateLimit, key: string): Usage {
  try {
    const { headers } = rateLimit.acquire(key)({ status: 200, headers: {}, body: '' })
    const limit = Math.max(1, rateLimit.settings.limit)
    return { percent: Math.floor(((limit - Number(headers['x-ratelimit-remaining'])) / limit) * 100), waitSeconds: 0 }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { percent: 100, waitSeconds: Number(error.reply.headers['retry-after']) }
  }
}

export const withHeaders = (reply: Reply, headers: OutgoingHttpHeaders): Reply => ({
  ...reply,
  headers: { ...headers, ...reply.headers },
})
