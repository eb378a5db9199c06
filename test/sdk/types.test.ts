import { expect, test } from 'vitest'
import { createGenrun, type ParamsOf } from '../../src/index.ts'

// Every parameter of every model, right and wrong: what stands here is checked by the compiler.
const { check } = createGenrun({ rehearse: true })
const bytes = new Uint8Array()

const counts = { right: 0, wrong: 0 }

const right: typeof check = () => {
  counts.right++
  return []
}

const wrong: typeof check = () => {
  counts.wrong++
  return []
}

const famaImagineVideo = { prompt: 'a' } as const
right('fama-imagine-video', famaImagineVideo)
right('fama-imagine-video', { ...famaImagineVideo, aspectRatio: '2:3' })
right('fama-imagine-video', { ...famaImagineVideo, resolution: '720p' })
right('fama-imagine-video', { ...famaImagineVideo, duration: 15 })
right('fama-imagine-video', { ...famaImagineVideo, imageUrls: 'a.x' })
right('fama-imagine-video', { ...famaImagineVideo, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('fama-imagine-video', { ...famaImagineVideo, colour: 'red' })
// @ts-expect-error prompt missing
wrong('fama-imagine-video', {})
// @ts-expect-error text is no number
wrong('fama-imagine-video', { ...famaImagineVideo, prompt: 5 })
// @ts-expect-error not among the values
wrong('fama-imagine-video', { ...famaImagineVideo, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-video', { ...famaImagineVideo, resolution: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-video', { ...famaImagineVideo, duration: 99 })
// @ts-expect-error a file is no number
wrong('fama-imagine-video', { ...famaImagineVideo, imageUrls: 5 })

const famaImagineVideo15 = { prompt: 'a', imageUrls: 'a.x' } as const
right('fama-imagine-video-1.5', famaImagineVideo15)
right('fama-imagine-video-1.5', { ...famaImagineVideo15, aspectRatio: '2:3' })
right('fama-imagine-video-1.5', { ...famaImagineVideo15, resolution: '1080p' })
right('fama-imagine-video-1.5', { ...famaImagineVideo15, duration: 15 })
right('fama-imagine-video-1.5', { ...famaImagineVideo15, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('fama-imagine-video-1.5', { ...famaImagineVideo15, colour: 'red' })
// @ts-expect-error prompt and imageUrls missing
wrong('fama-imagine-video-1.5', {})
// @ts-expect-error text is no number
wrong('fama-imagine-video-1.5', { ...famaImagineVideo15, prompt: 5 })
// @ts-expect-error not among the values
wrong('fama-imagine-video-1.5', { ...famaImagineVideo15, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-video-1.5', { ...famaImagineVideo15, resolution: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-video-1.5', { ...famaImagineVideo15, duration: 99 })
// @ts-expect-error a file is no number
wrong('fama-imagine-video-1.5', { ...famaImagineVideo15, imageUrls: 5 })

const famaEditVideo = { prompt: 'a', videoUrl: 'a.x' } as const
right('fama-edit-video', famaEditVideo)
right('fama-edit-video', { ...famaEditVideo, videoUrl: bytes })
// @ts-expect-error no such parameter
wrong('fama-edit-video', { ...famaEditVideo, colour: 'red' })
// @ts-expect-error prompt and videoUrl missing
wrong('fama-edit-video', {})
// @ts-expect-error text is no number
wrong('fama-edit-video', { ...famaEditVideo, prompt: 5 })
// @ts-expect-error a file is no number
wrong('fama-edit-video', { ...famaEditVideo, videoUrl: 5 })

const famaExtendVideo = { prompt: 'a', videoUrl: 'a.x' } as const
right('fama-extend-video', famaExtendVideo)
right('fama-extend-video', { ...famaExtendVideo, duration: 10 })
right('fama-extend-video', { ...famaExtendVideo, videoUrl: bytes })
// @ts-expect-error no such parameter
wrong('fama-extend-video', { ...famaExtendVideo, colour: 'red' })
// @ts-expect-error prompt and videoUrl missing
wrong('fama-extend-video', {})
// @ts-expect-error text is no number
wrong('fama-extend-video', { ...famaExtendVideo, prompt: 5 })
// @ts-expect-error not among the values
wrong('fama-extend-video', { ...famaExtendVideo, duration: 99 })
// @ts-expect-error a file is no number
wrong('fama-extend-video', { ...famaExtendVideo, videoUrl: 5 })

const famaImagineImage = { prompt: 'a' } as const
right('fama-imagine-image', famaImagineImage)
right('fama-imagine-image', { ...famaImagineImage, aspectRatio: '9:20' })
right('fama-imagine-image', { ...famaImagineImage, resolution: '2k' })
right('fama-imagine-image', { ...famaImagineImage, count: 4 })
right('fama-imagine-image', { ...famaImagineImage, imageUrls: 'a.x' })
right('fama-imagine-image', { ...famaImagineImage, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('fama-imagine-image', { ...famaImagineImage, colour: 'red' })
// @ts-expect-error prompt missing
wrong('fama-imagine-image', {})
// @ts-expect-error text is no number
wrong('fama-imagine-image', { ...famaImagineImage, prompt: 5 })
// @ts-expect-error not among the values
wrong('fama-imagine-image', { ...famaImagineImage, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-image', { ...famaImagineImage, resolution: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-image', { ...famaImagineImage, count: 99 })
// @ts-expect-error a file is no number
wrong('fama-imagine-image', { ...famaImagineImage, imageUrls: 5 })

const famaImagineImageQuality = { prompt: 'a' } as const
right('fama-imagine-image-quality', famaImagineImageQuality)
right('fama-imagine-image-quality', { ...famaImagineImageQuality, aspectRatio: '9:20' })
right('fama-imagine-image-quality', { ...famaImagineImageQuality, resolution: '2k' })
right('fama-imagine-image-quality', { ...famaImagineImageQuality, count: 4 })
right('fama-imagine-image-quality', { ...famaImagineImageQuality, imageUrls: 'a.x' })
right('fama-imagine-image-quality', { ...famaImagineImageQuality, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('fama-imagine-image-quality', { ...famaImagineImageQuality, colour: 'red' })
// @ts-expect-error prompt missing
wrong('fama-imagine-image-quality', {})
// @ts-expect-error text is no number
wrong('fama-imagine-image-quality', { ...famaImagineImageQuality, prompt: 5 })
// @ts-expect-error not among the values
wrong('fama-imagine-image-quality', { ...famaImagineImageQuality, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-image-quality', { ...famaImagineImageQuality, resolution: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-image-quality', { ...famaImagineImageQuality, count: 99 })
// @ts-expect-error a file is no number
wrong('fama-imagine-image-quality', { ...famaImagineImageQuality, imageUrls: 5 })

const famaImagineImage20 = { prompt: 'a' } as const
right('fama-imagine-image-2.0', famaImagineImage20)
right('fama-imagine-image-2.0', { ...famaImagineImage20, aspectRatio: '9:20' })
right('fama-imagine-image-2.0', { ...famaImagineImage20, resolution: '2k' })
right('fama-imagine-image-2.0', { ...famaImagineImage20, count: 4 })
right('fama-imagine-image-2.0', { ...famaImagineImage20, imageUrls: 'a.x' })
right('fama-imagine-image-2.0', { ...famaImagineImage20, quality: 'medium' })
right('fama-imagine-image-2.0', { ...famaImagineImage20, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('fama-imagine-image-2.0', { ...famaImagineImage20, colour: 'red' })
// @ts-expect-error prompt missing
wrong('fama-imagine-image-2.0', {})
// @ts-expect-error text is no number
wrong('fama-imagine-image-2.0', { ...famaImagineImage20, prompt: 5 })
// @ts-expect-error not among the values
wrong('fama-imagine-image-2.0', { ...famaImagineImage20, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-image-2.0', { ...famaImagineImage20, resolution: 'none' })
// @ts-expect-error not among the values
wrong('fama-imagine-image-2.0', { ...famaImagineImage20, count: 99 })
// @ts-expect-error a file is no number
wrong('fama-imagine-image-2.0', { ...famaImagineImage20, imageUrls: 5 })
// @ts-expect-error not among the values
wrong('fama-imagine-image-2.0', { ...famaImagineImage20, quality: 'none' })

const famaTts = { prompt: 'a' } as const
right('fama-tts', famaTts)
right('fama-tts', { ...famaTts, language: 'a' })
right('fama-tts', { ...famaTts, accent: 'a' })
right('fama-tts', { ...famaTts, voiceId: 'leo' })
// @ts-expect-error no such parameter
wrong('fama-tts', { ...famaTts, colour: 'red' })
// @ts-expect-error prompt missing
wrong('fama-tts', {})
// @ts-expect-error text is no number
wrong('fama-tts', { ...famaTts, language: 5 })
// @ts-expect-error text is no number
wrong('fama-tts', { ...famaTts, accent: 5 })
// @ts-expect-error text is no number
wrong('fama-tts', { ...famaTts, prompt: 5 })
// @ts-expect-error not among the values
wrong('fama-tts', { ...famaTts, voiceId: 'none' })

const fambV4 = { prompt: 'a' } as const
right('famb-v4', fambV4)
right('famb-v4', { ...fambV4, resolution: '3072x1280' })
right('famb-v4', { ...fambV4, renderingSpeed: 'QUALITY' })
right('famb-v4', { ...fambV4, enableCopyrightDetection: true })
// @ts-expect-error no such parameter
wrong('famb-v4', { ...fambV4, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famb-v4', {})
// @ts-expect-error text is no number
wrong('famb-v4', { ...fambV4, prompt: 5 })
// @ts-expect-error not among the values
wrong('famb-v4', { ...fambV4, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famb-v4', { ...fambV4, renderingSpeed: 'none' })
// @ts-expect-error true and false are no text
wrong('famb-v4', { ...fambV4, enableCopyrightDetection: 'true' })

const fambPImage = { prompt: 'a' } as const
right('famb-p-image', fambPImage)
right('famb-p-image', { ...fambPImage, resolution: '1440x720' })
right('famb-p-image', { ...fambPImage, renderingSpeed: 'high' })
// @ts-expect-error no such parameter
wrong('famb-p-image', { ...fambPImage, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famb-p-image', {})
// @ts-expect-error text is no number
wrong('famb-p-image', { ...fambPImage, prompt: 5 })
// @ts-expect-error not among the values
wrong('famb-p-image', { ...fambPImage, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famb-p-image', { ...fambPImage, renderingSpeed: 'none' })

const fambV3 = { prompt: 'a' } as const
right('famb-v3', fambV3)
right('famb-v3', { ...fambV3, aspectRatio: '4:3' })
right('famb-v3', { ...fambV3, renderingSpeed: 'QUALITY' })
right('famb-v3', { ...fambV3, style: 'DESIGN' })
right('famb-v3', { ...fambV3, count: 10 })
right('famb-v3', { ...fambV3, negativePrompt: 'a' })
right('famb-v3', { ...fambV3, imageUrls: 'a.x' })
right('famb-v3', { ...fambV3, imageWeight: 1 })
right('famb-v3', { ...fambV3, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('famb-v3', { ...fambV3, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famb-v3', {})
// @ts-expect-error text is no number
wrong('famb-v3', { ...fambV3, prompt: 5 })
// @ts-expect-error not among the values
wrong('famb-v3', { ...fambV3, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('famb-v3', { ...fambV3, renderingSpeed: 'none' })
// @ts-expect-error not among the values
wrong('famb-v3', { ...fambV3, style: 'none' })
// @ts-expect-error not among the values
wrong('famb-v3', { ...fambV3, count: 99 })
// @ts-expect-error text is no number
wrong('famb-v3', { ...fambV3, negativePrompt: 5 })
// @ts-expect-error a file is no number
wrong('famb-v3', { ...fambV3, imageUrls: 5 })
// @ts-expect-error a number is no text
wrong('famb-v3', { ...fambV3, imageWeight: '5' })

const fambCharacter = { prompt: 'a', imageUrls: 'a.x' } as const
right('famb-character', fambCharacter)
right('famb-character', { ...fambCharacter, resolution: '1280x800' })
right('famb-character', { ...fambCharacter, renderingSpeed: 'QUALITY' })
right('famb-character', { ...fambCharacter, style: 'FICTION' })
right('famb-character', { ...fambCharacter, count: 10 })
right('famb-character', { ...fambCharacter, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('famb-character', { ...fambCharacter, colour: 'red' })
// @ts-expect-error prompt and imageUrls missing
wrong('famb-character', {})
// @ts-expect-error text is no number
wrong('famb-character', { ...fambCharacter, prompt: 5 })
// @ts-expect-error not among the values
wrong('famb-character', { ...fambCharacter, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famb-character', { ...fambCharacter, renderingSpeed: 'none' })
// @ts-expect-error not among the values
wrong('famb-character', { ...fambCharacter, style: 'none' })
// @ts-expect-error not among the values
wrong('famb-character', { ...fambCharacter, count: 99 })
// @ts-expect-error a file is no number
wrong('famb-character', { ...fambCharacter, imageUrls: 5 })

const famcV3 = { prompt: 'a' } as const
right('famc-v3', famcV3)
right('famc-v3', { ...famcV3, aspectRatio: '1:1' })
right('famc-v3', { ...famcV3, duration: 15 })
right('famc-v3', { ...famcV3, startFrame: 'a.x' })
right('famc-v3', { ...famcV3, endFrame: 'a.x' })
right('famc-v3', { ...famcV3, negativePrompt: 'a' })
right('famc-v3', { ...famcV3, generateAudio: true })
right('famc-v3', { ...famcV3, multiShot: true })
right('famc-v3', { ...famcV3, shotType: 'intelligence' })
right('famc-v3', { ...famcV3, multiPrompt: [{ index: 'a' }] })
right('famc-v3', { ...famcV3, voiceList: [{ voice_id: 'a' }] })
right('famc-v3', { ...famcV3, elementList: [{ element_id: 'a' }] })
right('famc-v3', { ...famcV3, staticMask: 'a.x' })
right('famc-v3', { ...famcV3, renderingSpeed: '4k' })
right('famc-v3', { ...famcV3, startFrame: bytes })
// @ts-expect-error no such parameter
wrong('famc-v3', { ...famcV3, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famc-v3', {})
// @ts-expect-error text is no number
wrong('famc-v3', { ...famcV3, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-v3', { ...famcV3, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('famc-v3', { ...famcV3, duration: 99 })
// @ts-expect-error a file is no number
wrong('famc-v3', { ...famcV3, startFrame: 5 })
// @ts-expect-error a file is no number
wrong('famc-v3', { ...famcV3, endFrame: 5 })
// @ts-expect-error text is no number
wrong('famc-v3', { ...famcV3, negativePrompt: 5 })
// @ts-expect-error true and false are no text
wrong('famc-v3', { ...famcV3, generateAudio: 'true' })
// @ts-expect-error true and false are no text
wrong('famc-v3', { ...famcV3, multiShot: 'true' })
// @ts-expect-error not among the values
wrong('famc-v3', { ...famcV3, shotType: 'none' })
// @ts-expect-error no such member
wrong('famc-v3', { ...famcV3, multiPrompt: [{ nothing: 1 }] })
// @ts-expect-error no such member
wrong('famc-v3', { ...famcV3, voiceList: [{ nothing: 1 }] })
// @ts-expect-error no such member
wrong('famc-v3', { ...famcV3, elementList: [{ nothing: 1 }] })
// @ts-expect-error a file is no number
wrong('famc-v3', { ...famcV3, staticMask: 5 })
// @ts-expect-error not among the values
wrong('famc-v3', { ...famcV3, renderingSpeed: 'none' })

const famcV3Turbo = { prompt: 'a' } as const
right('famc-v3-turbo', famcV3Turbo)
right('famc-v3-turbo', { ...famcV3Turbo, aspectRatio: '1:1' })
right('famc-v3-turbo', { ...famcV3Turbo, duration: 15 })
right('famc-v3-turbo', { ...famcV3Turbo, negativePrompt: 'a' })
right('famc-v3-turbo', { ...famcV3Turbo, resolution: '1080p' })
right('famc-v3-turbo', { ...famcV3Turbo, startFrame: 'a.x' })
right('famc-v3-turbo', { ...famcV3Turbo, staticMask: 'a.x' })
right('famc-v3-turbo', { ...famcV3Turbo, startFrame: bytes })
// @ts-expect-error no such parameter
wrong('famc-v3-turbo', { ...famcV3Turbo, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famc-v3-turbo', {})
// @ts-expect-error text is no number
wrong('famc-v3-turbo', { ...famcV3Turbo, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-v3-turbo', { ...famcV3Turbo, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('famc-v3-turbo', { ...famcV3Turbo, duration: 99 })
// @ts-expect-error text is no number
wrong('famc-v3-turbo', { ...famcV3Turbo, negativePrompt: 5 })
// @ts-expect-error not among the values
wrong('famc-v3-turbo', { ...famcV3Turbo, resolution: 'none' })
// @ts-expect-error a file is no number
wrong('famc-v3-turbo', { ...famcV3Turbo, startFrame: 5 })
// @ts-expect-error a file is no number
wrong('famc-v3-turbo', { ...famcV3Turbo, staticMask: 5 })

const famcV26 = { prompt: 'a' } as const
right('famc-v2-6', famcV26)
right('famc-v2-6', { ...famcV26, aspectRatio: '1:1' })
right('famc-v2-6', { ...famcV26, duration: 10 })
right('famc-v2-6', { ...famcV26, startFrame: 'a.x' })
right('famc-v2-6', { ...famcV26, endFrame: 'a.x' })
right('famc-v2-6', { ...famcV26, negativePrompt: 'a' })
right('famc-v2-6', { ...famcV26, generateAudio: true })
right('famc-v2-6', { ...famcV26, cfgScale: 0 })
right('famc-v2-6', { ...famcV26, renderingSpeed: 'pro' })
right('famc-v2-6', { ...famcV26, startFrame: bytes })
// @ts-expect-error no such parameter
wrong('famc-v2-6', { ...famcV26, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famc-v2-6', {})
// @ts-expect-error text is no number
wrong('famc-v2-6', { ...famcV26, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-v2-6', { ...famcV26, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('famc-v2-6', { ...famcV26, duration: 99 })
// @ts-expect-error a file is no number
wrong('famc-v2-6', { ...famcV26, startFrame: 5 })
// @ts-expect-error a file is no number
wrong('famc-v2-6', { ...famcV26, endFrame: 5 })
// @ts-expect-error text is no number
wrong('famc-v2-6', { ...famcV26, negativePrompt: 5 })
// @ts-expect-error true and false are no text
wrong('famc-v2-6', { ...famcV26, generateAudio: 'true' })
// @ts-expect-error a number is no text
wrong('famc-v2-6', { ...famcV26, cfgScale: '5' })
// @ts-expect-error not among the values
wrong('famc-v2-6', { ...famcV26, renderingSpeed: 'none' })

const famcV3Omni = { prompt: 'a' } as const
right('famc-v3-omni', famcV3Omni)
right('famc-v3-omni', { ...famcV3Omni, aspectRatio: '1:1' })
right('famc-v3-omni', { ...famcV3Omni, duration: 15 })
right('famc-v3-omni', { ...famcV3Omni, resolution: '4k' })
right('famc-v3-omni', { ...famcV3Omni, renderingSpeed: 'pro' })
right('famc-v3-omni', { ...famcV3Omni, generateAudio: true })
right('famc-v3-omni', { ...famcV3Omni, multiShot: true })
right('famc-v3-omni', { ...famcV3Omni, shotType: 'customize' })
right('famc-v3-omni', { ...famcV3Omni, multiPrompt: [{ index: 'a' }] })
right('famc-v3-omni', { ...famcV3Omni, omniImageList: [{ image_url: 'a' }] })
right('famc-v3-omni', { ...famcV3Omni, omniVideoList: [{ video_url: 'a' }] })
right('famc-v3-omni', { ...famcV3Omni, elementList: [{ element_id: 'a' }] })
// @ts-expect-error no such parameter
wrong('famc-v3-omni', { ...famcV3Omni, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famc-v3-omni', {})
// @ts-expect-error text is no number
wrong('famc-v3-omni', { ...famcV3Omni, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-v3-omni', { ...famcV3Omni, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('famc-v3-omni', { ...famcV3Omni, duration: 99 })
// @ts-expect-error not among the values
wrong('famc-v3-omni', { ...famcV3Omni, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famc-v3-omni', { ...famcV3Omni, renderingSpeed: 'none' })
// @ts-expect-error true and false are no text
wrong('famc-v3-omni', { ...famcV3Omni, generateAudio: 'true' })
// @ts-expect-error true and false are no text
wrong('famc-v3-omni', { ...famcV3Omni, multiShot: 'true' })
// @ts-expect-error not among the values
wrong('famc-v3-omni', { ...famcV3Omni, shotType: 'none' })
// @ts-expect-error no such member
wrong('famc-v3-omni', { ...famcV3Omni, multiPrompt: [{ nothing: 1 }] })
// @ts-expect-error no such member
wrong('famc-v3-omni', { ...famcV3Omni, omniImageList: [{ nothing: 1 }] })
// @ts-expect-error no such member
wrong('famc-v3-omni', { ...famcV3Omni, omniVideoList: [{ nothing: 1 }] })
// @ts-expect-error no such member
wrong('famc-v3-omni', { ...famcV3Omni, elementList: [{ nothing: 1 }] })

const famcVideoO1 = { prompt: 'a' } as const
right('famc-video-o1', famcVideoO1)
right('famc-video-o1', { ...famcVideoO1, aspectRatio: '1:1' })
right('famc-video-o1', { ...famcVideoO1, duration: 10 })
right('famc-video-o1', { ...famcVideoO1, resolution: '1080p' })
right('famc-video-o1', { ...famcVideoO1, renderingSpeed: 'pro' })
right('famc-video-o1', { ...famcVideoO1, generateAudio: true })
// @ts-expect-error no such parameter
wrong('famc-video-o1', { ...famcVideoO1, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famc-video-o1', {})
// @ts-expect-error text is no number
wrong('famc-video-o1', { ...famcVideoO1, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-video-o1', { ...famcVideoO1, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('famc-video-o1', { ...famcVideoO1, duration: 99 })
// @ts-expect-error not among the values
wrong('famc-video-o1', { ...famcVideoO1, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famc-video-o1', { ...famcVideoO1, renderingSpeed: 'none' })
// @ts-expect-error true and false are no text
wrong('famc-video-o1', { ...famcVideoO1, generateAudio: 'true' })

const famcMotionControlV3 = { imageUrls: 'a.x', videoUrl: 'a.x' } as const
right('famc-motion-control-v3', famcMotionControlV3)
right('famc-motion-control-v3', { ...famcMotionControlV3, prompt: 'a' })
right('famc-motion-control-v3', { ...famcMotionControlV3, resolution: '1080p' })
right('famc-motion-control-v3', { ...famcMotionControlV3, renderingSpeed: 'pro' })
right('famc-motion-control-v3', { ...famcMotionControlV3, characterOrientation: 'video' })
right('famc-motion-control-v3', { ...famcMotionControlV3, keepOriginalSound: 'no' })
right('famc-motion-control-v3', { ...famcMotionControlV3, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('famc-motion-control-v3', { ...famcMotionControlV3, colour: 'red' })
// @ts-expect-error imageUrls and videoUrl missing
wrong('famc-motion-control-v3', {})
// @ts-expect-error text is no number
wrong('famc-motion-control-v3', { ...famcMotionControlV3, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-motion-control-v3', { ...famcMotionControlV3, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famc-motion-control-v3', { ...famcMotionControlV3, renderingSpeed: 'none' })
// @ts-expect-error not among the values
wrong('famc-motion-control-v3', { ...famcMotionControlV3, characterOrientation: 'none' })
// @ts-expect-error not among the values
wrong('famc-motion-control-v3', { ...famcMotionControlV3, keepOriginalSound: 'none' })
// @ts-expect-error a file is no number
wrong('famc-motion-control-v3', { ...famcMotionControlV3, imageUrls: 5 })
// @ts-expect-error a file is no number
wrong('famc-motion-control-v3', { ...famcMotionControlV3, videoUrl: 5 })

const famcMotionControl = { imageUrls: 'a.x', videoUrl: 'a.x' } as const
right('famc-motion-control', famcMotionControl)
right('famc-motion-control', { ...famcMotionControl, prompt: 'a' })
right('famc-motion-control', { ...famcMotionControl, resolution: '1080p' })
right('famc-motion-control', { ...famcMotionControl, renderingSpeed: 'pro' })
right('famc-motion-control', { ...famcMotionControl, characterOrientation: 'video' })
right('famc-motion-control', { ...famcMotionControl, keepOriginalSound: 'no' })
right('famc-motion-control', { ...famcMotionControl, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('famc-motion-control', { ...famcMotionControl, colour: 'red' })
// @ts-expect-error imageUrls and videoUrl missing
wrong('famc-motion-control', {})
// @ts-expect-error text is no number
wrong('famc-motion-control', { ...famcMotionControl, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-motion-control', { ...famcMotionControl, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famc-motion-control', { ...famcMotionControl, renderingSpeed: 'none' })
// @ts-expect-error not among the values
wrong('famc-motion-control', { ...famcMotionControl, characterOrientation: 'none' })
// @ts-expect-error not among the values
wrong('famc-motion-control', { ...famcMotionControl, keepOriginalSound: 'none' })
// @ts-expect-error a file is no number
wrong('famc-motion-control', { ...famcMotionControl, imageUrls: 5 })
// @ts-expect-error a file is no number
wrong('famc-motion-control', { ...famcMotionControl, videoUrl: 5 })

const famcAvatar = { imageUrls: 'a.x', audioUrl: 'a.x' } as const
right('famc-avatar', famcAvatar)
right('famc-avatar', { ...famcAvatar, prompt: 'a' })
right('famc-avatar', { ...famcAvatar, renderingSpeed: 'pro' })
right('famc-avatar', { ...famcAvatar, audioId: 'a' })
right('famc-avatar', { ...famcAvatar, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('famc-avatar', { ...famcAvatar, colour: 'red' })
// @ts-expect-error imageUrls and audioUrl missing
wrong('famc-avatar', {})
// @ts-expect-error text is no number
wrong('famc-avatar', { ...famcAvatar, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-avatar', { ...famcAvatar, renderingSpeed: 'none' })
// @ts-expect-error a file is no number
wrong('famc-avatar', { ...famcAvatar, imageUrls: 5 })
// @ts-expect-error a file is no number
wrong('famc-avatar', { ...famcAvatar, audioUrl: 5 })
// @ts-expect-error text is no number
wrong('famc-avatar', { ...famcAvatar, audioId: 5 })

const famc30Image = { prompt: 'a' } as const
right('famc-3.0-image', famc30Image)
right('famc-3.0-image', { ...famc30Image, aspectRatio: '3:4' })
right('famc-3.0-image', { ...famc30Image, resolution: '4k' })
right('famc-3.0-image', { ...famc30Image, count: 9 })
right('famc-3.0-image', { ...famc30Image, imageUrls: 'a.x' })
right('famc-3.0-image', { ...famc30Image, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('famc-3.0-image', { ...famc30Image, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famc-3.0-image', {})
// @ts-expect-error text is no number
wrong('famc-3.0-image', { ...famc30Image, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-3.0-image', { ...famc30Image, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('famc-3.0-image', { ...famc30Image, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famc-3.0-image', { ...famc30Image, count: 99 })
// @ts-expect-error a file is no number
wrong('famc-3.0-image', { ...famc30Image, imageUrls: 5 })

const famcO1Image = { prompt: 'a' } as const
right('famc-o1-image', famcO1Image)
right('famc-o1-image', { ...famcO1Image, aspectRatio: '3:4' })
right('famc-o1-image', { ...famcO1Image, resolution: '2k' })
right('famc-o1-image', { ...famcO1Image, count: 9 })
right('famc-o1-image', { ...famcO1Image, imageUrls: 'a.x' })
right('famc-o1-image', { ...famcO1Image, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('famc-o1-image', { ...famcO1Image, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famc-o1-image', {})
// @ts-expect-error text is no number
wrong('famc-o1-image', { ...famcO1Image, prompt: 5 })
// @ts-expect-error not among the values
wrong('famc-o1-image', { ...famcO1Image, aspectRatio: 'none' })
// @ts-expect-error not among the values
wrong('famc-o1-image', { ...famcO1Image, resolution: 'none' })
// @ts-expect-error not among the values
wrong('famc-o1-image', { ...famcO1Image, count: 99 })
// @ts-expect-error a file is no number
wrong('famc-o1-image', { ...famcO1Image, imageUrls: 5 })

const famcVideoEffects = { imageUrls: 'a.x' } as const
right('famc-video-effects', famcVideoEffects)
right('famc-video-effects', { ...famcVideoEffects, style: 'emoji' })
right('famc-video-effects', { ...famcVideoEffects, imageUrls: bytes })
// @ts-expect-error no such parameter
wrong('famc-video-effects', { ...famcVideoEffects, colour: 'red' })
// @ts-expect-error imageUrls missing
wrong('famc-video-effects', {})
// @ts-expect-error not among the values
wrong('famc-video-effects', { ...famcVideoEffects, style: 'none' })
// @ts-expect-error a file is no number
wrong('famc-video-effects', { ...famcVideoEffects, imageUrls: 5 })

const famcT2a = { prompt: 'a' } as const
right('famc-t2a', famcT2a)
right('famc-t2a', { ...famcT2a, duration: 3 })
// @ts-expect-error no such parameter
wrong('famc-t2a', { ...famcT2a, colour: 'red' })
// @ts-expect-error prompt missing
wrong('famc-t2a', {})
// @ts-expect-error text is no number
wrong('famc-t2a', { ...famcT2a, prompt: 5 })
// @ts-expect-error a number is no text
wrong('famc-t2a', { ...famcT2a, duration: '5' })

const famcV2a = { videoUrl: 'a.x' } as const
right('famc-v2a', famcV2a)
right('famc-v2a', { ...famcV2a, videoUrl: bytes })
// @ts-expect-error no such parameter
wrong('famc-v2a', { ...famcV2a, colour: 'red' })
// @ts-expect-error videoUrl missing
wrong('famc-v2a', {})
// @ts-expect-error a file is no number
wrong('famc-v2a', { ...famcV2a, videoUrl: 5 })

// @ts-expect-error no such model
wrong('famc-v9', { prompt: 'a' })
// @ts-expect-error several files where one is taken
wrong('famc-v3', { prompt: 'a', startFrame: ['a.png'] })
right('famc-3.0-image', { prompt: 'a', imageUrls: ['a.png', bytes, new URL('https://a.example/b.png')] })
const kept: ParamsOf<'famc-v3'> = { prompt: 'a', duration: 5 }
right('famc-v3', kept)
// @ts-expect-error parameters are read and not written
kept.duration = 8

test('the compiler has seen every parameter of every model', () => {
  expect(counts).toEqual({ right: 152, wrong: 190 })
})
