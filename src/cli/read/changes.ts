import { setTimeout as sleep } from 'node:timers/promises'
import { getApp } from '#flows/apps/apps.ts'
import { openFeed } from '#flows/read/feed/open-feed.ts'
import { hasFeedNews, readFeed } from '#flows/read/feed/read-feed.ts'
import { changesQuery } from '#model/item-filter/changes.ts'
import { command, UsageError } from '../command.ts'

const POLL_MS = 500

export const changes = command({
  name: 'changes',
  summary:
    "Print what changed in all of an app's accounts, one JSON document per line; the cursor to continue with is printed last.",
  args: ['CLIENT_ID'],
  options: {
    cursor: { type: 'string', value: 'CURSOR', meaning: 'continue here; `now`: only what changes from now on' },
    types: { type: 'string', value: 'TYPES', meaning: 'comma-separated list of types' },
    services: { type: 'string', value: 'SERVICES', meaning: 'comma-separated list of services' },
    follow: { type: 'boolean', meaning: 'wait for further changes until Ctrl-C' },
  },
  run: async ({ args, flags, out, withServices, untilSignal }) => {
    const given = { types: flags.text('types'), services: flags.text('services'), cursor: flags.text('cursor') }
    const parsed = changesQuery.safeParse(given)
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw new UsageError(`--${issue?.path.join('.')} ${issue?.message}.`)
    }
    const { types, services, limit } = parsed.data
    let { cursor } = parsed.data
    const stopped = untilSignal.then(() => true)
    await withServices(async (deps) => {
      await getApp(deps, args[0])
      const feedId = await openFeed(deps, args[0])
      const showing = { map: true, oembed: true, fields: undefined, select: undefined }
      for (;;) {
        const page = await readFeed(deps, feedId, { types, services, limit, cursor }, showing)
        for (const entry of page.entries) out.raw(`${entry}\n`)
        ;({ cursor } = page)
        if (page.more) continue
        const hasNews = () => hasFeedNews(deps, { types, services }, page.cursor)
        let isStopped = !flags.on('follow')
        while (!isStopped && !(await hasNews())) isStopped = await Promise.race([stopped, sleep(POLL_MS, false)])
        if (isStopped) break
      }
    })
    out.raw(`${JSON.stringify({ cursor })}\n`)
  },
})
