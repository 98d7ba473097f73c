import { revokeAnyToken } from '#flows/authorize/accounts.ts'
import { ApiError } from '#model/errors.ts'
import { command } from './command.ts'

export const revoke = command({
  name: 'token revoke',
  summary: 'take an access token back',
  args: ['TOKEN'],
  run: async ({ args, out, withStore }) => {
    if (!(await withStore((store) => revokeAnyToken(store, args[0]))))
      throw new ApiError('not_found', 'There is no such token, or it was revoked before.')
    out.result({ revoked: true }, () => ['Revoked.'])
  },
})
