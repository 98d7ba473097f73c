const titleOf = (name: string) =>
  name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ')

export const connectorTemplate = (
  name: string,
): string => `import { apiKey, cursorPages, defineConnector, endpoint, kind, self, since, timeOf } from '@tributary-hub/server/kit'

/** A record as the service sends it. */
interface Note {
  id: string
  created_at?: string
  text?: string
  url?: string
  author?: { id: string; name?: string }
}

interface Page {
  notes?: Note[]
  next?: string | null
}

const note = kind<Note>({
  name: 'note',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  participants: ({ author }) => ({ author: author?.id }),
  map: {
    text: ({ text }) => text,
    url: ({ url }) => url,
    author: ({ author }) => (author ? { name: author.name } : undefined),
  },
})

export default defineConnector({
  service: '${name}',
  title: '${titleOf(name)}',
  docs: 'https://${name}.example/docs',
  auth: apiKey({ in: 'header', scheme: 'Bearer' }),
  api: { baseUrl: 'https://api.${name}.example' },
  self: self<{ id: string; name?: string }>('/me', ({ id, name }) => ({ id, name })),
  endpoints: {
    notes: endpoint<Page, Note>({
      path: '/notes',
      items: ({ notes }) => notes,
      kind: note,
      types: ['statuses'],
      pages: cursorPages({ param: 'cursor', from: ({ next }: Page) => next ?? undefined }),
      checkpoint: since({
        param: 'since',
        value: ({ created_at }) => timeOf(created_at),
        format: (atMs) => new Date(atMs).toISOString(),
      }),
      every: '1h',
      class: 'personal',
    }),
  },
})
`

export const simulatorTemplate = (name: string): string => `import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Simulator } from '@tributary-hub/server/kit'

const me = { id: 'u1', name: 'Ada' }
const notes = Array.from({ length: 25 }, (_, i) => ({
  id: \`n\${i}\`,
  created_at: new Date(Date.UTC(2026, 0, 25 - i)).toISOString(),
  text: \`Note \${i}\`,
  url: \`https://${name}.example/notes/\${i}\`,
  author: me,
}))

/** Imitates the service: write it from the vendor's documentation, not from the connector. */
export default async function start(): Promise<Simulator> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://simulator')
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (request.headers.authorization !== 'Bearer token') return reply(401, { error: 'unauthorized' })
    if (url.pathname === '/me') return reply(200, me)
    if (url.pathname !== '/notes') return reply(404, { error: 'not found' })
    const since = url.searchParams.get('since') ?? ''
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const found = notes.filter(({ created_at }) => created_at >= since)
    return reply(200, { notes: found.slice(from, from + 10), next: from + 10 < found.length ? String(from + 10) : null })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: \`http://127.0.0.1:\${port}\`,
    credential: { token: 'token' },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
`

export const testTemplate = (name: string): string => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import connector from './${name}.ts'

// Also run: tributary connector check ${name}.ts

test('reads a note', () => {
  const { notes } = connector.endpoints
  assert.ok(notes)
  const record = { id: 'n1', created_at: '2026-01-02T03:04:05Z', text: 'Hello' }
  assert.equal(notes.kind.id(record), 'n1')
  assert.equal(notes.kind.at?.(record), Date.UTC(2026, 0, 2, 3, 4, 5))
  assert.deepEqual(notes.items({ notes: [record] }), [record])
})
`

export const tsconfigTemplate = `{
  "compilerOptions": {
    "target": "esnext",
    "module": "nodenext",
    "strict": true,
    "noEmit": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "types": ["node"],
    "typeRoots": ["./node_modules/@types", "./node_modules/@tributary-hub/server/node_modules/@types"]
  },
  "include": ["*.ts"]
}
`
