import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { operator, request } from '../../../api/core.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { useAddress } from '../../address.ts'
import { rememberApp, useNamedApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { appSearch, frameSearch } from '../../search.ts'
import { useIsOperator } from '../../session.ts'
import { BrandingForm } from './branding.tsx'
import { DeleteApp } from './delete-app.tsx'
import { Keys } from './keys.tsx'
import { Secrets } from './secrets.tsx'
import { SettingsForm } from './settings.tsx'
import { TriedSignIn } from './tried-sign-in.tsx'
import './page.css'

const TABS = [
  { name: 'keys', title: 'Keys' },
  { name: 'settings', title: 'Settings' },
  { name: 'secrets', title: 'Secrets' },
  { name: 'look', title: 'Look' },
] as const
/** Only operators delete apps. */
const TABS_OF_OPERATORS = [...TABS, { name: 'delete', title: 'Delete' }] as const

export default function AppPage() {
  const { app: id } = useParams({ from: '/framed/apps/$app' })
  const [{ tab = 'keys' }, change] = useAddress(appSearch)
  const app = useQuery(request(operator, 'GET /admin/apps/{client_id}', { path: { client_id: id } }))
  const isOperator = useIsOperator()
  const named = useNamedApp()
  const [, changeFrame] = useAddress(frameSearch)
  // Opening an app chooses it: a link that was followed from the page of another one must not say otherwise.
  useEffect(() => {
    rememberApp(id)
    if (named !== undefined && named !== id) changeFrame({ app: undefined }, { replace: true })
  }, [id, named, changeFrame])
  return (
    <div className="stack">
      <QueryView query={app}>
        {(shown) => (
          <>
            <PageTitle title={shown.name}>
              <span className="row">
                <code>{id}</code>
                <CopyButton text={id} label="Copy client id" />
              </span>
            </PageTitle>
            <TriedSignIn />
            <Tabs
              label="Parts of the app"
              tabs={isOperator ? TABS_OF_OPERATORS : TABS}
              current={tab}
              onChoose={(name) => change({ tab: name === 'keys' ? undefined : name, service: undefined })}
            />
            {tab === 'keys' && <Keys app={shown} />}
            {tab === 'settings' && <SettingsForm app={shown} />}
            {tab === 'secrets' && <Secrets app={shown} />}
            {tab === 'look' && <BrandingForm app={shown} />}
            {tab === 'delete' &&
              (isOperator ? <DeleteApp app={shown} /> : <p>Only an operator may delete an app. Ask one of them.</p>)}
          </>
        )}
      </QueryView>
      <p>
        <Link to="/apps">All apps</Link>
      </p>
    </div>
  )
}
