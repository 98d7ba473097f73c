import type { Self } from '#kit/auth/self.ts'
import type { NoAuth, TypedValues } from '#kit/auth/typed.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { XmlElement } from '#model/xml/element.ts'
import { parseXml } from '#model/xml/parse-xml.ts'
import { UpstreamError } from '../request/errors.ts'
import { parseObject } from '../request/parse-object.ts'

/**
 * What a service without sign-in says about the source that somebody named. The reader gets the parsed object or XML, or
 * the text of anything else. The id comes from what was named: the source itself must not be able to choose it.
 */
export function readSource(
  connector: Connector,
  auth: NoAuth,
  values: TypedValues,
  text: string,
): { self: Self; raw: string } {
  const document = parseObject(text) ?? xmlIn(text) ?? text
  try {
    const self = { ...connector.self.read(document), id: auth.id(values) }
    // Not the source itself: it may be large, and changes with everything that is published in it.
    const { id: _, ...said } = self
    return { self, raw: JSON.stringify({ ...values, ...said }) }
  } catch (error) {
    throw new UpstreamError('stop', 'What was named could not be read', { reason: 'answer_unreadable', cause: error })
  }
}

function xmlIn(text: string): XmlElement | undefined {
  try {
    return parseXml(text)
  } catch {
    // Anything else is for the reader.
    return undefined
  }
}
