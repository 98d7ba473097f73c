import { first } from '../../base/pairs.ts'
import { json, Refusal } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'

const dayMs = 86_400_000
const maxDays = 31

const wrong = (message: string): Refusal => new Refusal(json(400, { error: 'bad_parameter', message }))

/** `start` and `end` as calendar days in UTC, both included, at most 31 days. */
export function dayWindow(request: LabRequest): { fromMs: number; untilMs: number } {
  const [fromMs, lastMs] = [day(request, 'start'), day(request, 'end')]
  if (lastMs < fromMs) throw wrong('end is before start')
  if (lastMs - fromMs >= maxDays * dayMs) throw wrong(`a window holds at most ${maxDays} days`)
  return { fromMs, untilMs: lastMs + dayMs }
}

function day(request: LabRequest, name: string): number {
  const value = first(request.query, name) ?? ''
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== value) throw wrong(`${name} is a day, YYYY-MM-DD`)
  return ms
}

export function whole(request: LabRequest, name: string, fallback: number, max = Number.MAX_SAFE_INTEGER): number {
  const value = first(request.query, name)
  if (value === undefined) return fallback
  if (!/^\d{1,15}$/.test(value) || Number(value) > max) throw wrong(`${name} is a whole number up to ${max}`)
  return Number(value)
}
