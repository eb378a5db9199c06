import { jobAddress } from '../../../src/base/names.ts'
import type { DonePurchase, FailedPurchase } from '../../../src/base/purchase.ts'
import type { Lock } from '../../../src/store/lock/lock.ts'
import { named, recipe, run, saved } from '../records.ts'

const { width: _, height: __, ...bare } = saved('hero-2.png', 'c')
export const hero: DonePurchase = {
  id: named('k2'),
  address: jobAddress('hero'),
  is: 'done',
  recipe: { ...recipe, params: { prompt: 'tea', count: 2 }, defaults: { aspectRatio: '16:9' } },
  run: run('r-1'),
  files: [saved('hero-1.png'), bare],
}
export const clip: FailedPurchase = {
  id: named('k1'),
  address: jobAddress('clip[fox]'),
  is: 'failed',
  billed: 'unknown',
  recipe,
  flaw: { why: 'remote', message: 'the run failed at the service' },
}
export const lock: Lock = {
  lineage: '0123456789abcdef'.repeat(2),
  manifest: 'teapots.yaml',
  jobs: [hero, clip],
}

export const text = `{"genrun":2,"lineage":"0123456789abcdef0123456789abcdef","manifest":"teapots.yaml","jobs":[
{"address":"clip[fox]","state":"failed","id":"k1","recipe":{"version":1,"model":"fama-imagine-image","params":{"count":2,"prompt":"a teapot, “steaming”\\n\\\\ ☕"},"defaults":{},"inputs":{},"take":1},"files":[],"flaw":{"why":"remote","message":"the run failed at the service"}},
{"address":"hero","state":"done","id":"k2","recipe":{"version":1,"model":"fama-imagine-image","params":{"count":2,"prompt":"tea"},"defaults":{"aspectRatio":"16:9"},"inputs":{},"take":1},"run":{"workflow":"fama-imagine-image","id":"r-1"},"files":[{"path":"hero-1.png","digest":"sha256:${'a'.repeat(64)}","bytes":10,"type":"image/png","width":4,"height":2},{"path":"hero-2.png","digest":"sha256:${'c'.repeat(64)}","bytes":10,"type":"image/png"}]},
null]}
`
