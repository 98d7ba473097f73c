import { kind } from '#kit/read/kind.ts'

interface Value {
  value?: number
  type?: number
  /** A power of ten. */
  unit?: number
  /** The part of the body. */
  position?: number
}

export interface MeasureGroup {
  grpid: number
  date?: number
  modified?: number
  measures?: (Value | null)[]
  comment?: string
}

/** One value of a group, with what the group says about it; or the notice that a whole group is not stored any more. */
export interface Measure extends Omit<MeasureGroup, 'measures'> {
  measures?: [Value]
  isReplaced?: true
}

/** https://developer.withings.com/api-reference#tag/measure/operation/measure-getmeas */
const METRICS = new Map<number, [metric: string, unit: string]>([
  [1, ['weight', 'kg']],
  [4, ['height', 'm']],
  [5, ['fat_free_mass', 'kg']],
  [6, ['fat_ratio', '%']],
  [8, ['fat_mass', 'kg']],
  [9, ['diastolic_blood_pressure', 'mmHg']],
  [10, ['systolic_blood_pressure', 'mmHg']],
  [11, ['heart_rate', 'bpm']],
  [12, ['temperature', '°C']],
  [54, ['oxygen_saturation', '%']],
  [71, ['body_temperature', '°C']],
  [73, ['skin_temperature', '°C']],
  [76, ['muscle_mass', 'kg']],
  [77, ['hydration', 'kg']],
  [88, ['bone_mass', 'kg']],
  [91, ['pulse_wave_velocity', 'm/s']],
  [123, ['vo2_max', 'ml/min/kg']],
  [130, ['atrial_fibrillation_ecg', 'code']],
  [135, ['qrs_interval', 'ms']],
  [136, ['pr_interval', 'ms']],
  [137, ['qt_interval', 'ms']],
  [138, ['corrected_qt_interval', 'ms']],
  [139, ['atrial_fibrillation_ppg', 'code']],
  [155, ['vascular_age', 'years']],
  [167, ['nerve_health_score', 'score']],
  [168, ['extracellular_water', 'kg']],
  [169, ['intracellular_water', 'kg']],
  [170, ['visceral_fat', 'index']],
  [173, ['fat_free_mass', 'kg']],
  [174, ['fat_mass', 'kg']],
  [175, ['muscle_mass', 'kg']],
  [196, ['electrodermal_activity', 'µS']],
  [226, ['basal_metabolic_rate', 'kcal']],
  [227, ['metabolic_age', 'years']],
  [229, ['electrochemical_skin_conductance', 'µS']],
])

/** Types that have a value for each segment of the body. */
const OF_SEGMENTS = new Set([173, 174, 175])
const SEGMENTS = new Map([
  [2, 'right_arm'],
  [3, 'left_arm'],
  [4, 'right_foot'],
  [5, 'left_foot'],
  [8, 'left_side'],
  [9, 'right_side'],
  [10, 'left_leg'],
  [11, 'right_leg'],
  [12, 'torso'],
])

/**
 * A measurement is one group with several values, such as the three of a blood pressure: each becomes an item. Before it stands the
 * notice that the group itself is none, because an earlier release stored groups as items.
 */
export function measuresOf(groups: (MeasureGroup | null)[] | undefined): Measure[] | undefined {
  return groups?.flatMap((group): Measure[] => {
    if (group === null || typeof group !== 'object') return []
    const { measures, ...rest } = group
    const values = (Array.isArray(measures) ? measures : []).filter((one) => one !== null && typeof one === 'object')
    return [{ ...rest, isReplaced: true }, ...values.map((one): Measure => ({ ...rest, measures: [one] }))]
  })
}

function metricOf({ measures }: Measure): { metric: string; unit: string; value: number | undefined } | undefined {
  const [one] = measures ?? []
  const known = METRICS.get(one?.type ?? -1)
  if (one === undefined || known === undefined) return undefined
  const segment = OF_SEGMENTS.has(one.type ?? -1) ? SEGMENTS.get(one.position ?? -1) : undefined
  const metric = segment === undefined ? known[0] : `${known[0]}_${segment}`
  return { metric, unit: known[1], value: realValue(one) }
}

/** Parsed as a decimal text, because multiplying would turn 71.25 into 71.25000000000001. */
function realValue({ value, unit }: Value): number | undefined {
  return value === undefined ? undefined : Number(`${value}e${unit ?? 0}`)
}

const MS = 1000

export const measure = kind<Measure>({
  name: 'measure',
  id: ({ grpid, measures, isReplaced }) =>
    isReplaced === true || grpid === undefined || grpid === null
      ? grpid
      : `${grpid}/${measures?.[0].type ?? ''}/${measures?.[0].position ?? ''}`,
  deleted: ({ isReplaced }) => isReplaced === true,
  at: ({ date }) => (date === undefined ? undefined : date * MS),
  map: {
    metric: (one) => metricOf(one)?.metric,
    value: (one) => metricOf(one)?.value,
    unit: (one) => metricOf(one)?.unit,
    text: ({ comment }) => comment,
  },
  card: {
    title: (one) => metricOf(one)?.metric.replaceAll('_', ' '),
    description: (one) => {
      const { value, unit } = metricOf(one) ?? {}
      return value === undefined ? undefined : `${value} ${unit}`
    },
  },
})
