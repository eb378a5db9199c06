import { effects } from './effects.ts'
import { model } from './model.ts'
import { choice, file, numeric, objects, text, toggle } from './param.ts'

const prompt = text('-p', { required: true, maxLength: 2500 })
const optionalPrompt = text('-p', { maxLength: 2500 })
const aspectRatio = choice('--ar', ['16:9', '9:16', '1:1'], { default: '16:9' })
const longDuration = choice('-d', [3, 5, 8, 10, 12, 15], { default: 5 })
const shortDuration = choice('-d', [5, 10], { default: 5 })
const negativePrompt = text('--neg')
const startFrame = file('--start-frame', 'image')
const endFrame = file('--end-frame', 'image', { note: 'counts only with a start frame' })
const staticMask = file('--static-mask', 'image')
const resolution = choice('-r', ['720p', '1080p'], { default: '720p' })
const renderingSpeed = choice('--speed', ['std', 'pro'], { default: 'std' })
const speedBesideResolution = {
  ...renderingSpeed,
  note: 'sent beside the resolution; std goes with 720p, pro with 1080p',
} as const
const multiShot = toggle('--multi-shot', false)
const multiPrompt = {
  ...objects('--multi-prompt', 6, ['index', 'prompt', 'duration']),
  note: 'counts only with multiShot',
} as const
const elementList = objects('--element-list', 3, ['element_id'])
const requiredImage = file('-i', 'image', { required: true, maxItems: 1 })
const requiredVideo = file('--video', 'video', { required: true })

const v3 = model({
  id: 'famc-v3',
  name: 'V3',
  family: 'famc',
  inputType: 't2v',
  modes: ['t2v', 'i2v'],
  params: {
    prompt,
    aspectRatio,
    duration: longDuration,
    startFrame,
    endFrame,
    negativePrompt,
    generateAudio: toggle('--audio-gen', true),
    multiShot,
    shotType: choice('--shot-type', ['customize', 'intelligence'], {
      default: 'customize',
      labels: { customize: 'Customize', intelligence: 'AI Auto' },
    }),
    multiPrompt,
    voiceList: objects('--voice-list', 2, ['voice_id']),
    elementList,
    staticMask,
    renderingSpeed: choice('--speed', ['std', 'pro', '4k'], {
      default: 'std',
      labels: { std: 'Standard', pro: 'Pro', '4k': '4K' },
    }),
  },
})

const v3Turbo = model({
  id: 'famc-v3-turbo',
  name: 'V3 Turbo',
  family: 'famc',
  inputType: 't2v',
  modes: ['t2v', 'i2v'],
  params: {
    prompt,
    aspectRatio,
    duration: longDuration,
    negativePrompt: text('--neg-prompt'),
    resolution,
    startFrame,
    staticMask,
  },
})

const v26 = model({
  id: 'famc-v2-6',
  name: 'V2.6',
  family: 'famc',
  inputType: 't2v',
  modes: ['t2v', 'i2v'],
  params: {
    prompt,
    aspectRatio,
    duration: shortDuration,
    startFrame,
    endFrame,
    negativePrompt,
    generateAudio: toggle('--audio-gen', true),
    cfgScale: numeric('--cfg', 'number', { minimum: 0, maximum: 1, step: 0.1, default: 0.5 }),
    renderingSpeed,
  },
})

const v3Omni = model({
  id: 'famc-v3-omni',
  name: 'V3 Omni',
  family: 'famc',
  inputType: 't2v',
  modes: ['t2v', 'i2v', 'v2v'],
  params: {
    prompt,
    aspectRatio,
    duration: longDuration,
    resolution: choice('-r', ['720p', '1080p', '4k'], { default: '720p' }),
    renderingSpeed: speedBesideResolution,
    generateAudio: toggle('--audio-gen', false),
    multiShot,
    shotType: choice('--shot-type', ['customize'], { default: 'customize' }),
    multiPrompt,
    omniImageList: objects('--omni-image-list', 10, ['image_url', 'type']),
    omniVideoList: objects('--omni-video-list', 1, ['video_url', 'refer_type', 'keep_original_sound']),
    elementList,
  },
})

