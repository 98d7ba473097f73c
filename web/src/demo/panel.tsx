import { type ReactNode, useId } from 'react'
import type { Recorder } from './requests/recorder.ts'
import { RequestBar } from './requests/request-bar.tsx'
import './panel.css'

/** A part of the page with its heading and, at its foot, the request behind it. */
export function Panel({
  title,
  name,
  note,
  recorder,
  actions,
  children,
}: {
  title: string
  /** Of the place in the layout. */
  name: string
  note?: ReactNode
  recorder: Recorder
  actions?: ReactNode
  children: ReactNode
}) {
  const heading = useId()
  return (
    <section id={name} className={`panel panel-${name}`} aria-labelledby={heading}>
      <header className="panel-head">
        <h2 id={heading}>{title}</h2>
        {note !== undefined && <span className="soft">{note}</span>}
        {actions !== undefined && <div className="panel-actions">{actions}</div>}
      </header>
      <div className="panel-body">{children}</div>
      <RequestBar recorder={recorder} of={title} />
    </section>
  )
}
