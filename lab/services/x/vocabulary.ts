import type { LabRequest } from '../../base/request.ts'
import { settingGroup } from '../../declare/service.ts'
import { wrong } from './params.ts'
import { invalidParameter } from './problems.ts'

/** Which names of fields and expansions the API accepts: both, only “tweet”, or only “post”. */
interface VocabularySettings {
  vocabulary: 'both' | 'older' | 'newer'
}

interface Words {
  params: readonly string[]
  /** By parameter. */
  values: Readonly<Record<string, readonly string[]>>
}

/** What the guides have and the OpenAPI description 2.167 does not. */
const onlyOlder: Words = {
  params: ['tweet.fields'],
  values: {
    expansions: [
      'edit_history_tweet_ids',
      'most_recent_tweet_id',
      'pinned_tweet_id',
      'referenced_tweets.id',
      'referenced_tweets.id.attachments.media_keys',
      'referenced_tweets.id.author_id',
    ],
    'user.fields': ['most_recent_tweet_id', 'pinned_tweet_id'],
    'dm_event.fields': ['participant_ids', 'referenced_tweets', 'sender_id'],
  },
}

const onlyNewer: Words = {
  params: ['post.fields'],
  values: { expansions: ['edit_history_post_ids', 'most_recent_post_id', 'pinned_post_id', 'referenced_posts'] },
}

export type Vocabulary = ReturnType<typeof createVocabulary>

export function createVocabulary() {
  const settings: VocabularySettings = { vocabulary: 'both' }
  return {
    ...settingGroup(settings, { vocabulary: ['both', 'older', 'newer'] }),
    /** Rejects the words that the API does not accept at present. */
    check({ query }: LabRequest): void {
      if (settings.vocabulary === 'both') return
      const { params, values } = settings.vocabulary === 'older' ? onlyNewer : onlyOlder
      for (const [name, value] of query) {
        if (params.includes(name)) throw invalidParameter(name, value, `The query parameter [${name}] is not known`)
        const unknown = value.split(',').find((one) => values[name]?.includes(one))
        if (unknown !== undefined) throw wrong(name, value, 'is not one of the allowed', unknown)
      }
    },
  }
}
