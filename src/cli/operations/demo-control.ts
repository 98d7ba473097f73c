import {
  DEMO_ACTIONS,
  DEMO_SERVICES,
  type DemoAction,
  DemoServicesUnavailable,
} from '#flows/operations/demo-services.ts'
import { ApiError } from '#model/errors.ts'
import { command, UsageError } from '../command.ts'
import { table } from '../output.ts'

const names = DEMO_ACTIONS.map((action) => action.replace('_', '-'))

export const control = command({
  name: 'demo control',
  summary: 'Change the demo services that run on the data folder, or show them with `show`.',
  args: ['ACTION'],
  options: {
    service: {
      type: 'string',
      value: 'SERVICE',
      meaning: `only this service: ${DEMO_SERVICES.map(({ service }) => service).join(', ')}`,
    },
  },
  run: async ({ args, flags, out, demoServices }) => {
    const action = args[0]
    const service = flags.text('service')
    if (action !== 'show' && !names.includes(action))
      throw new UsageError(`ACTION is one of ${['show', ...names].join(', ')}.`)
    if (service !== undefined && !DEMO_SERVICES.some((one) => one.service === service))
      throw new UsageError(`There is no demo service ${service}.`)
    const services = await demoServices()
    const states = await (action === 'show'
      ? services.states()
      : services.act(action.replace('-', '_') as DemoAction, service)
    ).catch((error: unknown) => {
      throw error instanceof DemoServicesUnavailable ? new ApiError('demo_not_running') : error
    })
    out.result(states, () =>
      table([
        ['service', 'down', 'throttled', 'time'],
        ...states.map((state) => [
          state.service,
          state.down ? 'yes' : 'no',
          state.throttled ? 'yes' : 'no',
          new Date(state.now).toISOString(),
        ]),
      ]),
    )
  },
})
