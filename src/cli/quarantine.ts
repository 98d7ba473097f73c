import { appQuarantine, retryAppQuarantine } from '#flows/sync/commit/quarantine.ts'
import type { Command } from './command.ts'
import { table } from './output.ts'

const AT_ONCE = 500
/** So many characters of a sample fit into a line. */
const SHOWN = 60

export const quarantine: Command = {
  name: 'quarantine',
  summary: "records of an app's profiles that could not be stored, and why",
  args: ['CLIENT_ID'],
  options: {
    retry: { type: 'boolean', meaning: 'read all of them once more, with the next run of each profile' },
  },
  run: async ({ args, flags, out, withStore }) => {
    const [clientId] = args as [string]
    await withStore(async (store) => {
      if (flags.on('retry')) {
        const endpoints = await retryAppQuarantine(store, clientId, 'cli')
        out.result({ endpoints }, () => [`The records of ${endpoints} endpoints are read once more.`])
        return
      }
      const found = await appQuarantine(store, clientId, { profileId: '', endpoint: '', id: '' }, AT_ONCE)
      out.result(found, () =>
        found.length === 0
          ? ['Nothing is in quarantine.']
          : [
              ...table([
                ['profile', 'service', 'endpoint', 'reason', 'times', 'record'],
                ...found.map((each) => [
                  each.profile,
                  each.service,
                  each.endpoint,
                  each.reason,
                  String(each.times),
                  each.sample.slice(0, SHOWN),
                ]),
              ]),
              ...(found.length === AT_ONCE ? [`The first ${AT_ONCE}; there may be more.`] : []),
              `Read them once more: tributary quarantine ${clientId} --retry`,
            ],
      )
    })
  },
}
