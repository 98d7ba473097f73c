import { updateApp } from '#flows/apps/apps.ts'
import { APPLY_POLICIES, type ApplyPolicy, presentApp } from '#model/app.ts'
import { command, UsageError } from './command.ts'

export const APPLY_OPTION = {
  type: 'string',
  value: APPLY_POLICIES.join('|'),
  meaning: 'tokens that apply accepts: only those that the service confirms it issued to this app, or any',
} as const

export const set = command({
  name: 'app set',
  summary: 'Change the name, the redirect addresses or the settings of an app.',
  args: ['CLIENT_ID'],
  options: {
    name: { type: 'string', value: 'NAME', meaning: 'the name that people see when they are asked for consent' },
    'redirect-uri': {
      type: 'string',
      value: 'URL',
      multiple: true,
      meaning: 'an address that people are redirected to; those given replace all',
    },
    apply: APPLY_OPTION,
  },
  run: async ({ args, flags, out, withStore }) => {
    const [name, redirectUris] = [flags.text('name'), flags.texts('redirect-uri')]
    const apply = applyPolicy(flags.text('apply'))
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(redirectUris.length === 0 ? {} : { redirectUris }),
      ...(apply === undefined ? {} : { apply }),
    }
    if (Object.keys(change).length === 0)
      throw new UsageError('Name what to change: --name, --redirect-uri or --apply.')
    const app = await withStore((store) => updateApp(store, args[0], change, 'cli'))
    out.result(presentApp(app), () => [`Changed ${app.id}: ${Object.keys(change).join(', ')}.`])
  },
})

export function applyPolicy(text: string | undefined): ApplyPolicy | undefined {
  const policy = APPLY_POLICIES.find((each) => each === text)
  if (text !== undefined && policy === undefined)
    throw new UsageError(`--apply must be ${APPLY_POLICIES.join(' or ')}.`)
  return policy
}
