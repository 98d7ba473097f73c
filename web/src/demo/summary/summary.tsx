import { useContext } from 'react'
import { formatCount } from '../../ui/amounts.ts'
import { Picture } from '../picture.tsx'
import type { Recorder } from '../requests/recorder.ts'
import { RequestBar } from '../requests/request-bar.tsx'
import { countItems, getSelf } from '../requests/sdk-calls.ts'
import { useCall, useRecorder } from '../requests/use-call.ts'
import { SessionContext } from '../session-context.ts'
import './summary.css'

const SHOWN: [string, string][] = [
  ['photos', 'photos'],
  ['statuses', 'posts'],
  ['checkins', 'check-ins'],
  ['activities', 'activities'],
  ['measures', 'measures'],
  ['contacts', 'contacts'],
  ['all_feed', 'from friends'],
]

/** The person, merged from all profiles, and how much there is of each type. */
export function Summary() {
  const recorder: Recorder = useRecorder()
  const { until } = useContext(SessionContext)
  const person = useCall(recorder, 'self', getSelf()).data
  const counts = useCall(recorder, 'counts', countItems({ until })).data
  return (
    <section className="person" aria-labelledby="person">
      <div className="person-head">
        <Picture src={person?.thumbnail_url} alt="" className="avatar avatar-large" />
        <div>
          <h1 id="person">{person?.name ?? 'Connecting …'}</h1>
          <p className="soft">
            {[person?.description, person?.location].filter((each) => each !== undefined).join(' · ')}
          </p>
        </div>
        <ul className="person-counts">
          {SHOWN.map(([type, label]) => (
            <li key={type}>
              <strong>{formatCount(Number(counts?.[type] ?? 0))}</strong>
              <span className="soft">{label}</span>
            </li>
          ))}
        </ul>
      </div>
      <RequestBar recorder={recorder} of="these figures" main="/types" />
    </section>
  )
}
