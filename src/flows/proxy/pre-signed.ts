/** The parameters with which Amazon S3, CloudFront, Google Cloud Storage and Alibaba OSS sign an address. */
const SIGNATURE = /[?&](?:x-(?:amz|goog|oss)-signature|awsaccesskeyid|googleaccessid|ossaccesskeyid|key-pair-id)=/i
/** Those of a shared access signature of Azure, all of which it has. */
const AZURE = [/[?&]sig=/, /[?&]se=/, /[?&]sv=/]

/**
 * Whether an address says itself what its bearer may do. A call of it gets no credential: storage refuses a call that is authorized
 * twice, and its operator needs nothing of the person.
 */
export function isPreSigned(url: string): boolean {
  if (!url.includes('?')) return false
  return SIGNATURE.test(url) || AZURE.every((parameter) => parameter.test(url))
}
