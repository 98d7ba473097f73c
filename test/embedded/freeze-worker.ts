/**
 * Loaded into a server and its workers (`NODE_OPTIONS=--import`): a worker freezes when it opens its first connection to the database,
 * in the middle of its start.
 */
import { subscribe } from 'node:diagnostics_channel'

if (process.send !== undefined) subscribe('net.client.socket', () => process.kill(process.pid, 'SIGSTOP'))
