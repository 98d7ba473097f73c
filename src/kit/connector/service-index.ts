import { wordsOf } from '#model/items/words.ts'
import { type Auth, needsKeys } from '../auth/auth.ts'
import type { Category, Certainty } from './catalogue-words.ts'
import type { Condition, Connector } from './connector.ts'

/** What lists show of a service; for one of the catalogue it is known without expanding its entry. */
export interface ServiceSummary {
  service: string
  title: string
  docs: string
  aliases: readonly string[]
  auth: Auth['kind']
  /** Whether an app needs keys of its own. */
  needsKeys: boolean
  /** Whether something is synced; otherwise there are the sign-in, the person and the proxy. */
  isSynced: boolean
  category: Category | undefined
  /** Only of services of the catalogue. */
  certainty?: Certainty
  checked?: string
  conditions: readonly Condition[]
}

export function summaryOf(connector: Connector): ServiceSummary {
  const { service, title, docs, aliases, auth, endpoints, category, conditions = [] } = connector
  return {
    service,
    title,
    docs,
    aliases,
    auth: auth.kind,
    needsKeys: needsKeys(auth),
    isSynced: Object.keys(endpoints).length > 0,
    category,
    conditions,
  }
}

/** A service as it is searched for. */
export interface IndexedService extends ServiceSummary {
  /** Place in the list: the title without case and accents. */
  order: string
  /** Name, title and other names, each as its words. */
  names: readonly string[]
  words: readonly string[]
}

/** The services in the order of their titles, prepared for searches. */
export function indexServices(summaries: readonly ServiceSummary[]): IndexedService[] {
  return summaries.map(indexed).sort((one, other) => comparePlaces(one, other))
}

function indexed(summary: ServiceSummary): IndexedService {
  return { ...summary, order: wordsOf(summary.title).join(' '), ...searchWords(summary) }
}

/** What a service is found by. */
export function searchWords({
  service,
  title,
  aliases = [],
  category,
}: Pick<ServiceSummary, 'service' | 'title'> & Partial<Pick<ServiceSummary, 'aliases' | 'category'>>): Pick<
  IndexedService,
  'names' | 'words'
> {
  const split = [title, service, ...aliases].map((name) => wordsOf(name))
  const names = [...new Set(split.flatMap((words) => [words.join(' '), words.join('')]))]
  const words = [...new Set([...split.flat(), ...(category === undefined ? [] : [category])])]
  return { names, words }
}

/** Shorter parts are in too many names. */
const PART_CHARS = 3

type Place = Pick<IndexedService, 'order' | 'service'>

/** Orders by title, and by name where titles are the same. */
export function comparePlaces(one: Place, other: Place): number {
  if (one.order !== other.order) return one.order < other.order ? -1 : 1
  return one.service < other.service ? -1 : Number(one.service > other.service)
}

/**
 * How well a service matches what was typed, 0 best: its name, the beginning of a name, the beginnings of its words, a part of a
 * name. Undefined: not at all.
 */
export function rankOf({ names, words }: Pick<IndexedService, 'names' | 'words'>, typed: string): number | undefined {
  const wanted = wordsOf(typed)
  const whole = wanted.join(' ')
  if (wanted.length === 0) return typed.trim() === '' ? 0 : undefined
  if (names.includes(whole)) return 0
  if (names.some((name) => name.startsWith(whole))) return 1
  const begins = (wantedWord: string) => words.some((word) => word.startsWith(wantedWord))
  if (wanted.every(begins)) return 2
  const isPart = (word: string) => word.length >= PART_CHARS && names.some((name) => name.includes(word))
  return wanted.every((word) => begins(word) || isPart(word)) ? 3 : undefined
}
