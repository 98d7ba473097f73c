import { CopyButton } from './copy-button.tsx'

/** A secret that is shown this one time. */
export function OnceSecret({ label, secret }: { label: string; secret: string }) {
  return (
    <div className="notice warn">
      <p>
        <strong>{label}</strong> It is shown only now: store it where your app reads it.
      </p>
      <div className="row">
        <code className="once-secret">{secret}</code>
        <CopyButton text={secret} label="Copy secret" />
      </div>
    </div>
  )
}
