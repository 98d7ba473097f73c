import { parkedEndpoints } from '#flows/sync/progress.ts'
import { command } from './command.ts'
import { table } from './output.ts'

const AT_ONCE = 500

export const parked = command({
  name: 'parked',
  summary: "endpoints of an app's profiles that ended three worker processes and wait for somebody",
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore }) => {
    await withStore(async (store) => {
      const found = await parkedEndpoints(store, args[0], { profileId: '', endpoint: '' }, AT_ONCE)
      out.result(found, () =>
        found.length === 0
          ? ['Nothing is parked.']
          : [
              ...table([
                ['profile', 'service', 'endpoint', 'error'],
                ...found.map((each) => [each.profileId, each.service, each.endpoint, each.error ?? '']),
              ]),
              ...(found.length === AT_ONCE ? [`The first ${AT_ONCE}; there may be more.`] : []),
              'One more try: tributary sync ACCOUNT PROFILE --retry-parked',
            ],
      )
    })
  },
})
