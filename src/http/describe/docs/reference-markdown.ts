import { REASONS } from '#model/errors.ts'
import {
  CALLERS,
  type FieldRow,
  fieldRows,
  parameterRow,
  type Reference,
  type ShownOperation,
  type TypePart,
  typeParts,
} from './reference.ts'
import { curlExample } from './request-examples.ts'

/** The API reference as markdown, for agents and for tools. */
export function referenceMarkdown({ baseUrl, groups, schemas }: Reference): string {
  const parts = groups.flatMap(({ name, about, operations }) => [
    `## ${name}`,
    about,
    ...operations.flatMap((operation) => describe(baseUrl, operation)),
  ])
  return `${[
    '# Tributary API reference',
    `Base address: ${baseUrl}. Every path is also served under \`/v0\`. OpenAPI 3.1: ${baseUrl}/openapi.json`,
    ...parts,
    '## Reasons',
    'An error is `{"error", "code", "reason", "param"?, "see", "request_id"}`.',
    table(
      ['reason', 'status', 'code', 'meaning'],
      Object.entries(REASONS).map(([reason, [status, number, text]]) => [
        `\`${reason}\``,
        String(status),
        String(status * 100 + number),
        text,
      ]),
    ),
    '## Schemas',
    ...schemas.flatMap(([name, schema]) => {
      const rows = fieldRows(schema)
      return [
        `### ${name}`,
        schema.description ?? '',
        rows.length > 0 ? fieldTable(rows) : `\`${typeText(typeParts(schema))}\``,
      ]
    }),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`
}

function describe(baseUrl: string, operation: ShownOperation): string[] {
  const { id, method, path, summary, caller, parameters, body, responses } = operation
  const rows = [
    ...parameters.map(parameterRow),
    ...(body === undefined ? [] : fieldRows(body.schema).map((row) => ({ ...row, where: 'body' }))),
  ]
  return [
    `### ${id}: ${method} ${path}`,
    `${summary}. ${caller === undefined ? 'Needs no key.' : `Needs ${CALLERS[caller]}.`}`,
    rows.length > 0 ? fieldTable(rows) : '',
    `\`\`\`sh\n${curlExample(baseUrl, operation)}\n\`\`\``,
    responses
      .map(([status, response]) => {
        const reasons = response['x-reasons']
        if (reasons !== undefined) return `- ${status}: ${reasons.map((reason) => `\`${reason}\``).join(', ')}`
        const media = Object.entries(response.content ?? {}).map(
          ([type, { schema = {} }]) => ` ${type} \`${typeText(typeParts(schema))}\``,
        )
        return `- ${status}: ${response.description}${media.join(',')}`
      })
      .join('\n'),
  ]
}

function typeText(parts: readonly TypePart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.schema)).join('')
}

function fieldTable(rows: readonly FieldRow[]): string {
  return table(
    ['name', 'type', 'meaning'],
    rows.map(({ name, where, required, type, default: fallback, description }) => [
      `\`${name}\`${required ? ' (required)' : ''}`,
      `${where === undefined ? '' : `${where}, `}\`${typeText(type)}\`${fallback === undefined ? '' : `, default \`${JSON.stringify(fallback)}\``}`,
      description,
    ]),
  )
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** The index for agents, in the format of llmstxt.org. */
export function llmsText({ baseUrl, groups }: Reference, pages: readonly { name: string; title: string }[]): string {
  const link = ({ id, method, path, summary }: ShownOperation) =>
    `- [${id}](${baseUrl}/docs.md): ${method} ${path}. ${summary}`
  return `# Tributary

> One self-hosted service between an app and the services that its users use: sign-in, sync, search, proxy and push.

Call \`${baseUrl}\` with an access token of a person (\`authorization: Bearer …\`), with the app's id and secret (HTTP Basic), or with the admin token. Errors have a stable \`reason\`, and \`see\` links to its explanation.

## Reference

- [API reference](${baseUrl}/docs.md): every path, parameter, response, schema and error
- [OpenAPI 3.1](${baseUrl}/openapi.json): the same for tools
${pages.length === 0 ? '' : `\n## Guides\n\n${pages.map(({ name, title }) => `- [${title}](${baseUrl}/docs/${name})`).join('\n')}\n`}
${groups.map(({ name, operations }) => `## ${name}\n\n${operations.map(link).join('\n')}`).join('\n\n')}
`
}
