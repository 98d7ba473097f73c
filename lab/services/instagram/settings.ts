export interface InstagramSettings {
  /** The documentation shows `data`, a list of one; the live service has been observed to send `flat`, with a numeric user_id. */
  tokenShape: 'data' | 'flat'
  /** "Require App Secret" of the app dashboard. */
  requireProof: boolean
}

export const scopes = {
  instagram_business_basic: 'see your profile and your media',
  instagram_business_manage_comments: 'read and answer comments on your media',
  instagram_business_manage_messages: 'read and send your messages',
  instagram_business_content_publish: 'publish in your name',
  instagram_business_manage_insights: 'see figures about your account',
}
