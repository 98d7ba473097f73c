/** Buttons that choose a part of a page. */
export function Tabs<Name extends string>({
  label,
  tabs,
  current,
  onChoose,
}: {
  label: string
  tabs: readonly { name: Name; title: string }[]
  current: string
  onChoose: (name: Name) => void
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
