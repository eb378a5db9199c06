// What `bucket.mjs` compares with: every file of a folder by the library, one after the other, or so many at a time.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { S3mini } from 's3mini'

const [folder, prefix, width = '1'] = process.argv.slice(2)
const { AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
const s3 = new S3mini({
  endpoint: `${AWS_ENDPOINT_URL_S3}/results`,
  accessKeyId: AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS_SECRET_ACCESS_KEY,
})
const left = readdirSync(folder, { recursive: true })
  .filter(each => each.endsWith('.png'))
  .values()
const worker = async () => {
  for (const name of left)
    await s3.putObject(`${prefix}/${name}`, readFileSync(join(folder, name)), 'image/png')
}
await Promise.all(Array.from({ length: Number(width) }, worker))
