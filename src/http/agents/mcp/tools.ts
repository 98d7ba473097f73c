import type { Registry } from '#kit/connector/registry.ts'
import type { AgentSettings } from '#model/apps/agents.ts'
import { getItem, listItems, searchItems } from './item-tools.ts'
import { followChangesTool, listPeopleTool, listProfilesTool } from './other-tools.ts'
import type { Tool } from './tool.ts'
import { writeTool } from './write-tools.ts'

const READ_TOOLS = [searchItems, listItems, getItem, listPeopleTool, listProfilesTool, followChangesTool]

/** The tools that an app offers, in a fixed order. Which of them an agent may call depends on what the person allowed. */
export function toolsOf(registry: Registry, { writes }: AgentSettings): Tool[] {
  const written = writes.flatMap((name) => {
    const connector = registry.find(name)
    return connector === undefined ? [] : [writeTool(connector.service, connector.title)]
  })
  return [...READ_TOOLS, ...written]
}
