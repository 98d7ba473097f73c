import { z } from 'zod'
import { OPERATION_KINDS, OPERATION_OUTCOMES } from '#model/operation.ts'

export const loggedOperation = z
  .object({
    id: z.string(),
    kind: z.enum(OPERATION_KINDS),
    at: z.number().describe('When it began.'),
    ms: z.number().describe('From its beginning to its last step.'),
    outcome: z
      .enum(OPERATION_OUTCOMES)
      .describe(
        '`failed`: something did not work. `refused`: a request was wrong, or the person declined or did not come back. `open`: a sign-in that is under way.',
      ),
    reason: z.string().optional(),
    service: z.string().optional(),
    profile: z.string().optional().describe('The id of the profile.'),
    account: z.string().optional(),
    request_id: z.string().optional().describe('Of the last request.'),
    summary: z.string(),
  })
  .meta({ id: 'LoggedOperation', description: 'A sign-in, a sync, a proxied call or a delivery.' })

const innerStep = z
  .object({
    name: z.string(),
    at: z.number(),
    ms: z.number(),
    outcome: z.enum(OPERATION_OUTCOMES),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).describe('Without secrets.'),
  })
  .meta({ id: 'InnerStep', description: 'A step inside another one, as a call to a service is.' })

const operationStep = innerStep
  .extend({ steps: z.array(innerStep) })
  .meta({ id: 'OperationStep', description: 'A step of an operation, with the steps inside it.' })

export const inspectedOperation = loggedOperation
  .extend({ steps: z.array(operationStep) })
  .meta({ id: 'InspectedOperation', description: 'An operation with its steps.' })
