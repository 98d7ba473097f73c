import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { operator, request } from '../../../api/core.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Time } from '../../../ui/time.tsx'
import { useCurrentApp } from '../../current-app.ts'
import { PageTitle } from '../../page-title.tsx'
import { curlOf } from './curl-of.ts'
import './log.css'
import { StepTree } from './step-tree.tsx'
import { duration } from './step-words.ts'
import { type Inspected, KIND_NAMES, OutcomeBadge, ReasonLink } from './words.tsx'

const OPEN_MS = 2000

export default function InspectPage() {
  const app = useCurrentApp()
  const { id } = useParams({ from: '/framed/log/$id' })
  return (
    <div className="stack">
      <PageTitle title="Operation">
        <CopyButton text={location.href} label="Copy link" />
        <Link to="/log" search={{ app }} className="button quiet">
          Whole log
        </Link>
      </PageTitle>
      {app === undefined ? <p>There is no app yet.</p> : <Operation app={app} id={id} />}
    </div>
  )
}

function Operation({ app, id }: { app: string; id: string }) {
  const query = useQuery({
    ...request(operator, 'GET /admin/apps/{client_id}/log/{id}', { path: { client_id: app, id } }),
    // A sign-in that is under way goes on.
    refetchInterval: ({ state }) => (state.data?.outcome === 'open' ? OPEN_MS : false),
  })
  return (
    <QueryView query={query}>
      {(operation) => (
        <>
          <Facts operation={operation} app={app} />
          <section className="card" aria-labelledby="steps">
            <h2 id="steps">Steps</h2>
            <StepTree operation={operation} />
          </section>
          {operation.kind === 'proxy' && (
            <section className="card" aria-labelledby="curl">
              <h2 id="curl">Send it again</h2>
              <CodeBlock label="The call as curl" text={curlOf(operation, location.origin)} />
              <p className="soft">
                The log has neither the query nor the body. Set TOKEN to an access token of the account.
              </p>
            </section>
          )}
        </>
      )}
    </QueryView>
  )
}

function Facts({ operation, app }: { operation: Inspected; app: string }) {
  const { kind, service, outcome, reason, summary, at, ms, account, profile, request_id: requestId, id } = operation
  return (
    <section className="card" aria-label="About the operation">
      <p className="row">
        <OutcomeBadge outcome={outcome} />
        {reason !== undefined && <ReasonLink reason={reason} />}
        <strong>{[KIND_NAMES[kind], service].filter(Boolean).join(' · ')}</strong>
      </p>
      <p>{summary}</p>
      <dl className="facts">
        <Fact name="Began">
          <Time at={at} /> <span className="soft">({new Date(at).toISOString()})</span>
        </Fact>
        <Fact name="Took">{duration(ms)}</Fact>
        {account !== undefined && (
          <Fact name="Account">
            <Link to="/accounts/$account" params={{ account }} search={{ app }}>
              <code>{account}</code>
            </Link>
          </Fact>
        )}
        {profile !== undefined && (
          <Fact name="Profile">
            <code>{profile}</code>
          </Fact>
        )}
        {requestId !== undefined && (
          <Fact name="Request">
            <code>{requestId}</code>
          </Fact>
        )}
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
