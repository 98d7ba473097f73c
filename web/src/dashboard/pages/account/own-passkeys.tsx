import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '@tributary/client/core.ts'
import { useState } from 'react'
import { asOperator, operator, request } from '../../../api/core.ts'
import { createPasskey } from '../../../api/passkeys.ts'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Field } from '../../../ui/field.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'

/** The passkeys of the person who is signed in. */
export function OwnPasskeys() {
  const passkeys = useQuery(request(operator, 'GET /dashboard/passkeys'))
  const queries = useQueryClient()
  const reload = () => queries.invalidateQueries({ queryKey: ['operator', 'GET /dashboard/passkeys'] })
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>()
  const add = async () => {
    setError(undefined)
    try {
      const options = await call(asOperator, 'POST /dashboard/passkeys/options')
      const registration = await createPasskey(options)
      await call(asOperator, 'POST /dashboard/passkeys', { body: { name, registration } })
      setName('')
      await reload()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <section className="card stack" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <QueryView query={passkeys}>
        {(rows) => (
          <Table
            label="Passkeys"
            rows={rows}
            rowKey={({ id }) => id}
            empty="None yet. A passkey is quicker than a password, and nobody can guess it."
            columns={[
              { title: 'Name', cell: (row) => row.name },
              { title: 'Added', cell: ({ created_at: at }) => <Time at={at} /> },
              { title: 'Last used', cell: ({ used_at: at }) => <Time at={at} /> },
              {
                title: 'Actions',
                cell: (row) => (
                  <ConfirmButton
                    label="Delete"
                    title={`Delete ${row.name}`}
                    onConfirm={async () => {
                      await call(asOperator, 'DELETE /dashboard/passkeys/{id}', { path: { id: row.id } })
                      await reload()
                    }}
                  >
                    You cannot sign in with it any more.
                  </ConfirmButton>
                ),
              },
            ]}
          />
        )}
      </QueryView>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault()
          void add()
        }}
      >
        <Field label="Name of the new passkey">
          <input
            required
            maxLength={64}
            placeholder="Laptop"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <button type="submit">Add a passkey</button>
      </form>
      {error !== undefined && <ErrorNotice error={error} />}
    </section>
  )
}
