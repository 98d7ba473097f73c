import { useQuery } from '@tanstack/react-query'
import { parsedBody, send } from '@tributary-hub/client/core.ts'
import { useState } from 'react'
import { asAccount, operator, request } from '../../../api/core.ts'
import { keyOf } from '../../../api/keys.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { useAddress } from '../../address.ts'
import { useCurrentApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { itemsSearch } from '../../search.ts'
import { AccountChoice } from './account-choice.tsx'
import { Controls } from './controls.tsx'
import { curlOf, type ItemRequest, requestIn, routeIn, sdkOf, urlOf } from './item-request.ts'
import type { Shown } from './item-words.ts'
import { type ApiDocument, parametersOf, ROUTES } from './parameters.ts'
import { ItemView, VIEWS } from './views.tsx'
import './page.css'

export default function ItemsPage() {
  const app = useCurrentApp()
  const [address, change] = useAddress(itemsSearch)
  const document = useQuery({ ...request(operator, 'GET /openapi.json'), staleTime: Number.POSITIVE_INFINITY })
  const route = routeIn(address)
  return (
    <div className="stack">
      <PageTitle title="Items" />
      {app === undefined ? (
        <p>There is no app yet. Create one on the page “Apps and keys”.</p>
      ) : (
        <AccountChoice key={app} appId={app} />
      )}
      <QueryView query={document}>
        {(found) => {
          const described = found as unknown as ApiDocument
          return (
            <div className="items-explorer">
              <form
                className="card stack items-controls"
                aria-label="Parameters"
                onSubmit={(event) => event.preventDefault()}
              >
                <Tabs
                  label="Read by"
                  tabs={Object.entries(ROUTES).map(([name, { title }]) => ({ name, title }))}
                  current={route}
                  onChoose={(by) => change({ by: by === 'type' ? undefined : by, before: undefined })}
                />
                <Controls
                  key={route}
                  path={parametersOf(described, route, 'path')}
                  query={parametersOf(described, route, 'query')}
                  address={{ type: 'all', ...address }}
                  onChange={(changes) => change({ before: undefined, ...changes })}
                />
              </form>
              <Results request={requestIn(described, address)} />
            </div>
          )
        }}
      </QueryView>
    </div>
  )
}

const CODES = { URL: urlOf, curl: curlOf, SDK: sdkOf }
const LANGUAGES = ['URL', 'curl', 'SDK'] as const

function Results({ request: wanted }: { request: ItemRequest }) {
  const [address, change] = useAddress(itemsSearch)
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]>('curl')
  const { account, view = 'grid' } = address
  const isRedirect = wanted.query['media'] === 'true'
  const page = useQuery({
    queryKey: keyOf(ROUTES[wanted.route].operation, account ?? '', wanted.path, wanted.query),
    enabled: account !== undefined && wanted.missing.length === 0 && !isRedirect,
    queryFn: ({ signal }) => readPage(account!, wanted, signal),
  })
  const code = CODES[language](wanted, location.origin)
  const open = (id: string) => change({ by: 'id', id, view: 'json' })
  return (
    <div className="stack">
      <section className="card stack" aria-label="Request">
        <Tabs
          label="Form of the request"
          tabs={LANGUAGES.map((name) => ({ name, title: name }))}
          current={language}
          onChoose={setLanguage}
        />
        <CodeBlock label={`The request as ${language}`} text={code} />
      </section>
      <section className="card stack" aria-label="Items">
        <Tabs
          label="View"
          tabs={VIEWS}
          current={view}
          onChoose={(name) => change({ view: name === 'grid' ? undefined : name })}
        />
        {account === undefined && <p className="soft">Choose an account to read its items.</p>}
        {account !== undefined && wanted.missing.length > 0 && (
          <p className="soft">Enter {wanted.missing.join(' and ')}.</p>
        )}
        {isRedirect && <p className="soft">The response redirects to the file itself: send the request above.</p>}
        {page.error !== null && <ErrorNotice error={page.error} retry={page.refetch} />}
        {page.isFetching && page.data === undefined && (
          <p role="status" className="soft">
            Loading…
          </p>
        )}
        {page.data !== undefined && (
          <>
            {page.data.total !== undefined && <p>{page.data.total} items match.</p>}
            <ItemView view={view} items={page.data.items} onOpen={open} />
            <div className="row apart">
              {address['before'] === undefined ? (
                <span />
              ) : (
                <button type="button" className="quiet" onClick={() => change({ before: undefined })}>
                  First page
                </button>
              )}
              {page.data.next !== undefined && (
                <button type="button" onClick={() => change(page.data.next ?? {})}>
                  Next page
                </button>
              )}
            </div>
          </>
        )}
      </section>
    </div>
  )
}

interface ItemPage {
  items: Shown[]
  total?: string
  /** Parameters of the next page, from the `Link` header. */
  next?: Record<string, string>
}

async function readPage(account: string, { route, path, query }: ItemRequest, signal: AbortSignal): Promise<ItemPage> {
  const core = asAccount(account)
  const response = await send(core, ROUTES[route].operation, { path, query, options: { signal } })
  const total = response.headers.get('x-total-count')
  const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  const body = (await parsedBody(core, response)) as Shown | Shown[]
  return {
    items: Array.isArray(body) ? body : [body],
    ...(total === null ? {} : { total }),
    ...(next === undefined ? {} : { next: Object.fromEntries(new URL(next, location.origin).searchParams) }),
  }
}
