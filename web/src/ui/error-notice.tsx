import { isTributaryError } from '@tributary-hub/client/errors.ts'

/** Why a request failed: the sentence, the reason with its page, the request's id, and a way to try again. */
export function ErrorNotice({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  const refused = isTributaryError(error) ? error : undefined
  return (
    <div className="notice bad" role="alert">
      <p>{refused?.message ?? (error instanceof Error ? error.message : 'The request failed.')}</p>
      <div className="row">
        {refused !== undefined && (
          <span className="soft">
            <a href={`/docs#${refused.reason}`}>
              <code>{refused.reason}</code>
            </a>
            {refused.requestId !== undefined && (
              <>
                {' · '}
                <code>{refused.requestId}</code>
              </>
            )}
          </span>
        )}
        {retry !== undefined && (
          <button type="button" className="quiet" onClick={() => void retry()}>
            Try again
          </button>
        )}
      </div>
    </div>
  )
}
