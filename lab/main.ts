import { parseArgs } from 'node:util'
import { startLab } from './lab.ts'
import { startedDocument, startedText } from './started-document.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8142' },
    host: { type: 'string', default: '127.0.0.1' },
    seed: { type: 'string', default: '1' },
    'redirect-uri': { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    'with-parent': { type: 'boolean', default: false },
  },
})

const basePort = Number(values.port)
if (!Number.isInteger(basePort) || basePort < 0 || basePort > 65_000) throw new Error('--port must be a port number')

const lab = await startLab({ basePort, host: values.host, seed: values.seed })
const started = startedDocument(lab, values['redirect-uri'])
process.stdout.write(values.json ? `${JSON.stringify(started)}\n` : startedText(started))

let stopping = false
function stop(): void {
  if (stopping) return
  stopping = true
  process.stdin.destroy()
  void lab.close()
}

process.on('SIGTERM', stop)
process.on('SIGINT', stop)
if (values['with-parent']) {
  process.stdin.on('end', stop).on('close', stop).on('error', stop).resume()
  // A closed output must not keep the lab alive after its parent exited.
  process.stdout.on('error', stop)
}
