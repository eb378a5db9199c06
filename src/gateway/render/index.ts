export type { Input, RenderedFile, RenderRequest } from './order/request.ts'
export { render } from './render.ts'
