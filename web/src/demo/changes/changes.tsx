import { Time } from '../../ui/time.tsx'
import { openItem } from '../item/item-dialog.tsx'
import { Panel } from '../panel.tsx'
import type { Recorder } from '../requests/recorder.ts'
import type { Happening } from './summaries.ts'
import './changes.css'

/** What happened since the page was opened. */
export function Changes({ recorder, happenings }: { recorder: Recorder; happenings: readonly Happening[] }) {
  return (
    <Panel title="What changed since you came" name="changes" recorder={recorder}>
      {happenings.length === 0 ? (
        <p className="soft">Nothing yet. “A week later” lets a week pass at the services: see what arrives.</p>
      ) : (
        <ol className="changes" aria-live="polite">
          {happenings.map(({ key, at, sentence, items }) => (
            <li key={key}>
              <span className="soft">
                <Time at={at} />
              </span>{' '}
              <strong>{sentence}</strong>{' '}
              {items.map(({ id, title }) => (
                <button type="button" key={id} className="quiet" onClick={() => openItem(id)}>
                  {title}
                </button>
              ))}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
