import { CodeBlock } from '../../../ui/code-block.tsx'
import { Time } from '../../../ui/time.tsx'

/** A link that was just made. It is shown once. */
export function LinkShown({ url, expiresAt }: { url: string; expiresAt: number }) {
  return (
    <>
      <p>
        Give this link to the person, by a way that only they read. It works once, and ends <Time at={expiresAt} />. It
        is not shown again.
      </p>
      <CodeBlock text={url} label="The link" />
    </>
  )
}
