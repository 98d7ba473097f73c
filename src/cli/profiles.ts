import { profilesOf } from '#flows/authorize/profiles.ts'
import { command } from './command.ts'
import { table } from './output.ts'

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
