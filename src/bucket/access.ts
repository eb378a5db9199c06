import { checkBaseUrl } from '../wire/http/address.ts'

/** What a store of objects is asked with: where it is, and who asks. */
export interface BucketAccess {
  /** `https://s3.eu-central-1.amazonaws.com`; buckets are found below it by their names. No slash at its end. */
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of credentials that last for some hours. */
  readonly sessionToken?: string
}

/** Why a bucket cannot be used, for a person to mend. Holds no secret. */
export interface BucketTrouble {
  readonly message: string
  readonly hint: string
}

/** By the environment alone, under the names that every other client reads: nothing of a project has a say in where keys go. */
export function accessFrom(env: {
  readonly [name: string]: string | undefined
}): BucketAccess | BucketTrouble {
  const given = (name: string) => env[name]?.trim() || undefined
  const [accessKeyId, secretAccessKey] = [given('AWS_ACCESS_KEY_ID'), given('AWS_SECRET_ACCESS_KEY')]
  const sessionToken = given('AWS_SESSION_TOKEN')
  if (accessKeyId === undefined || secretAccessKey === undefined)
    return {
      message: 'there are no credentials for the bucket',
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    }
  const region = given('AWS_REGION') ?? given('AWS_DEFAULT_REGION')
  const endpoint = endpointOf(given('AWS_ENDPOINT_URL_S3') ?? given('AWS_ENDPOINT_URL'), region)
  if (typeof endpoint !== 'string') return endpoint
  // What stores of one region call it.
  const found = { endpoint, region: region ?? 'us-east-1', accessKeyId, secretAccessKey }
  return sessionToken === undefined ? found : { ...found, sessionToken }
}

function endpointOf(address: string | undefined, region: string | undefined): string | BucketTrouble {
  if (address === undefined) {
    if (region !== undefined && /^[a-z]{2}[a-z\d-]{1,40}$/.test(region))
      return `https://s3.${region}.amazonaws.com`
    return {
      message: 'nothing says where the bucket is',
      hint: 'set AWS_REGION, or AWS_ENDPOINT_URL_S3 for another store',
    }
  }
  const checked = checkBaseUrl(address)
  if ('url' in checked) return checked.url.href.replace(/\/+$/, '')
  const hint = 'it looks like https://host; plain http is for this machine only'
  return { message: `the address of the store (AWS_ENDPOINT_URL_S3) ${checked.problem}`, hint }
}
