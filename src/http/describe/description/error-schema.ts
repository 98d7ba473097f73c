import { codeOfReason, REASONS } from '#model/errors.ts'
import { OAUTH_WORDS } from '#model/oauth-errors.ts'
import { keysOf } from '#platform/formats/keys-of.ts'
import type { Schema } from './schemas.ts'

/** The body of every refused request. */
export function errorSchema(): Schema {
  return {
    type: 'object',
    description: 'Why a request was refused.',
    required: ['error', 'code', 'reason', 'see', 'request_id'],
    properties: {
      error: { type: 'string', description: 'A sentence for developers; it names what was wrong.' },
      code: { type: 'integer', enum: keysOf(REASONS).map(codeOfReason), description: 'The number of the reason.' },
      reason: { $ref: '#/components/schemas/Reason' },
      param: { type: 'string', description: 'The parameter or field at fault, with its path: `accounts.3.id`.' },
      see: { type: 'string', format: 'uri', description: 'Address of a page that explains the reason.' },
      request_id: { type: 'string', description: 'The id of the request, as in the log.' },
      error_code: {
        type: 'string',
        enum: OAUTH_WORDS,
        description: 'At `/oauth/*` and `/auth/*`: the word of RFC 6749.',
      },
      error_description: { type: 'string', description: 'At `/oauth/*` and `/auth/*`: the sentence in ASCII.' },
      error_uri: {
        type: 'string',
        format: 'uri',
        description: 'For standard requests to the token endpoints, where `error` is the word: the same as `see`.',
      },
    },
  }
}
