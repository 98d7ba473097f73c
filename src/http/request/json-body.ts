import { ApiError } from '#model/errors.ts'
import { findJsonFault } from '#platform/formats/json-fault.ts'

/** Texts that may have a name with which an object gets another prototype: written out, or in escapes of ASCII letters. */
const SUSPICIOUS = /__proto__|constructor|\\u00[5-7]/i

/** Parses a body. An error says where it breaks and why, and repeats nothing of the body, which may contain secrets. */
export function parseJsonBody(body: string): unknown {
  if (body === '') throw new ApiError('bad_body', 'The body is empty, although its content type is JSON.')
  const text = body.replace(/^\uFEFF/, '')
  try {
    return SUSPICIOUS.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text)
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    const fault = findJsonFault(text)
    const where = fault && `line ${fault.line}, column ${fault.column}: ${fault.problem}`
    throw new ApiError('bad_body', `The body is not JSON${where === undefined ? '' : `: ${where}`}.`, { cause })
  }
}

function refusePrototype(name: string, value: unknown): unknown {
  const isConstructor = name === 'constructor' && typeof value === 'object' && value !== null
  if (name === '__proto__' || (isConstructor && Object.hasOwn(value, 'prototype')))
    throw new ApiError('bad_body', 'The body has a field named “__proto__”, or “constructor” with a “prototype”.')
  return value
}

/** Whether a form is JSON that was sent with the wrong content type, as curl does without a header. No field begins like this. */
export function looksLikeJson(form: string): boolean {
  return /^\s*(?:[{[]|%7B%22)/i.test(form)
}

export function jsonAsFormError(): ApiError {
  return new ApiError(
    'bad_body',
    'The body looks like JSON that was sent as a form. Add the header “content-type: application/json”.',
  )
}
