/** A service as a letter on its colour. */
export function ServiceMark({
  service,
  title,
  isSmall = false,
}: {
  service: string
  title: string
  isSmall?: boolean
}) {
  const letter = title.replace(/^Demo /, '').slice(0, 1)
  return (
    <span className={`mark mark-${service}${isSmall ? ' small' : ''}`} aria-hidden="true">
      {letter}
    </span>
  )
}
