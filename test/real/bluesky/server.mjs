// Runs a Bluesky network in a process of its own for ../bluesky.ts: it is heavy to load, and leaves files in the
// temporary folder that its parent gives it. Messages: { id, command }; the first one sent says where the network is.
import { rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { TestNetwork, TestNetworkNoAppView } from '@atproto/dev-env'
import { startChat } from './chat.mjs'

const settings = JSON.parse(process.argv[2])
const network =
  settings.postgresSchema === undefined
    ? await TestNetworkNoAppView.create()
    : await TestNetwork.create({ dbPostgresSchema: settings.postgresSchema })
const chat = await startChat({ plcUrl: network.plc.url })
findChat(network.pds.ctx.idResolver.did.methods.get('web'))

/** The name of the chat service leads to ours here, as an entry in the hosts file would; all else goes its usual way. */
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
// A parent that died without closing takes this process and its files with it.
process.on('disconnect', () => {
  rmSync(settings.folder, { recursive: true, force: true })
  process.exit()
})
// Its parent kills this process at the end, which keeps nothing for the next start.
flushCompileCache()
process.send({ pdsUrl: network.pds.url, plcUrl: network.plc.url, appViewUrl: network.bsky?.url, chatUrl: chat.url })
