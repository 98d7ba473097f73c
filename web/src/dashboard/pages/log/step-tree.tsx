import { barOf, type Range, rangeOf, WIDTH } from './step-bars.ts'
import { duration, readable } from './step-words.ts'
import { type Inspected, OutcomeBadge, ReasonLink } from './words.tsx'

type Step = Inspected['steps'][number]
type Inner = Step['steps'][number]

/** The steps as a tree, each with a bar that shows when it ran within the whole operation. */
export function StepTree({ operation }: { operation: Inspected }) {
  const { steps } = operation
  if (steps.length === 0) return <p className="soft">No step was logged.</p>
  const range = rangeOf(steps)
  return (
    <ol className="steps">
      {steps.map((step, index) => (
        <li key={`${index} ${step.name}`}>
          <StepLine step={step} range={range} />
          {step.steps.length > 0 && (
            <ol>
              {step.steps.map((inner, place) => (
                <li key={`${place} ${inner.name}`}>
                  <StepLine step={inner} range={range} />
                </li>
              ))}
            </ol>
          )}
        </li>
      ))}
    </ol>
  )
}

function StepLine({ step, range }: { step: Inner; range: Range }) {
  const { name, at, ms, outcome, detail } = step
  return (
    <div className="step">
      <div className="row">
        <strong>{readable(name)}</strong>
        <OutcomeBadge outcome={outcome} />
        <span className="soft">
          +{duration(at - range.from)}, {duration(ms)}
        </span>
      </div>
      <Bar at={at} ms={ms} range={range} outcome={outcome} />
      {Object.keys(detail).length > 0 && (
        <dl className="facts soft">
          {Object.entries(detail).map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{key === 'reason' ? <ReasonLink reason={String(value)} /> : <code>{String(value)}</code>}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

/** The times are beside it as text, so screen readers skip it. */
function Bar({ at, ms, range, outcome }: { at: number; ms: number; range: Range; outcome: Inner['outcome'] }) {
  const { x, width } = barOf({ at, ms }, range)
  return (
    <svg className={`bar ${outcome}`} viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
      <rect className="whole" width={WIDTH} height="8" />
      <rect className="own" x={x} width={width} height="8" />
    </svg>
  )
}
