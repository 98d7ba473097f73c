import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { app as asApp, request } from '../../../api/core.ts'
import { Field } from '../../../ui/field.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { useAddress } from '../../address.ts'
import { itemsSearch } from '../../search.ts'

const SHOWN = 20

/** Finds an account by a person's name, a handle or an id, and puts it into the address. */
export function AccountChoice({ appId }: { appId: string }) {
  const [{ account }, change] = useAddress(itemsSearch)
  const [words, setWords] = useState('')
  const query = { limit: SHOWN, ...(words.trim() === '' ? {} : { q: words.trim() }) }
  const accounts = useQuery({
    ...request(asApp(appId), 'GET /accounts', { query }),
    placeholderData: (before) => before,
  })
  return (
    <details className="card items-account" open={account === undefined}>
      <summary>
        {account === undefined ? (
          'Choose an account'
        ) : (
          <>
            Account <code>{account}</code>
          </>
        )}
      </summary>
      <div className="stack items-account-body">
        <Field label="Search accounts" hint="A name, a handle, or the id of an account or profile.">
          <input type="search" value={words} onChange={({ target }) => setWords(target.value)} />
        </Field>
        <QueryView query={accounts}>
          {(found) => (
            <ul className="items-accounts">
              {found.map(({ id, profiles }) => (
                <li key={id}>
                  <button
                    type="button"
                    className="quiet"
                    aria-current={id === account ? 'true' : undefined}
                    onClick={() => change({ account: id, before: undefined })}
                  >
                    <strong>{profiles.find(({ name }) => name !== undefined)?.name ?? id}</strong>
                    <span className="soft">{profiles.map(({ service }) => service).join(', ') || 'no profiles'}</span>
                  </button>
                </li>
              ))}
              {found.length === 0 && <li className="soft">No account of this app matches.</li>}
            </ul>
          )}
        </QueryView>
      </div>
    </details>
  )
}
