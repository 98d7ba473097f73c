const scope = (name: string) => `https://www.googleapis.com/auth/${name}`

/** What each part needs. The person may untick any of them: then its endpoints show `scope_missing`. */
export const CONTACTS = scope('contacts.readonly')
export const OTHER_CONTACTS = scope('contacts.other.readonly')
export const CALENDAR = scope('calendar.readonly')
export const DRIVE = scope('drive.metadata.readonly')
export const YOUTUBE = scope('youtube.readonly')
/** Headers and labels; Google refuses bodies and searches to tokens with this scope only. */
export const MAIL = scope('gmail.metadata')
