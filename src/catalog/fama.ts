import { model } from './model.ts'
import { choice, file, text } from './param.ts'

const prompt = text('-p', { required: true })
const sourceVideo = file('--video', 'video', { required: true })

const imagineVideo = model({
  id: 'fama-imagine-video',
  name: 'Imagine 1.0',
  family: 'fama',
  inputType: 't2v',
  modes: ['t2v', 'i2v'],
  sound: 'native',
  params: {
    prompt,
    aspectRatio: choice('--ar', ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'], { default: '16:9' }),
    resolution: choice('-r', ['480p', '720p'], { default: '720p' }),
    duration: choice('-d', [3, 5, 6, 8, 10, 12, 15], { default: 6 }),
    imageUrls: file('-i', 'image', { maxItems: 1, note: 'with an image it is image to video' }),
  },
})

const imagineVideo15 = model({
  id: 'fama-imagine-video-1.5',
  name: 'Imagine 1.5',
  family: 'fama',
  inputType: 'i2v',
  modes: ['i2v'],
  note: 'one list of the specification says t2v; its parameters require an image, so it is i2v',
  sound: 'native',
  params: {
    prompt,
    aspectRatio: imagineVideo.params.aspectRatio,
    resolution: choice('-r', ['480p', '720p', '1080p'], { default: '720p' }),
    duration: choice('-d', [3, 5, 6, 8, 10, 12, 15], { default: 8 }),
    imageUrls: file('-i', 'image', { required: true, maxItems: 1 }),
  },
})

const editVideo = model({
  id: 'fama-edit-video',
  name: 'Edit Video',
  family: 'fama',
  inputType: 'v2v',
  modes: ['v2v'],
  note: 'retains the duration of the source',
  params: { prompt, videoUrl: sourceVideo },
})

const extendVideo = model({
  id: 'fama-extend-video',
  name: 'Extend Video',
  family: 'fama',
  inputType: 'v2v',
  modes: ['v2v'],
  note: 'retains the duration of the source',
  params: { prompt, duration: choice('-d', [3, 5, 6, 8, 10], { default: 6 }), videoUrl: sourceVideo },
})

const imagineImage = model({
  id: 'fama-imagine-image',
  name: 'Imagine',
  family: 'fama',
  inputType: 't2i',
  modes: ['t2i', 'i2i'],
  params: {
    prompt,
    aspectRatio: choice(
      '--ar',
      ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '2:1', '1:2', '19.5:9', '9:19.5', '20:9', '9:20'],
      { default: '1:1' },
    ),
    resolution: choice('-r', ['1k', '2k'], { default: '1k' }),
    count: choice('-n', [1, 2, 4], { default: 1 }),
    imageUrls: file('-i', 'image', { maxItems: 1 }),
  },
})

const imagineImageQuality = model({
  ...imagineImage,
  id: 'fama-imagine-image-quality',
  name: 'Imagine Quality',
  params: { ...imagineImage.params, resolution: choice('-r', ['1k', '2k'], { default: '2k' }) },
})

const imagineImage20 = model({
  ...imagineImage,
  id: 'fama-imagine-image-2.0',
  name: 'Imagine 2.0',
  params: { ...imagineImage.params, quality: choice('--quality', ['low', 'medium'], { default: 'medium' }) },
})

const tts = model({
  id: 'fama-tts',
  name: 'TTS',
  family: 'fama',
  inputType: 'tts',
  modes: ['tts'],
  params: {
    language: text('--language'),
    accent: text('--accent'),
    prompt: text('-p', { required: true, maxLength: 15000 }),
    voiceId: choice('--voice', ['eve', 'ara', 'rex', 'sal', 'leo'], { default: 'eve' }),
  },
})

/** Image, video and speech, in the specification's order. */
export const fama = [
  imagineVideo,
  imagineVideo15,
  editVideo,
  extendVideo,
  imagineImage,
  imagineImageQuality,
  imagineImage20,
  tts,
] as const
