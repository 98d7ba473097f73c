import { PROGRAM } from '#config/program-name.ts'
import { parkedEndpoints } from '#flows/sync/progress.ts'
import { command } from '../command.ts'
import { table } from '../output.ts'

/** Limit: parked endpoints that one command lists; further ones are left out. */
const MAX_ROWS = 500

export const parked = command({
  name: 'parked',
  summary: 'List the endpoints that are parked because they ended three worker processes.',
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore }) => {
    await withStore(async (store) => {
      const found = await parkedEndpoints(store, args[0], { profileId: '', endpoint: '' }, MAX_ROWS)
      out.result(found, () =>
        found.length === 0
          ? ['Nothing is parked.']
          : [
              ...table([
                ['profile', 'service', 'endpoint', 'error'],
                ...found.map((each) => [each.profileId, each.service, each.endpoint, each.error ?? '']),
              ]),
              ...(found.length === MAX_ROWS ? [`The first ${MAX_ROWS}; there may be more.`] : []),
              `Try again: ${PROGRAM} sync ACCOUNT PROFILE --retry-parked`,
            ],
      )
    })
  },
})
