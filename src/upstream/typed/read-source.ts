import type { Connector } from '#kit/connector.ts'
import type { Self } from '#kit/self.ts'
import type { NoAuth, TypedValues } from '#kit/typed.ts'
import { UpstreamError } from '../errors.ts'
import { parseObject } from '../parse-object.ts'

/**
 * What a service without sign-in says about the source that somebody named. The reader gets the parsed object, or the text of
 * anything else. The id comes from what was named: the source itself must not be able to choose it.
 */
export function readSource(
  connector: Connector,
  auth: NoAuth,
  values: TypedValues,
  text: string,
): { self: Self; raw: string } {
  const document = parseObject(text)
  try {
    const self = { ...connector.self.read(document ?? text), id: auth.id(values) }
    return { self, raw: document === undefined ? JSON.stringify({ ...values, name: self.name }) : text }
  } catch (error) {
    throw new UpstreamError('stop', 'What was named could not be read', { reason: 'answer_unreadable', cause: error })
  }
}
