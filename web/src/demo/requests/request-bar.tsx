import { useContext, useId, useState, useSyncExternalStore } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import { SessionContext } from '../session-context.ts'
import type { Recorder, SentRequest } from './recorder.ts'
import { codeOf, curlOf } from './request-code.ts'
import './requests.css'

const VIEWS = ['curl', 'TypeScript', 'Response'] as const
/** Limit: characters of a response that are shown; the size says how long it is. */
const MAX_SHOWN = 20_000

const size = (bytes: number) => (bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`)

/** The request behind a panel: one line, which opens to the command, the code and the response. */
export function RequestBar({
  recorder,
  of,
  main,
}: {
  recorder: Recorder
  of: string
  /** The path of the request to show first, where a panel sends several. */
  main?: string
}) {
  const sent = useSyncExternalStore(recorder.subscribe, recorder.sent)
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const latest = sent.find(({ path }) => path === main) ?? sent[0]
  if (latest === undefined) return null
  return (
    <footer className="request">
      <button
        type="button"
        className="request-line"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="request-ask">{isOpen ? 'Hide the request' : 'Show me the request'}</span>
        <span className="hidden-text"> of {of}: </span>
        <code className="request-path">
          {latest.method} {decodeURIComponent(latest.path)}
        </code>
        <Facts request={latest} />
      </button>
      <div id={details} hidden={!isOpen}>
        {isOpen && <Details sent={sent} first={latest} of={of} />}
      </div>
    </footer>
  )
}

function Facts({ request: { response } }: { request: SentRequest }) {
  if (response === undefined) return null
  return (
    <span className="request-facts">
      {response.status} · {response.isStream ? 'live stream' : `${size(response.bytes)} · ${response.ms.toFixed(0)} ms`}
    </span>
  )
}

function Details({ sent, first, of }: { sent: readonly SentRequest[]; first: SentRequest; of: string }) {
  const { session } = useContext(SessionContext)
  const [view, setView] = useState<(typeof VIEWS)[number]>('curl')
  const [chosen, setChosen] = useState<number>()
  const request = sent.find(({ id }) => id === chosen) ?? first
  const text =
    view === 'curl'
      ? curlOf(request, location.origin)
      : view === 'TypeScript'
        ? codeOf(request, session.client_id, location.origin)
        : shown(request)
  return (
    <div className="request-details">
      <div className="row apart">
        <fieldset className="request-views">
          <legend className="hidden-text">Show the request of {of} as</legend>
          {VIEWS.map((each) => (
            <button
              type="button"
              key={each}
              className="quiet"
              aria-pressed={view === each}
              onClick={() => setView(each)}
            >
              {each}
            </button>
          ))}
        </fieldset>
        {sent.length > 1 && (
          <select
            aria-label={`Requests of ${of}, newest first`}
            value={request.id}
            onChange={(event) => setChosen(Number(event.target.value))}
          >
            {sent.map(({ id, method, path }) => (
              <option key={id} value={id}>
                {method} {decodeURIComponent(path).slice(0, 70)}
              </option>
            ))}
          </select>
        )}
      </div>
      <CodeBlock text={text} label={`${view} of ${of}`} />
    </div>
  )
}

function shown({ response }: SentRequest): string {
  if (response === undefined) return ''
  const text = indented(response.text)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… (${size(response.bytes)} in all)` : text
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    // Not JSON: shown as it came.
    return text
  }
}
