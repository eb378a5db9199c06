export type { RenderedFile, RenderInput as Input, RenderRequest } from './order/request.ts'
export { render } from './render.ts'
