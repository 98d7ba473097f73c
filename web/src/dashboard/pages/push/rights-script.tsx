import { useQuery } from '@tanstack/react-query'
import { app as asApp, request } from '../../../api/core.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Field } from '../../../ui/field.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import type { Kind } from './kinds.ts'

/** The SQL that an administrator of the database runs once. */
export function RightsScript({
  app,
  kind,
  place,
  what,
  onPlace,
}: {
  app: string
  kind: Kind
  place: string
  what: 'schema' | 'database'
  onPlace: (place: string) => void
}) {
  const named = place === '' ? 'tributary' : place
  const isValid = /^[a-z_][a-z0-9_]{0,62}$/.test(named)
  const script = useQuery({
    ...request(asApp(app), 'GET /push/rights', { query: { kind, place: named } }),
    enabled: isValid,
    placeholderData: (before) => before,
  })
  return (
    <details>
      <summary>The role and its rights: SQL to run once, as an administrator</summary>
      <div className="stack push-rights">
        <Field
          label={what === 'schema' ? 'Schema of the tables' : 'Database'}
          hint={what === 'schema' ? 'Empty: the search path of the role.' : 'For the script; the address names it too.'}
          fault={isValid ? undefined : 'Lower-case letters, digits and underscores.'}
        >
          <input value={place} placeholder="tributary" onChange={({ target }) => onPlace(target.value)} />
        </Field>
        <QueryView query={script}>{({ sql }) => <CodeBlock label="SQL of the rights" text={sql} />}</QueryView>
      </div>
    </details>
  )
}
