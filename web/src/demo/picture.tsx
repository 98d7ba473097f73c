import { useState } from 'react'
import { ownPath } from './own-path.ts'

/** A picture of a demo service by its path, so that it loads under every name of this server; a plain field where there is none. */
export function Picture({
  src,
  alt,
  letter = alt,
  className,
}: {
  src: string | undefined
  alt: string
  /** Shown where there is none. */
  letter?: string | undefined
  className?: string
}) {
  const [failed, setFailed] = useState<string>()
  const own = ownPath(src)
  if (own === undefined || failed === own)
    return (
      <span
        className={`picture-missing ${className ?? ''}`}
        {...(alt === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': alt })}
      >
        {letter.slice(0, 1)}
      </span>
    )
  return (
    <img src={own} alt={alt} className={className} loading="lazy" decoding="async" onError={() => setFailed(own)} />
  )
}
