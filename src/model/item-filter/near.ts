import { z } from 'zod'
import { DEFAULT_WITHIN_KM } from '../items/query.ts'

export const near = z
  .string()
  .transform((text, context) => {
    const match = /^\s*([+-]?\d+(?:\.\d*)?)\s*,\s*([+-]?\d+(?:\.\d*)?)\s*$/.exec(text)
    const [lat, lng] = [Number(match?.[1]), Number(match?.[2])]
    if (match !== null && Math.abs(lat) <= 90 && Math.abs(lng) <= 180) return { lat, lng }
    context.addIssue({ code: 'custom', message: 'must be <latitude>,<longitude>' })
    return z.NEVER
  })
  .optional()
  .describe('`<latitude>,<longitude>`: only items with a place within `within` of it.')

/** Limit: kilometres of `within`, half the circumference of the earth; more counts as this many. */
const MAX_WITHIN_KM = 20_100

export const within = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number of kilometres')
  .transform((text) => Math.min(Number(text), MAX_WITHIN_KM))
  .default(DEFAULT_WITHIN_KM)
  .describe('Kilometres around `near`.')
