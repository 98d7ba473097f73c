/** A service as the picture that all pages show. Decoration: its name is beside it. */
export function ServiceMark({ service, isSmall = false }: { service: string; isSmall?: boolean }) {
  const size = isSmall ? 21 : 35
  return (
    <img
      className={`mark${isSmall ? ' small' : ''}`}
      src={`/marks/${encodeURIComponent(service)}.svg`}
      alt=""
      width={size}
      height={size}
    />
  )
}
