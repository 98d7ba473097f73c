import { createReconnectLink } from '#flows/connect/reconnect-link.ts'
import { profileIn } from '#flows/sync/progress.ts'
import { profilesOf } from '#identity/profiles.ts'
import { command } from '../command.ts'
import { table } from '../output.ts'

export const profiles = command({
  name: 'profiles',
  summary: 'List the profiles of an account.',
  args: ['ACCOUNT'],
  run: async ({ args, out, withStore }) => {
    const found = await withStore((store) => profilesOf(store, args[0]))
    out.result(found, () =>
      table([
        ['profile', 'state', 'name', 'connected'],
        ...found.map(({ profile, state, name, connected_at }) => [
          profile,
          state,
          name ?? '',
          new Date(connected_at).toISOString(),
        ]),
      ]),
    )
  },
})

export const reconnectProfile = command({
  name: 'profiles reconnect',
  summary: 'Create a link by which a person signs in again to a profile.',
  args: ['ACCOUNT', 'PROFILE'],
  options: {
    'redirect-uri': {
      type: 'string',
      value: 'URI',
      meaning: 'where the person goes afterwards; required if the app has several',
    },
    scope: { type: 'string', value: 'SCOPE', meaning: "scope to request instead of the service's default" },
  },
  run: async ({ args, flags, out, withServices }) => {
    const given = { redirectUri: flags.text('redirect-uri'), scope: flags.text('scope') }
    const link = await withServices(async (deps) =>
      createReconnectLink(deps, await profileIn(deps, args[0], args[1]), given, 'cli'),
    )
    out.result(link, () => [link.url, `Works once, until ${new Date(link.expires_at).toISOString()}.`])
  },
})
