// What `bucket.mjs` compares with: every file of a folder by the library, one after the other.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { S3mini } from 's3mini'

const [folder, prefix] = process.argv.slice(2)
const { AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
const s3 = new S3mini({
  endpoint: `${AWS_ENDPOINT_URL_S3}/results`,
  accessKeyId: AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS_SECRET_ACCESS_KEY,
})
for (const name of readdirSync(folder, { recursive: true }).filter(each => each.endsWith('.png')))
  await s3.putObject(`${prefix}/${name}`, readFileSync(join(folder, name)), 'image/png')
