import { useState } from 'react'

/** Copies a text and says whether it did, to screen readers too. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [tried, setTried] = useState<{ text: string; result: string }>()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setTried({ text, result: 'Copied' })
    } catch {
      // Browsers refuse the clipboard on plain http and without permission; the text can still be selected.
      setTried({ text, result: 'Not copied: select the text' })
    }
  }
  const result = tried?.text === text ? tried.result : undefined
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      {result ?? label}
      <span role="status" className="hidden-text">
        {result}
      </span>
    </button>
  )
}
