import { ApiError } from '#model/errors.ts'
import { codeOf } from '#platform/errors.ts'
import { findJsonFault } from '#platform/formats/json-fault.ts'

/** The error for a body that is not JSON: where it breaks and why. Repeats nothing of the body, which may contain secrets. */
export function jsonBodyError(body: string, cause: unknown): ApiError {
  if (codeOf(cause) === 'FST_ERR_CTP_EMPTY_JSON_BODY')
    return new ApiError('bad_body', 'The body is empty, although its content type is JSON.', { cause })
  const fault = findJsonFault(body.replace(/^\uFEFF/, ''))
  if (fault === undefined)
    return new ApiError('bad_body', 'The body has a field named “__proto__”, or “constructor” with a “prototype”.', {
      cause,
    })
  const { line, column, problem } = fault
  return new ApiError('bad_body', `The body is not JSON: line ${line}, column ${column}: ${problem}.`, { cause })
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
