import { egressErrorIn, explainRefusal, isNameRefusal } from '#platform/egress/errors.ts'
import { codeOf } from '#platform/errors.ts'
import { BodyDecodeError, BodyLimitError } from '../body/errors.ts'
import { UpstreamError } from './errors.ts'

const UNREACHABLE = { recovery: 'retry', reason: 'service_unreachable' } as const
const REFUSED = { recovery: 'stop', reason: 'address_refused' } as const

/** Classifies an error that occurred before a complete response was received. */
export function transportError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  const refused = egressErrorIn(error)
  if (refused) {
    // A name may lead elsewhere tomorrow, and may only be missing at the moment.
    const { recovery, reason } = isNameRefusal(refused) ? UNREACHABLE : REFUSED
    return new UpstreamError(recovery, explainRefusal(refused).replace(/\.$/, ''), { reason, cause: error })
  }
  if (error instanceof BodyLimitError) {
    if (error.reason === 'body_too_large')
      return new UpstreamError('stop', error.message, { reason: 'answer_too_large', cause: error })
    return new UpstreamError('retry', error.message, { reason: 'service_timeout', cause: error })
  }
  if (error instanceof BodyDecodeError)
    return new UpstreamError('retry', error.message, { reason: 'answer_unreadable', cause: error })
  // The HTTP client refuses invalid header values and paths.
  if (codeOf(error) === 'UND_ERR_INVALID_ARG')
    return new UpstreamError('stop', 'The request cannot be sent as it is', { reason: 'request_invalid' })
  if (isTimeout(error))
    return new UpstreamError('retry', 'The service did not respond in time', {
      reason: 'service_timeout',
      cause: error,
    })
  return new UpstreamError('retry', 'The service cannot be reached', { reason: 'service_unreachable', cause: error })
}

function isTimeout(error: unknown): boolean {
  return (error instanceof Error && error.name === 'TimeoutError') || /TIMEOUT|ETIMEDOUT/.test(codeOf(error) ?? '')
}
