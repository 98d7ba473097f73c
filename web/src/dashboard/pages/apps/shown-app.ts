import type { ResponseOf } from '@tributary-hub/client/core.ts'
import type { Service } from '@tributary-hub/client/generated/api.ts'

export type ShownApp = ResponseOf<'GET /admin/apps/{client_id}'>
export type KeyOfService = ResponseOf<'GET /admin/apps/{client_id}/keys'>[number]
export type ServiceEntry = Service

/** Where the dashboard itself may receive the end of a sign-in that an operator tries. */
export const triedAddress = (clientId: string): string => `${location.origin}/dashboard/apps/${clientId}`