const videoO1 = model({
  id: 'famc-video-o1',
  name: 'Video O1',
  family: 'famc',
  inputType: 't2v',
  modes: ['t2v'],
  params: {
    prompt,
    aspectRatio,
    duration: shortDuration,
    resolution,
    renderingSpeed: speedBesideResolution,
    generateAudio: toggle('--audio-gen', false),
  },
})

const motionControlV3 = model({
  id: 'famc-motion-control-v3',
  name: 'Motion Control V3',
  family: 'famc',
  inputType: 'i2v',
  modes: ['i2v'],
  params: {
    prompt: optionalPrompt,
    resolution,
    renderingSpeed: speedBesideResolution,
    characterOrientation: choice('--orientation', ['image', 'video'], {
      default: 'video',
      labels: { image: 'match image', video: 'match video' },
      referenceSeconds: { image: 10, video: 30 },
    }),
    keepOriginalSound: choice('--keep-audio', ['yes', 'no'], { default: 'yes' }),
    imageUrls: requiredImage,
    videoUrl: requiredVideo,
  },
})

const motionControl = model({ ...motionControlV3, id: 'famc-motion-control', name: 'Motion Control 2.6' })

const avatar = model({
  id: 'famc-avatar',
  name: 'Avatar',
  family: 'famc',
  inputType: 'i2v',
  modes: ['i2v'],
  params: {
    prompt: optionalPrompt,
    renderingSpeed,
    imageUrls: requiredImage,
    audioUrl: file('-a', 'audio', { required: true }),
    audioId: text('--audio-id'),
  },
})

const image30 = model({
  id: 'famc-3.0-image',
  name: '3.0 Image',
  family: 'famc',
  inputType: 't2i',
  modes: ['t2i', 'i2i'],
  params: {
    prompt,
    aspectRatio: choice('--ar', ['16:9', '9:16', '1:1', '21:9', '4:3', '3:2', '2:3', '3:4'], {
      default: '16:9',
    }),
    resolution: choice('-r', ['1k', '2k', '4k'], { default: '1k' }),
    count: choice('-n', [1, 2, 3, 4, 5, 6, 7, 8, 9], { default: 1 }),
    imageUrls: file('-i', 'image', { maxItems: 10 }),
  },
})

const o1Image = model({
  ...image30,
  id: 'famc-o1-image',
  name: 'O1 Image',
  params: { ...image30.params, resolution: choice('-r', ['1k', '2k'], { default: '1k' }) },
})

const videoEffects = model({
  id: 'famc-video-effects',
  name: 'Video Effects',
  family: 'famc',
  inputType: 'i2v',
  modes: ['i2v'],
  params: {
    style: choice('--style', effects, { default: 'korean_baseball' }),
    imageUrls: file('-i', 'image', { required: true, maxItems: 2 }),
  },
})

const t2a = model({
  id: 'famc-t2a',
  name: 'T2A',
  family: 'famc',
  inputType: 't2a',
  modes: ['t2a'],
  params: {
    prompt,
    duration: numeric('-d', 'number', { minimum: 3, maximum: 10, step: 0.5, default: 5 }),
  },
})

const v2a = model({
  id: 'famc-v2a',
  name: 'V2A',
  family: 'famc',
  inputType: 'v2a',
  modes: ['v2a'],
  params: { videoUrl: requiredVideo },
})

/** Video first, with images and sound, in the specification's order. */
export const famc = [
  v3,
  v3Turbo,
  v26,
  v3Omni,
  videoO1,
  motionControlV3,
  motionControl,
  avatar,
  image30,
  o1Image,
  videoEffects,
  t2a,
  v2a,
] as const
