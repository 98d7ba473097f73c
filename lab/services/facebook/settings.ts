export interface FacebookSettings {
  /** `empty`: an edge without its permission is an empty list; `error`: code 200. */
  missingPermission: 'empty' | 'error'
  /** "Require App Secret" of the app dashboard: calls without appsecret_proof are refused. */
  requireProof: boolean
  /** A list whose answer would be longer is refused: code 1, status 500. */
  maxListBytes: number
}

export const scopes = {
  public_profile: 'see your name and profile picture',
  email: 'see your email address',
  user_age_range: 'see your age range',
  user_birthday: 'see your birthday',
  user_events: 'see the events you attend',
  user_friends: 'see which of your friends use this app too',
  user_gender: 'see your gender',
  user_hometown: 'see your hometown',
  user_likes: 'see the pages you like',
  user_link: 'see the address of your timeline',
  user_location: 'see your current city',
  user_photos: 'see the photos you uploaded or are tagged in',
  user_posts: 'see the posts on your timeline',
  user_videos: 'see the videos you uploaded',
}
