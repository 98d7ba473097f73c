import { getSpending, type ServiceSpending, setSpending } from '#flows/sync/schedule/spending-rules.ts'
import { command, UsageError } from '../command.ts'
import { table } from '../output.ts'

export const spending = command({
  name: 'app spending',
  summary: 'Show what endpoints that cost money cost an app, switch them on or off, and limit its spending.',
  args: ['CLIENT_ID'],
  options: {
    on: { type: 'string', value: 'SERVICE/ENDPOINT', multiple: true, meaning: 'switch it on; SERVICE/* for all' },
    off: { type: 'string', value: 'SERVICE/ENDPOINT', multiple: true, meaning: 'switch it off; SERVICE/* for all' },
    limit: {
      type: 'string',
      value: 'SERVICE=AMOUNT',
      multiple: true,
      meaning: 'what may be spent there in a month, such as x=25.00, or none',
    },
  },
  run: async ({ args, flags, out, withServices }) => {
    const endpoints = Object.fromEntries([
      ...flags.texts('on').map((name) => [name, true] as const),
      ...flags.texts('off').map((name) => [name, false] as const),
    ])
    const limits = Object.fromEntries(flags.texts('limit').map(readLimit))
    const isChange = Object.keys(endpoints).length + Object.keys(limits).length > 0
    const found = await withServices((deps) =>
      isChange ? setSpending(deps, args[0], { endpoints, limits }, 'cli') : getSpending(deps, args[0]),
    )
    out.result(found, () => Object.entries(found).flatMap(([service, each]) => describe(service, each)))
  },
})

function describe(service: string, { currency, spent, limit, state, resets_at, endpoints }: ServiceSpending): string[] {
  const until = new Date(resets_at).toISOString().slice(0, 10)
  return [
    `${service}: ${spent} of ${limit ?? 'any'} ${currency} spent until ${until}${state === 'ok' ? '' : ` (${state})`}`,
    ...table([
      ['endpoint', '', `${currency} per record`, 'per call'],
      ...Object.entries(endpoints).map(([name, { on, price }]) => [
        name,
        on ? 'on' : 'off',
        price.per_record ?? '',
        price.per_call ?? '',
      ]),
    ]),
  ]
}

function readLimit(text: string): [string, string | null] {
  const [, service, amount] = /^([a-z0-9-]+)=([0-9.]+|none)$/.exec(text) ?? []
  if (service === undefined || amount === undefined)
    throw new UsageError(`--limit ${text}: write SERVICE=AMOUNT, such as x=25.00, or SERVICE=none.`)
  return [service, amount === 'none' ? null : amount]
}
