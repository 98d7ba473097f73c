import { PROGRAM } from '#config/program-name.ts'
import { appQuarantine, retryAppQuarantine } from '#flows/sync/commit/quarantine.ts'
import type { Command } from '../command.ts'
import { table } from '../output.ts'

/** Limit: quarantined records that one command lists; further ones are left out. */
const MAX_ROWS = 500
/** Limit: characters of a quarantined record that the command line shows; the rest is cut off. */
const MAX_SAMPLE = 60

export const quarantine: Command = {
  name: 'quarantine',
  summary: 'List the records that could not be stored, with the reason; retry them with --retry.',
  args: ['CLIENT_ID'],
  options: {
    retry: { type: 'boolean', meaning: 'read all of them again with the next run of each profile' },
  },
  run: async ({ args, flags, out, withStore }) => {
    const [clientId] = args as [string]
    await withStore(async (store) => {
      if (flags.on('retry')) {
        const endpoints = await retryAppQuarantine(store, clientId, 'cli')
        out.result({ endpoints }, () => [`The records of ${endpoints} endpoints will be read again.`])
        return
      }
      const found = await appQuarantine(store, clientId, { profileId: '', endpoint: '', id: '' }, MAX_ROWS)
      out.result(found, () =>
        found.length === 0
          ? ['The quarantine is empty.']
          : [
              ...table([
                ['profile', 'service', 'endpoint', 'reason', 'times', 'record'],
                ...found.map((each) => [
                  each.profile,
                  each.service,
                  each.endpoint,
                  each.reason,
                  String(each.times),
                  each.sample.slice(0, MAX_SAMPLE),
                ]),
              ]),
              ...(found.length === MAX_ROWS ? [`The first ${MAX_ROWS}; there may be more.`] : []),
              `Read them again: ${PROGRAM} quarantine ${clientId} --retry`,
            ],
      )
    })
  },
}
