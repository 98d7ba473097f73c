import {
  createProxyToken,
  MAX_TOKEN_LABEL,
  PROXY_TOKEN_S,
  type ProxyTokenView,
  presentProxyTokens,
  revokeProxyToken,
} from '#flows/proxy/proxy-tokens.ts'
import { accountById } from '#identity/accounts.ts'
import { command, UsageError } from '../command.ts'
import { table } from '../output.ts'

export const create = command({
  name: 'proxy-token create',
  summary: 'Create a token with which only the API of one service can be called, for the SDK of its vendor.',
  args: ['ACCOUNT', 'SERVICE'],
  options: {
    method: { type: 'string', value: 'METHOD', multiple: true, meaning: 'allow only this method, or these' },
    path: {
      type: 'string',
      value: 'PATH',
      multiple: true,
      meaning: 'allow only this path and what is below it, or these',
    },
    label: { type: 'string', value: 'TEXT', meaning: 'what it is for, for those who read the list' },
    'expires-in': { type: 'string', value: 'SECONDS', meaning: 'how long it is valid; otherwise until it is revoked' },
  },
  run: async ({ args, flags, out, withServices }) => {
    const [methods, paths, label] = [flags.texts('method'), flags.texts('path'), flags.text('label')]
    const wrong = methods.find((method) => !/^[A-Za-z]{1,20}$/.test(method))
    if (wrong !== undefined) throw new UsageError(`--method must be a method such as GET, not ${wrong}.`)
    if (label !== undefined && label.length > MAX_TOKEN_LABEL)
      throw new UsageError(`--label must have at most ${MAX_TOKEN_LABEL} characters.`)
    const request = {
      service: args[1],
      methods: methods.length === 0 ? undefined : methods.map((method) => method.toUpperCase()),
      paths: paths.length === 0 ? undefined : paths,
      label,
      expiresInS: seconds(flags.text('expires-in')),
    }
    const made = await withServices(async (deps) =>
      createProxyToken(deps, await accountById(deps, args[0]), request, 'cli'),
    )
    out.result(made, () => [made.token, `It is shown only here. Its id is ${made.id}; ${allows(made)}.`])
  },
})

export const list = command({
  name: 'proxy-token list',
  summary: 'List the tokens for services of an account.',
  args: ['ACCOUNT'],
  run: async ({ args, out, withStore }) => {
    const tokens = await withStore(async (store) => presentProxyTokens(store, await accountById(store, args[0])))
    out.result(tokens, () =>
      table([
        ['id', 'allows', 'label', 'made by', 'made', 'expires', 'last used'],
        ...tokens.map((token) => [
          token.id,
          allows(token),
          token.label ?? '',
          token.made_by,
          day(token.created_at),
          day(token.expires_at),
          day(token.used_at),
        ]),
      ]),
    )
  },
})

export const revoke = command({
  name: 'proxy-token revoke',
  summary: 'Revoke a token for a service by its id; calls in progress end.',
  args: ['ACCOUNT', 'ID'],
  run: async ({ args, out, withStore }) => {
    await withStore(async (store) => revokeProxyToken(store, await accountById(store, args[0]), args[1], 'cli'))
    out.result({ deleted: args[1] }, () => ['Revoked.'])
  },
})

function allows({ service, methods, paths }: ProxyTokenView): string {
  return [service, ...(methods ?? []), ...(paths ?? [])].join(' ')
}

function day(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString()
}

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  const { min, max } = PROXY_TOKEN_S
  if (value < min || value > max)
    throw new UsageError(`--expires-in must be a number of seconds from ${min} to ${max}.`)
  return value
}
