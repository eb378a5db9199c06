CI=true genrun campaign.yaml
GENRUN_API_KEY=k3y-of-env genrun campaign.yaml
GENRUN_BASE_URL=https://service.example/gw-v2 genrun campaign.yaml --json
GENRUN_BASE_URL=https://service.example/v1 GENRUN_API_KEY=k3y-of-env genrun campaign.yaml
GENRUN_BASE_URL=https://service.example/gw-v2 GENRUN_API_KEY_FILE=no.key genrun campaign.yaml
