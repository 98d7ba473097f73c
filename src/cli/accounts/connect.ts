import { getApp } from '#flows/apps/apps.ts'
import { createConnectSession, SESSION_S } from '#flows/connect/connect-session.ts'
import { command, UsageError } from '../command.ts'

export const link = command({
  name: 'connect link',
  summary: 'Create a link by which one person connects a service; it works once, in one browser.',
  args: ['CLIENT_ID'],
  options: {
    'redirect-uri': {
      type: 'string',
      value: 'URI',
      meaning: 'where the person returns to with a code; required if the app has several',
    },
    account: { type: 'string', value: 'ACCOUNT', meaning: 'add the profile to this account' },
    service: { type: 'string', value: 'SERVICE', multiple: true, meaning: 'offer only this service, or these' },
    label: { type: 'string', value: 'TEXT', meaning: 'what the person is called, shown to them' },
    locale: { type: 'string', value: 'LANGUAGE', meaning: 'language of the pages: en, de, fr, es, pt, ja or ar' },
    state: { type: 'string', value: 'TEXT', meaning: 'returned unchanged in the redirect' },
    scope: { type: 'string', value: 'SCOPE', meaning: "scope to request instead of the service's default" },
    'expires-in': {
      type: 'string',
      value: 'SECONDS',
      meaning: `how long the link works, up to ${SESSION_S.max} (${SESSION_S.default})`,
    },
  },
  run: async ({ args, flags, out, withServices }) => {
    const services = flags.texts('service')
    const created = await withServices(async (deps) => {
      const { app } = await getApp(deps, args[0])
      const [only, ...others] = app.redirectUris
      const redirectUri = flags.text('redirect-uri') ?? (others.length === 0 ? only : undefined)
      if (redirectUri === undefined) throw new UsageError('--redirect-uri must be given, because the app has several.')
      return createConnectSession(
        deps,
        app,
        {
          redirectUri,
          account: flags.text('account'),
          services: services.length === 0 ? undefined : services,
          label: flags.text('label'),
          locale: flags.text('locale'),
          state: flags.text('state'),
          scope: flags.text('scope'),
          expiresInS: seconds(flags.text('expires-in')),
        },
        'cli',
      )
    })
    out.result(created, () => [
      created.url,
      `Works once, until ${new Date(created.expires_at).toISOString()}. Session ${created.id}.`,
    ])
  },
})

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (value < SESSION_S.min || value > SESSION_S.max)
    throw new UsageError(`--expires-in must be a number of seconds from ${SESSION_S.min} to ${SESSION_S.max}.`)
  return value
}
