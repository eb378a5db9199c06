/** A certificate that nobody trusts, for service.test, files.test and localhost, and its key: for tests only. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBtjCCAVugAwIBAgIUe+1dvXnOC2vCnxWHfqolZXC1n3YwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLZ2VucnVuIHRlc3QwIBcNMjYxMTIwMTM0NzEzWhgPMjEyNjEw
MjcxMzQ3MTNaMBYxFDASBgNVBAMMC2dlbnJ1biB0ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEOevdYmwcFdlaI2XfYl33GYUVyYaaC7gOpALyzkJCVyLxdaAW
xTenBeK+w6K52vPpmgN6D1T3BQeKF2sN0tcd7qOBhDCBgTAdBgNVHQ4EFgQUjygC
GdFZmKT79sdweiuvqskl7kQwHwYDVR0jBBgwFoAUjygCGdFZmKT79sdweiuvqskl
7kQwDwYDVR0TAQH/BAUwAwEB/zAuBgNVHREEJzAlggxzZXJ2aWNlLnRlc3SCCmZp
bGVzLnRlc3SCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNJADBGAiEA5NLcqLCcVLAE
E6eXkfgKOAL+D62lbnwAEnB/WGVPntgCIQDT2MGe+k1vBLnS/qY6dpz1OlcLNyJ0
Vzb4cfWDx2do+Q==
-----END CERTIFICATE-----`

export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJJJJxROORDDKLb9t
C+vcutohUKesQdup1JEUKnIeuDyhRANCAAQ5691ibBwV2VojZd9iXfcZhRXJhpoL
uA6kAvLOQkJXIvF1oBbFN6cF4r7Dorna8+maA3oPVPcFB4oXaw3S1x3u
-----END PRIVATE KEY-----`
