import type { AgentSettings } from '#model/apps/agents.ts'
import { checkRedirectUri } from '#model/apps/app.ts'
import { invalidInput } from '#model/errors.ts'

/** Limit: redirect addresses of agents, and services they may write to, in one app; more are refused. */
const MAX_AGENT_ENTRIES = 50

export function checkAgentSettings({ redirectUris, writes }: AgentSettings): AgentSettings {
  if (redirectUris.length === 0)
    throw invalidInput('bad_parameter', 'agents', 'give at least one address that agents receive people at.')
  if (redirectUris.length > MAX_AGENT_ENTRIES || writes.length > MAX_AGENT_ENTRIES)
    throw invalidInput('bad_parameter', 'agents', `at most ${MAX_AGENT_ENTRIES} addresses and services.`)
  if (writes.some((service) => !/^[a-z0-9][a-z0-9-]{0,60}$/.test(service)))
    throw invalidInput('bad_parameter', 'agents', 'write_services must have names of services.')
  return { redirectUris: [...new Set(redirectUris.map(checkRedirectUri))], writes: [...new Set(writes)] }
}
