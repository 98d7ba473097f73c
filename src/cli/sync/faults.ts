import { appFaults } from '#flows/sync/commit/faults.ts'
import type { Command } from '../command.ts'
import { table } from '../output.ts'

/** Limit: faults that one command lists; further ones are left out. */
const MAX_ROWS = 500

export const faults: Command = {
  name: 'faults',
  summary: 'List the fields of records that connectors could not read.',
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore }) => {
    const start = { profileId: '', endpoint: '', itemId: '', field: '' }
    const found = await withStore((store) => appFaults(store, args[0]!, start, MAX_ROWS))
    out.result(found, () =>
      found.length === 0
        ? ['No reader failed.']
        : [
            ...table([
              ['profile', 'service', 'endpoint', 'field', 'record', 'times', 'error'],
              ...found.map((each) => [
                each.profile,
                each.service,
                each.endpoint,
                each.field,
                `${each.kind} ${each.record}`,
                String(each.times),
                each.message,
              ]),
            ]),
            ...(found.length === MAX_ROWS ? [`The first ${MAX_ROWS}; there may be more.`] : []),
          ],
    )
  },
}
