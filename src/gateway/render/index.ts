export { render } from './render.ts'
export type { Input, RenderedFile, RenderRequest } from './request.ts'
