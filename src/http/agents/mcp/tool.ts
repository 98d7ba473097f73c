import { z } from 'zod'
import type { Account } from '#model/accounts/account.ts'
import type { AgentScope } from '#model/apps/agents.ts'
import type { HttpRequest } from '../../exchange/request.ts'
import type { HttpDeps } from '../../server/deps.ts'

/** The hints of MCP by which a client decides whether to ask the person first. */
export interface ToolHints {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** What a tool is called with. */
export interface ToolContext {
  deps: HttpDeps
  account: Account
  request: HttpRequest
}

/** A tool of the MCP endpoint, with any input. */
export interface Tool {
  name: string
  title: string
  description: string
  scope: AgentScope
  input: z.ZodObject
  output: z.ZodObject
  hints: ToolHints
  run(context: ToolContext, input: Record<string, unknown>): Promise<Record<string, unknown>>
}

interface Definition<Input extends z.ZodObject> extends Omit<Tool, 'input' | 'run'> {
  input: Input
  run(context: ToolContext, input: z.output<Input>): Promise<Record<string, unknown>>
}

/** Defines a tool; the type of its input follows from the schema. */
export function tool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  return { ...definition, run: (context, given) => definition.run(context, definition.input.parse(given)) }
}

export const READ_HINTS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** A tool as `tools/list` shows it. */
export function describeTool({ name, title, description, input, output, hints }: Tool): Record<string, unknown> {
  return {
    name,
    title,
    description,
    inputSchema: { ...z.toJSONSchema(input, { io: 'input' }), additionalProperties: false },
    outputSchema: z.toJSONSchema(output),
    annotations: { title, ...hints },
  }
}
