/** Buttons that choose a part of a page. */
export function Tabs({
  label,
  tabs,
  current,
  onChoose,
}: {
  label: string
  tabs: { name: string; title: string }[]
  current: string
  onChoose: (name: string) => void
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          className="tab"
          aria-current={name === current ? 'page' : undefined}
          onClick={() => onChoose(name)}
        >
          {title}
        </button>
      ))}
    </nav>
  )
}
