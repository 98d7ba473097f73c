import { useState } from 'react'

/** Copies a text; says so to screen readers too. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
    } catch {
      // Browsers refuse the clipboard on plain http and without permission; the text can still be selected.
      setState('failed')
    }
  }
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      {state === 'copied' ? 'Copied' : label}
      <span role="status" className="hidden-text">
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Not copied: select the text instead' : ''}
      </span>
    </button>
  )
}
