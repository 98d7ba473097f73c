import { answersIn } from '#access/service-access.ts'
import { AuthorizeError } from '#identity/errors.ts'
import { ownKeyFor, readAnswers } from '#identity/sign-in-access.ts'
import { type Answers, hostFieldOf } from '#kit/auth/ask.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { invalidInput } from '#model/errors.ts'
import type { OpenServiceKey } from '#store/apps/service-keys.ts'
import { fillConnector } from '#upstream/fill-connector.ts'

interface Instance {
  connector: Connector
  instance: Answers
}

/**
 * Where the instance is a part of people's ids, the app names it by the answers to the questions, or its server by `base_url`. No
 * other address may be given: it could speak for people of another instance. Undefined where ids are unique everywhere.
 */
export function namedInstance(
  connector: Connector,
  key: OpenServiceKey,
  given: Readonly<Record<string, string>> = {},
): Instance | undefined {
  const ask = connector.ask ?? {}
  const field = hostFieldOf(ask)
  if (field === undefined && !Object.values(ask).some(({ qualifiesIds }) => qualifiesIds === true)) return undefined
  const { base_url: address, ...named } = given
  const unknown = Object.keys(named).find((name) => !Object.hasOwn(ask, name))
  if (unknown !== undefined)
    throw refused(unknown, `is not known; allowed are ${Object.keys(ask).join(', ')}, base_url.`)
  const overrides = { ...key.overrides, ...(address === undefined ? {} : { base_url: address }) }
  const { answers, missing, wrong } = readAnswers({ connector, ownKey: { ...key, overrides } }, named)
  const [fault] = [...missing, ...wrong]
  if (fault !== undefined) throw refused(fault, `must be like ${ask[fault]?.example}.`)
  const implied = field === undefined ? undefined : answersIn(connector, { ...key, overrides })[field]
  if (field !== undefined && ((implied ?? answers[field]) !== answers[field] || !isOwn(connector, key, answers)))
    throw refused(field, 'is another server than that of the app’s keys (their base_url).')
  // Ids name the host only, so nothing below it may speak for its people.
  if (address !== undefined && address !== key.overrides['base_url'] && URL.parse(address)?.pathname !== '/')
    throw refused('base_url', 'must be the address of a server, without a path.')
  return { connector: fillConnector(connector, answers), instance: answers }
}

function isOwn(connector: Connector, ownKey: OpenServiceKey, answers: Answers): boolean {
  try {
    return ownKeyFor({ connector, ownKey }, answers) !== undefined
  } catch (error) {
    if (error instanceof AuthorizeError) return false
    throw error
  }
}

const refused = (name: string, sentence: string) => invalidInput('bad_parameter', `instance.${name}`, sentence)
