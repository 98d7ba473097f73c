import { isTributaryError, type TributaryError } from '@tributary-hub/client/errors.ts'

/** Why a request failed: the sentence, the reason with its page, the request's id, and a way to try again. */
export function ErrorNotice({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  const refused = isTributaryError(error) ? error : undefined
  return (
    <div className="notice bad" role="alert">
      <p>
        {refused === undefined ? (error instanceof Error ? error.message : 'The request failed.') : sentenceOf(refused)}
      </p>
      {retry !== undefined && (
        <div className="row">
          <button type="button" className="quiet" onClick={() => void retry()}>
            Try again
          </button>
        </div>
      )}
      {refused !== undefined && (
        <details className="soft">
          <summary>Details</summary>
          <a href={`/docs#${refused.reason}`}>
            <code>{refused.reason}</code>
          </a>
          {refused.requestId !== undefined && (
            <>
              {' · request '}
              <code>{refused.requestId}</code>
            </>
          )}
        </details>
      )}
    </div>
  )
}

/** “password: has fewer …” names a field of the API: people read it as a sentence. */
function sentenceOf({ message, param }: TributaryError): string {
  const words = (param ?? '').replaceAll(/[_.]/g, ' ')
  if (param === undefined || !message.startsWith(`${param}: `)) return message
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)} ${message.slice(param.length + 2)}`
}
