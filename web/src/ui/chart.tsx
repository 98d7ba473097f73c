import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export interface Series {
  label: string
  /** A CSS variable of the design, such as `--brand`. */
  color: string
  values: (number | null)[]
  /** Default: a line. */
  shape?: 'line' | 'area' | 'bars'
}

const timeWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const bars = uPlot.paths.bars?.({ size: [0.7, 40] })

/** Dates and hours as ISO 8601 writes them: the templates of the library are American. */
const formatDate = (template: string) =>
  uPlot.fmtDate(
    template
      .replace('{h}:{mm}{aa}', '{HH}:{mm}')
      .replace('{h}{aa}', '{HH}:{mm}')
      .replace('{M}/{D}/{YY}', '{YYYY}-{MM}-{DD}')
      .replace('{M}/{D}', '{MM}-{DD}'),
  )

/** Lines over time. `label` is its text for screen readers and must say what the chart shows. */
export function Chart({
  label,
  times,
  series,
  height = 180,
}: {
  label: string
  /** Milliseconds, ascending. */
  times: number[]
  series: Series[]
  height?: number
}) {
  const element = useRef<HTMLDivElement>(null)
  const isDark = useDark()
  useEffect(() => {
    const target = element.current
    if (target === null) return undefined
    const color = (name: string) => getComputedStyle(target).getPropertyValue(name)
    const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 } }
    const plot = new uPlot(
      {
        width: target.clientWidth,
        height,
        fmtDate: formatDate,
        legend: { show: series.length > 1 },
        axes: [axis, axis],
        series: [
          { label: '', value: (_plot: uPlot, at: number | null) => (at === null ? '' : timeWords.format(at * 1000)) },
          ...series.map(({ label: name, color: variable, shape = 'line' }) => ({
            label: name,
            // Without a point below the pointer the legend has only names.
            value: (_plot: uPlot, value: number | null) => (value === null ? '' : String(value)),
            stroke: color(variable),
            width: shape === 'bars' ? 0 : 2,
            ...(shape === 'line' ? {} : { fill: color(shape === 'bars' ? variable : `${variable}-soft`) }),
            ...(shape === 'bars' && bars !== undefined ? { paths: bars, points: { show: false } } : {}),
          })),
        ],
      },
      [times.map((at) => at / 1000), ...series.map((each) => each.values)],
      target,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height }))
    observer.observe(target)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [times, series, height, isDark])
  return <div ref={element} role="img" aria-label={label} />
}

/** A canvas has fixed colours: it is drawn again when the scheme changes. */
function useDark(): boolean {
  const scheme = '(prefers-color-scheme: dark)'
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(scheme)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => matchMedia(scheme).matches,
  )
}
