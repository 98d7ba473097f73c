import { call } from '@tributary-hub/client/core.ts'
import { asOperator } from './core.ts'

/** Signs in as the operator of the demo, which works on the machine where it runs. */
export const visitDemo = () => call(asOperator, 'POST /dashboard/session/demo')
