/** The result of one check of `tributary doctor`. */
export interface Diagnosis {
  name: string
  state: 'ok' | 'warn' | 'fail'
  detail: string
  /** What to do; set unless the state is `ok`. */
  help?: string
}
