import { command, type Option } from '../command.ts'
import { describeFirstLink, firstOperatorLink } from '../operators/first-operator.ts'

export const ADDRESS_OPTIONS: Record<string, Option> = {
  port: { type: 'string', value: 'PORT', meaning: 'port of API and pages', env: 'PORT' },
  host: { type: 'string', value: 'HOST', meaning: 'address to listen on', env: 'HOST' },
}

export const serve = command({
  name: 'serve',
  summary: 'Start the API, the pages and the worker processes.',
  options: ADDRESS_OPTIONS,
  run: async ({ out, start, untilSignal }) => {
    const running = await start({ serve: true })
    const first = await firstOperatorLink(running)
    out.result({ url: running.url, admin_token_file: running.adminTokenFile, operator_link: first?.url }, () => [
      `Tributary listens at ${out.bold(running.url!)}`,
      ...describeFirstLink(first?.url),
    ])
    await untilSignal
    await running.stop()
  },
})

export const work = command({
  name: 'work',
  summary: 'Start worker processes only; several may run.',
  options: {
    port: { type: 'string', value: 'PORT', meaning: 'port of /healthz, /readyz and /metrics', env: 'WORKER_PORT' },
    host: { type: 'string', value: 'HOST', meaning: 'address to listen on', env: 'HOST' },
  },
  run: async ({ out, start, untilSignal }) => {
    const running = await start({ serve: false })
    out.result({ working: true, url: running.url }, () => [
      running.url === undefined ? 'Working.' : `Working. Health and metrics are at ${out.bold(running.url)}`,
    ])
    await untilSignal
    await running.stop()
  },
})
