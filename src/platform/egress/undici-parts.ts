import { createRequire } from 'node:module'
import type * as Undici from 'undici'

// The entry of the package also loads fetch, WebSocket, caches and mocks: 3 MB of heap in every process, which use none of them.
const requireModule = createRequire(import.meta.url)

export const Agent = requireModule('undici/lib/dispatcher/agent.js') as typeof Undici.Agent
export const buildConnector = requireModule('undici/lib/core/connect.js') as typeof Undici.buildConnector

const Dispatcher = requireModule('undici/lib/dispatcher/dispatcher.js') as typeof Undici.Dispatcher
// The methods of dispatchers, such as `request`, which the entry adds in the same way.
Object.assign(Dispatcher.prototype, requireModule('undici/lib/api/index.js'))
