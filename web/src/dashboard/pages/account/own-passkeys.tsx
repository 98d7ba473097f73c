import { useQuery } from '@tanstack/react-query'
import { call } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asOperator, operator, request } from '../../../api/core.ts'
import { createPasskey } from '../../../api/passkeys.ts'
import { ActionResult } from '../../../ui/action-result.tsx'
import { ConfirmButton } from '../../../ui/confirm-button.tsx'
import { Field } from '../../../ui/field.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useAction, useReadAgain } from '../../../ui/use-action.ts'
import { passkeysChanged } from '../../changes.ts'

/** The passkeys of the person who is signed in. */
export function OwnPasskeys() {
  const passkeys = useQuery(request(operator, 'GET /dashboard/passkeys'))
  const [name, setName] = useState('')
  const action = useAction()
  const readAgain = useReadAgain()
  const add = () =>
    action.run(
      passkeysChanged,
      async () => {
        const options = await call(asOperator, 'POST /dashboard/passkeys/options')
        const registration = await createPasskey(options)
        await call(asOperator, 'POST /dashboard/passkeys', { body: { name, registration } })
        setName('')
      },
      'The passkey is added.',
    )
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
                      await readAgain(passkeysChanged)
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
        <button type="submit" disabled={action.isBusy}>
          Add a passkey
        </button>
      </form>
      <ActionResult action={action} />
    </section>
  )
}
