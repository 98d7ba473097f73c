import type { CallIn, Reply } from './call.ts'
import { refused } from './call.ts'
import { fillEntryText, type LabEntry, setAt } from './entry.ts'

/** The record of the one person of the lab, in the shape that the entry declares; undefined for another call. */
export function presentPerson(entry: LabEntry, base: string, call: CallIn): Reply | undefined {
  const { self } = entry
  const address = self.proof ?? self.get ?? self.post
  if (address === undefined) return undefined
  const wanted = new URL(fillEntryText(entry, address), 'http://lab')
  const at = address.startsWith('https://') ? wanted.pathname : `${base}${wanted.pathname}`
  if (call.path !== at.replace(/\/$/, '')) return undefined
  if (call.method !== (self.post === undefined ? 'GET' : 'POST')) return refused(405, 'another method')
  for (const [name, value] of [...wanted.searchParams, ...Object.entries(self.query ?? {})])
    if (call.query.get(name) !== value) return refused(400, `${name} is missing`)
  if (self.proof !== undefined) return { status: 200, body: {} }
  const record: Record<string, unknown> = {}
  const root = /^\d+(?:\.|$)/.test(self.id ?? '') ? ([] as unknown as Record<string, unknown>) : record
  if (self.name !== undefined) setAt(root, self.name, 'Ada')
  if (self.email !== undefined && self.email !== self.id) setAt(root, self.email, 'ada@lab.example')
  if (self.id !== undefined) setAt(root, self.id, 'person-1')
  return { status: 200, body: root }
}
