genrun profile check acme.profile.yaml
genrun profile check acme.profile.yaml --model famc-v3
genrun profile check acme.profile.yaml --model famc-v33
genrun profile check typo.profile.yaml
genrun profile check typo.profile.yaml --json
genrun profile check none.yaml
GENRUN_BASE_URL=https://service.example/gw-v2 GENRUN_API_KEY=paint/new genrun profile check acme.profile.yaml
genrun profile
genrun profile check --help
