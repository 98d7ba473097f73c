import { identifyToken, revokeAnyToken } from '#identity/accounts.ts'
import { ApiError } from '#model/errors.ts'
import { command } from '../command.ts'

export const revoke = command({
  name: 'token revoke',
  summary: 'Revoke an access token or a token for one service.',
  args: ['TOKEN'],
  run: async ({ args, out, withStore }) => {
    if (!(await withStore((store) => revokeAnyToken(store, args[0]))))
      throw new ApiError('not_found', 'The token is unknown or already revoked.')
    out.result({ revoked: true }, () => ['Revoked.'])
  },
})

export const show = command({
  name: 'token show',
  summary: 'Show whose an access token or a token for one service is, and the id that it has in the log.',
  args: ['TOKEN'],
  run: async ({ args, out, withStore, program }) => {
    const found = await withStore((store) => identifyToken(store, args[0]))
    if (found === undefined)
      throw new ApiError('not_found', 'The text is not an access token or a token for a service, or was mistyped.')
    const { id, kind, account, service } = found
    const whose = account && { account: account.id, app: account.appId }
    out.result({ id, kind, valid: account !== undefined, ...whose, ...(service && { service }) }, () => [
      `${kind === 'account' ? 'An access token' : 'A token for one service'}, ${account === undefined ? 'not valid any more' : 'valid'}. Its id in the log is ${id}.`,
      ...(account === undefined
        ? [`Its calls: ${program} log --app CLIENT_ID --kind proxy --search ${id}`]
        : [
            `Account ${account.id} of the app ${account.appId}${service === undefined ? '' : `, service ${service}`}.`,
            `Its calls: ${program} log --app ${account.appId} --kind proxy --search ${id}`,
          ]),
    ])
  },
})
