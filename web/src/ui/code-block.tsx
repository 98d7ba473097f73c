import { CopyButton } from './copy-button.tsx'

/** A command or a document with a copy button. It can be scrolled by keyboard. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="code-block">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label="Copy" />
    </div>
  )
}
