import { appSubscriptions } from '#flows/sync/hooks/list-subscriptions.ts'
import { command } from '../command.ts'
import { table } from '../output.ts'

/** Limit: subscriptions that one command lists; further ones are left out. */
const MAX_ROWS = 500

export const hooks = command({
  name: 'hooks',
  summary: "List an app's subscriptions to webhooks of services, with the last failure of each.",
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore }) => {
    const { subscriptions } = await withStore((store) => appSubscriptions(store, args[0], '', MAX_ROWS))
    out.result(subscriptions, () =>
      subscriptions.length === 0
        ? ['The app has no subscriptions.']
        : [
            ...table([
              ['service', 'name', 'profile', 'state', 'error'],
              ...subscriptions.map((each) => [
                each.service,
                each.name,
                each.profile ?? '',
                each.state,
                each.last_error ?? '',
              ]),
            ]),
            ...(subscriptions.length === MAX_ROWS ? [`The first ${MAX_ROWS}; there may be more.`] : []),
          ],
    )
  },
})
