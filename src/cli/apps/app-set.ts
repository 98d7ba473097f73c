import { type AppsDeps, getApp, updateApp } from '#flows/apps/apps.ts'
import type { AgentSettings } from '#model/apps/agents.ts'
import { APPLY_POLICIES, type ApplyPolicy, presentApp } from '#model/apps/app.ts'
import { command, type Flags, UsageError } from '../command.ts'
import { BRANDING_OPTIONS, brandingOf } from './app-branding.ts'

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
    ...BRANDING_OPTIONS,
    'agent-redirect-uri': {
      type: 'string',
      value: 'URL',
      multiple: true,
      meaning: 'let agents act over MCP for people who consent, and receive them here; those given replace all',
    },
    'agent-writes': {
      type: 'string',
      value: 'SERVICE',
      multiple: true,
      meaning:
        'a service that agents may write to if the person allows it too; those given replace all, “none” removes all',
    },
    offer: {
      type: 'string',
      value: 'SERVICE',
      multiple: true,
      meaning: 'a service that people may connect; those given replace all, and other services are refused',
    },
    'offer-all': { type: 'boolean', meaning: 'let people connect every service that the app has keys for' },
    'no-agents': { type: 'boolean', meaning: 'turn agents off and end their access at once' },
  },
  run: async ({ args, flags, out, withStore, registry }) => {
    const [name, redirectUris] = [flags.text('name'), flags.texts('redirect-uri')]
    const apply = applyPolicy(flags.text('apply'))
    const branding = brandingOf(flags)
    const services = offeredIn(flags)
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(redirectUris.length === 0 ? {} : { redirectUris }),
      ...(apply === undefined ? {} : { apply }),
      ...(branding === undefined ? {} : { branding }),
      ...(services === undefined ? {} : { services }),
    }
    const agents = {
      uris: flags.texts('agent-redirect-uri'),
      writes: flags.texts('agent-writes'),
      off: flags.on('no-agents'),
    }
    const changesAgents = agents.off || agents.uris.length > 0 || agents.writes.length > 0
    if (Object.keys(change).length === 0 && !changesAgents)
      throw new UsageError(
        'Name what to change: --name, --redirect-uri, --apply, --color, --logo, --privacy-url, --offer, --offer-all, --agent-redirect-uri, --agent-writes or --no-agents.',
      )
    const app = await withStore(async (store) => {
      const changed = changesAgents ? { ...change, agents: await changedAgents(store, args[0], agents) } : change
      return updateApp({ ...store, registry: await registry() }, args[0], changed, 'cli')
    })
    const names = [...Object.keys(change), ...(changesAgents ? ['agents'] : [])]
    out.result(presentApp(app), () => [`Changed ${app.id}: ${names.join(', ')}.`])
  },
})

function offeredIn(flags: Flags): readonly string[] | 'all' | undefined {
  const given = flags.texts('offer')
  if (flags.on('offer-all') && given.length > 0)
    throw new UsageError('--offer-all cannot be given together with --offer.')
  if (flags.on('offer-all')) return 'all'
  return given.length === 0 ? undefined : given
}

/** What is not given stays as it is. */
async function changedAgents(
  deps: AppsDeps,
  id: string,
  { uris, writes, off }: { uris: string[]; writes: string[]; off: boolean },
): Promise<AgentSettings | 'off'> {
  if (off && (uris.length > 0 || writes.length > 0))
    throw new UsageError('--no-agents cannot be given together with --agent-redirect-uri or --agent-writes.')
  if (off) return 'off'
  const before = (await getApp(deps, id)).app.agents
  if (before === undefined && uris.length === 0)
    throw new UsageError('Agents are off for this app: give --agent-redirect-uri too.')
  return {
    redirectUris: uris.length > 0 ? uris : (before?.redirectUris ?? []),
    writes: writes.length > 0 ? writes.filter((service) => service !== 'none') : (before?.writes ?? []),
  }
}

export function applyPolicy(text: string | undefined): ApplyPolicy | undefined {
  const policy = APPLY_POLICIES.find((each) => each === text)
  if (text !== undefined && policy === undefined)
    throw new UsageError(`--apply must be ${APPLY_POLICIES.join(' or ')}.`)
  return policy
}
