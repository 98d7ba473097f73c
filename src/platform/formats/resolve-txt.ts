import { Resolver } from 'node:dns/promises'

/** The texts of a DNS record; empty if there is none or no server answers. */
export type ResolveTxt = (name: string) => Promise<readonly string[]>

/** Limit: time for one answer of a DNS server about a text record; then it counts as absent. */
const MAX_ANSWER_MS = 3000
/** Limit: texts of one DNS record that are read; further ones are ignored. */
const MAX_TEXTS = 50

export const systemResolveTxt: ResolveTxt = async (name) => {
  const resolver = new Resolver({ timeout: MAX_ANSWER_MS, tries: 2 })
  try {
    return (await resolver.resolveTxt(name)).slice(0, MAX_TEXTS).map((parts) => parts.join(''))
  } catch {
    // No record, or no answer: callers have another way to find out.
    return []
  }
}
