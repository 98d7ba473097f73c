import { revokeAnyToken } from '#identity/accounts.ts'
import { ApiError } from '#model/errors.ts'
import { command } from '../command.ts'

export const revoke = command({
  name: 'token revoke',
  summary: 'Revoke an access token.',
  args: ['TOKEN'],
  run: async ({ args, out, withStore }) => {
    if (!(await withStore((store) => revokeAnyToken(store, args[0]))))
      throw new ApiError('not_found', 'The token is unknown or already revoked.')
    out.result({ revoked: true }, () => ['Revoked.'])
  },
})
