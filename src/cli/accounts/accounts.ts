import { listAccounts } from '#flows/accounts/list-accounts.ts'
import { getApp } from '#flows/apps/apps.ts'
import { PROFILE_STATES } from '#model/accounts/profile.ts'
import { command, UsageError } from '../command.ts'
import { table } from '../output.ts'

const PAGE = 200

export const listOfApp = command({
  name: 'accounts list',
  summary: "List an app's accounts with the states of their profiles.",
  args: ['CLIENT_ID'],
  options: {
    state: { type: 'string', value: 'STATE', meaning: `only those with a profile in it: ${PROFILE_STATES.join(', ')}` },
    service: { type: 'string', value: 'SERVICE', meaning: 'only those with a profile of this service' },
    search: {
      type: 'string',
      value: 'WORDS',
      meaning: 'an id, or words of a name, a handle, an e-mail address or a native id',
    },
    failing: { type: 'boolean', meaning: 'only those with an endpoint whose last run failed' },
  },
  run: async ({ args, flags, out, config, withStore, registry }) => {
    const state = flags.text('state')
    const known = PROFILE_STATES.find((each) => each === state)
    if (state !== undefined && known === undefined)
      throw new UsageError(`--state must be one of ${PROFILE_STATES.join(', ')}.`)
    const query = {
      limit: PAGE,
      state: known,
      service: flags.text('service'),
      q: flags.text('search'),
      failing: flags.on('failing'),
      count: false,
    }
    const deps = { registry: await registry(), config: { baseUrl: config().baseUrl } }
    await withStore(async (store) => {
      await getApp(store, args[0])
      let n = 0
      // Pages are written as they are read: an app may have a million accounts.
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = await listAccounts({ ...deps, database: store.database }, args[0], { ...query, cursor })
        for (const account of page.accounts) {
          if (out.json) out.raw(`${n === 0 ? '[' : ','}\n  ${JSON.stringify(account)}`)
          else {
            const profiles = account.profiles.map(({ profile, state: its, name }) => [`  ${profile}`, its, name ?? ''])
            out.raw(`${[account.id, ...table(profiles)].join('\n')}\n`)
          }
          n += 1
        }
        cursor = page.next
      }
      if (out.json) out.raw(n === 0 ? '[]\n' : '\n]\n')
      else if (n === 0) out.raw('No accounts.\n')
    })
  },
})
