import { expect, test } from 'vitest'
import { isCertificateError, networkErrorText } from '../../../src/wire/http/network-error.ts'

// Words and codes as the runtime gives them.
test.each([
  ['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT', true],
  ['self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN', true],
  ['certificate has expired', 'CERT_HAS_EXPIRED', true],
  ['unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', true],
  ['unable to get local issuer certificate', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', true],
  ["Hostname/IP does not match certificate's altnames: …", 'ERR_TLS_CERT_ALTNAME_INVALID', true],
  ['connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED', false],
  ['getaddrinfo ENOTFOUND certificates.example', 'ENOTFOUND', false],
  ['other side closed', 'UND_ERR_SOCKET', false],
  ['write EPROTO', 'EPROTO', false],
])('%s (%s) is about a certificate: %s', (message, code, isIt) => {
  expect(isCertificateError(networkErrorText(Object.assign(new Error(message), { code })))).toBe(isIt)
})
