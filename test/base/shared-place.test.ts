import { expect, test } from 'vitest'
import { readSharedPlace } from '../../src/base/shared-place.ts'

test.each([
  ['results', { is: 'folder', folder: 'results' }],
  ['../re sults', { is: 'folder', folder: '../re sults' }],
  ['file:///mnt/re%20sults', { is: 'folder', folder: '/mnt/re sults' }],
  ['FILE:///mnt', { is: 'folder', folder: '/mnt' }],
  ['s3://pictures', { is: 'bucket', bucket: 'pictures', prefix: '' }],
  ['s3://pictures/', { is: 'bucket', bucket: 'pictures', prefix: '' }],
  ['s3://pictures/team/2026/', { is: 'bucket', bucket: 'pictures', prefix: 'team/2026' }],
] as const)('%s is a place', (text, place) => {
  expect(readSharedPlace(text)).toEqual(place)
})

test.each([
  's3://',
  's3://a',
  's3://Pictures',
  's3://AKIA:secret@pictures',
  's3://pictures/a//b',
  's3://pictures/../others',
  's3://pictures/./a',
  's3://pictures/a?b',
  's3://pictures/a b',
  's3://pictures/%2e%2e',
  `s3://pictures/${'a'.repeat(201)}`,
  'file://host/share',
  'file:///a?b',
  'file:///%2',
  'file:///a%2Fb',
  'https://host/results',
  's3:/pictures/team',
  's3:pictures',
  'file:results',
])('%s is none', text => {
  expect(readSharedPlace(text)).toBeUndefined()
})
