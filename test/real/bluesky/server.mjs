// Runs a Bluesky network in a process of its own for ../bluesky.ts: it is heavy to load, and leaves files in the
// temporary folder of its parent. Messages: { id, command }; the first one sent says where the network is.
import { rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { TestNetwork, TestNetworkNoAppView } from '@atproto/dev-env'
import { startChat } from './chat.mjs'

const settings = JSON.parse(process.argv[2])
const network =
  settings.postgresSchema === undefined
    ? await TestNetworkNoAppView.create({ pds: { rateLimitsEnabled: settings.isLimited === true } })
    : await TestNetwork.create({ dbPostgresSchema: settings.postgresSchema })
const chat = await startChat({ plcUrl: network.plc.url })
findChat(network.pds.ctx.idResolver.did.methods.get('web'))

/**
 * Resolves the name of the chat service to ours, as an entry in the hosts file would; all other names resolve as
 * usual.
 */
function findChat(resolver) {
  const usual = resolver.fetch
  resolver.fetch = (url, options) =>
    url.hostname === 'api.bsky.chat' ? fetch(new URL(url.pathname, chat.url), options) : usual(url, options)
}

const commands = {
  settle: () => network.processAll(),
  async close() {
    chat.close()
    await network.close()
  },
}

process.on('message', ({ id, command }) => {
  commands[command]().then(
    () => process.send({ id }),
    (error) => process.send({ id, error: String(error) }),
  )
})
// When the parent dies without closing, this process ends and removes its files.
process.on('disconnect', () => {
  rmSync(settings.folder, { recursive: true, force: true })
  process.exit()
})
// The parent kills this process at the end, which loses the compile cache; so it is written now.
flushCompileCache()
process.send({ pdsUrl: network.pds.url, plcUrl: network.plc.url, appViewUrl: network.bsky?.url, chatUrl: chat.url })
