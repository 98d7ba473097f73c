import { appFaults } from '#flows/sync/commit/faults.ts'
import type { Command } from './command.ts'
import { table } from './output.ts'

const AT_ONCE = 500

export const faults: Command = {
  name: 'faults',
  summary: "fields of records of an app's profiles that a connector could not read",
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore }) => {
    const start = { profileId: '', endpoint: '', itemId: '', field: '' }
    const found = await withStore((store) => appFaults(store, args[0]!, start, AT_ONCE))
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
            ...(found.length === AT_ONCE ? [`The first ${AT_ONCE}; there may be more.`] : []),
          ],
    )
  },
}
