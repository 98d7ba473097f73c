import { Refusal } from '../../base/reply.ts'
import type { GithubData } from './data.ts'
import { githubError, invalidField } from './errors.ts'
import type { CommitItem } from './model.ts'

interface Candidate {
  fullName: string
  item: CommitItem
}

type CommitTest = (candidate: Candidate) => boolean

const unknownUsers =
  'The listed users cannot be searched either because the users do not exist or you do not have permission to view the users.'

/** Words and qualifiers that must all match: `author:ada merge:false bread`. */
export function parseCommitQuery(data: GithubData, text: string | undefined): CommitTest {
  if (text === undefined || text.trim() === '') throw new Refusal(invalidField('Search', 'q', 'missing_field'))
  const tests = text
    .trim()
    .split(/\s+/)
    .map((part) => testFor(data, part))
  return (candidate) => tests.every((test) => test(candidate))
}

function testFor(data: GithubData, part: string): CommitTest {
  const [, name = '', value = ''] = /^([a-z-]+):(.+)$/.exec(part) ?? []
  switch (name) {
    case 'author':
    case 'committer': {
      if (!data.account(value)) throw refusedQuery(unknownUsers)
      return ({ item }) => item.fields.authorLogin === value
    }
    case 'author-email':
    case 'committer-email':
      return ({ item }) => item.fields.authorEmail === value
    case 'author-name':
      return ({ item }) => item.fields.authorName.toLowerCase().includes(value.toLowerCase())
    case 'author-date':
    case 'committer-date':
      return dateTest(value)
    case 'repo':
      return ({ fullName }) => fullName === value
    case 'user':
    case 'org':
      return ({ fullName }) => fullName.startsWith(`${value}/`)
    case 'hash':
      return ({ item }) => item.id === value
    case 'merge':
      return ({ item }) => item.fields.parents.length > 1 === (value === 'true')
    default:
      return ({ item }) => item.fields.message.toLowerCase().includes(part.toLowerCase())
  }
}

const dayMs = 86_400_000

/** `2026-05-01`, `>=2026-05-01`, `<2026-05-01T10:00:00Z` or `2026-05-01..2026-06-01`; a bare date covers the whole day. */
function dateTest(value: string): CommitTest {
  const [, sign = '', first = '', last] = /^([<>]=?)?([^.]+)(?:\.\.(.+))?$/.exec(value) ?? []
  const [fromMs, untilMs] = [timeIn(first), last === undefined ? undefined : timeIn(last)]
  const endMs = fromMs + (first.includes('T') ? 1000 : dayMs)
  return ({ item: { createdAtMs: atMs } }) => {
    if (untilMs !== undefined) return atMs >= fromMs && atMs < untilMs + dayMs
    if (sign === '') return atMs >= fromMs && atMs < endMs
    if (sign.startsWith('>')) return sign === '>' ? atMs >= endMs : atMs >= fromMs
    return sign === '<' ? atMs < fromMs : atMs < endMs
  }
}

function timeIn(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw refusedQuery(`"${text}" is not a recognized date/time format. Please provide an ISO 8601 date/time value.`)
  return ms
}

function refusedQuery(message: string): Refusal {
  const errors = [{ message, resource: 'Search', field: 'q', code: 'invalid' }]
  return new Refusal(githubError(422, 'Validation Failed', { errors }, '/v3/search/'))
}
