import { model } from './model.ts'
import { choice, file, numeric, text, toggle } from './param.ts'

const prompt = text('-p', { required: true })

// biome-ignore format: pairs of portrait and landscape read better side by side
const resolutions = [
  '2048x2048', '1440x2880', '2880x1440', '1664x2496', '2496x1664', '1792x2240', '2240x1792',
  '1440x2560', '2560x1440', '1600x2560', '2560x1600', '1728x2304', '2304x1728', '1296x3168',
  '3168x1296', '1152x2944', '2944x1152', '1248x3328', '3328x1248', '1280x3072', '3072x1280',
] as const

// biome-ignore format: pairs of portrait and landscape read better side by side
const smallerResolutions = [
  '1024x3072', '3072x1024', '1024x1024', '896x1120', '1120x896', '864x1152', '1152x864', '832x1248',
  '1248x832', '800x1280', '1280x800', '720x1280', '1280x720', '720x1440', '1440x720',
] as const

const v4 = model({
  id: 'famb-v4',
  name: '4.0',
  family: 'famb',
  inputType: 't2i',
  modes: ['t2i'],
  params: {
    prompt,
    resolution: choice('-r', resolutions, { default: '2048x2048' }),
    renderingSpeed: choice('--speed', ['TURBO', 'DEFAULT', 'QUALITY'], {
      default: 'DEFAULT',
      labels: { TURBO: 'Turbo', DEFAULT: 'Balanced', QUALITY: 'Quality' },
    }),
    enableCopyrightDetection: toggle('--enable-copyright-detection', false),
  },
})

const pImage = model({
  id: 'famb-p-image',
  name: 'P-Image',
  family: 'famb',
  inputType: 't2i',
  modes: ['t2i'],
  params: {
    prompt,
    resolution: choice('-r', [...resolutions, ...smallerResolutions], { default: '1024x1024' }),
    renderingSpeed: choice('--speed', ['very-low', 'low', 'medium', 'high'], {
      default: 'medium',
      labels: { 'very-low': 'Very Low', low: 'Low', medium: 'Balanced', high: 'Quality' },
    }),
  },
})

const v3 = model({
  id: 'famb-v3',
  name: 'v3',
  family: 'famb',
  inputType: 't2i',
  modes: ['t2i', 'i2i'],
  params: {
    prompt,
    aspectRatio: choice('--ar', ['16:9', '9:16', '1:1', '3:4', '4:3'], { default: '16:9' }),
    renderingSpeed: choice('--speed', ['FLASH', 'TURBO', 'DEFAULT', 'QUALITY'], {
      default: 'DEFAULT',
      labels: { FLASH: 'Flash', TURBO: 'Turbo', DEFAULT: 'Balanced', QUALITY: 'Quality' },
    }),
    style: choice('--style', ['GENERAL', 'REALISTIC', 'DESIGN'], { default: 'GENERAL' }),
    count: choice('-n', [1, 2, 4, 6, 8, 10], { default: 1 }),
    negativePrompt: text('--neg'),
    imageUrls: file('-i', 'image', { maxItems: 1 }),
    imageWeight: numeric('--weight', 'integer', {
      minimum: 1,
      maximum: 100,
      step: 5,
      stepIs: 'advice',
      default: 50,
      note: 'counts only with an image; a value that is neither 1 nor a multiple of 5 is a warning',
    }),
  },
})

const character = model({
  id: 'famb-character',
  name: 'Character',
  family: 'famb',
  inputType: 'i2i',
  modes: ['i2i'],
  params: {
    prompt,
    resolution: choice(
      '-r',
      ['1024x1024', '1344x768', '768x1344', '1152x864', '864x1152', '832x1248', '1280x800'],
      { default: '1024x1024' },
    ),
    renderingSpeed: choice('--speed', ['TURBO', 'DEFAULT', 'QUALITY'], { default: 'DEFAULT' }),
    style: choice('--style', ['AUTO', 'REALISTIC', 'FICTION'], { default: 'AUTO' }),
    count: choice('-n', [1, 2, 4, 6, 8, 10], { default: 1 }),
    imageUrls: file('-i', 'image', {
      required: true,
      maxItems: 1,
      note: "the reference image fixes the subject's identity",
    }),
  },
})

/** Images with typography and characters, in the specification's order. */
export const famb = [v4, pImage, v3, character] as const
