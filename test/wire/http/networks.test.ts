import { expect, test } from 'vitest'
import { isLoopbackHost, networkOf } from '../../../src/wire/http/networks.ts'

test.each([
  ['8.8.8.8', 'public'],
  ['2606:4700::1111', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['[::1]', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.0.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd12:3456::1', 'private'],
  ['169.254.1.1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['fd00:ec2::254', 'metadata'],
  ['::ffff:a9fe:a9fe', 'metadata'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['64:ff9b::808:808', 'public'],
  ['2002:7f00:1::', 'loopback'],
  ['0.0.0.0', 'reserved'],
  ['::', 'reserved'],
  ['224.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['ff02::1', 'reserved'],
  ['203.0.113.7', 'reserved'],
  ['localhost', 'reserved'],
])('%s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each([
  ['localhost', true],
  ['LOCALHOST.', true],
  ['a.localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['localhost.example', false],
  ['10.0.0.1', false],
  ['0.0.0.0', false],
])('%s is this machine: %s', (host, isSo) => {
  expect(isLoopbackHost(host)).toBe(isSo)
})
