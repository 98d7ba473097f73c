import { formDecode, type Pair, without } from '../base/pairs.ts'
import { formOf, type LabRequest } from '../base/request.ts'
import { oauth1Error } from './error.ts'
import { isPercentEncoded } from './percent.ts'
import type { Transmission } from './settings.ts'

export interface CollectedParameters {
  sentBy: Transmission
  /** Protocol parameters, without duplicates. */
  oauth: Map<string, string>
  /** All signed parameters from header, body and query. */
  signed: Pair[]
}

const isProtocol = ([name]: Pair): boolean => name.startsWith('oauth_')

/** RFC 5849 3.4.1.3.1 and 3.5: collects the parameters; protocol parameters must all be in one place. */
export function collectParameters(request: LabRequest, malformedStatus: number): CollectedParameters {
  const malformed = (check: string, detail: string) => oauth1Error(check, detail, malformedStatus)
  const header = headerParams(request.headers.authorization, malformed)
  const body = formOf(request)
  const sources: [Transmission, Pair[]][] = [
    ['header', header],
    ['body', body],
    ['query', request.query],
  ]
  const used = sources.filter(([, pairs]) => pairs.some(isProtocol))
  const [source] = used
  if (!source)
    throw oauth1Error('parameter_absent', 'no OAuth parameters in header, form body or query', malformedStatus)
  if (used.length > 1) throw malformed('parameter_rejected', 'OAuth parameters come from more than one place')
  const oauth = new Map<string, string>()
  for (const [name, value] of source[1].filter(isProtocol)) {
    if (oauth.has(name)) throw malformed('parameter_rejected', `${name} is given twice`)
    oauth.set(name, value)
  }
  const signed = [...header, ...body, ...request.query]
  return { sentBy: source[0], oauth, signed: without(signed, 'oauth_signature') }
}

type Malformed = (check: string, detail: string) => Error

function headerParams(header: string | undefined, malformed: Malformed): Pair[] {
  const scheme = /^OAuth\s+/i.exec(header ?? '')
  if (header === undefined || !scheme) return []
  const pairs: Pair[] = []
  let rest = header.slice(scheme[0].length)
  while (rest !== '') {
    const match = /^\s*([^=\s,"]+)="([^"]*)"\s*(,|$)/.exec(rest)
    if (!match) throw malformed('parameter_rejected', `the Authorization header cannot be read at: ${rest}`)
    const [whole, name = '', value = ''] = match
    rest = rest.slice(whole.length)
    if (name.toLowerCase() === 'realm') continue
    if (!isPercentEncoded(name) || !isPercentEncoded(value))
      throw malformed('parameter_rejected', `${name} is not percent-encoded in the Authorization header`)
    try {
      pairs.push([formDecode(name), formDecode(value)])
    } catch {
      throw malformed('parameter_rejected', `${name} is not UTF-8`)
    }
  }
  return pairs
}
