CI=true genrun campaign.yaml
GENRUN_API_KEY=k3y-of-env genrun campaign.yaml
GENRUN_BASE_URL=https://service.example/gw-v2 genrun campaign.yaml --json
GENRUN_BASE_URL=http://service.example/gw-v2 GENRUN_API_KEY=k3y-of-env genrun campaign.yaml
GENRUN_BASE_URL=https://service.example/gw-v2 GENRUN_API_KEY_FILE=no.key genrun campaign.yaml
GENRUN_BASE_URL=https://service.example/gw-v2 GENRUN_API_KEY=k3y-of-env genrun campaign.yaml --ca none.pem
GENRUN_BASE_URL=https://service.example/gw-v2 GENRUN_API_KEY=k3y-of-env GENRUN_CA=campaign.yaml genrun campaign.yaml
GENRUN_BASE_URL=https://service.example/gw-v2 GENRUN_API_KEY=k3y-of-env HTTPS_PROXY=socks5://127.0.0.1:9 genrun campaign.yaml
GENRUN_BASE_URL=https://service.example/gw-v2 GENRUN_API_KEY=k3y-of-env GENRUN_UPLOAD_ORIGINS=files.example genrun campaign.yaml
